"""Make the tables of a collection and its printed answer, and write them."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bgmatch.records import Record
from bgrating.analysis.second_look import SecondLook
from bgrating.analysis.statuses import STATUSES
from bgrating.collection.accounts import Analysed, account
from bgrating.collection.level import at_level
from bgrating.collection.rate_request import CheckedRequest
from bgrating.collection.readings import CollectionReading
from bgrating.decisions.decision_table import write_decisions
from bgrating.decisions.thresholds import LEVEL
from bgrating.engine.levels import NO_LUCK
from bgrating.pages.formatting import counted, leader, number, short
from bgrating.pages.template import records
from bgrating.people.aliases import joined, persons, suggestions
from bgrating.people.players import (
    OUTSIDE,
    RATED,
    TENTATIVE,
    UNRATED,
    players_table,
    with_ratings,
)
from bgrating.rating.choose import RatingModel
from bgrating.rating.population import Population
from bgrating.rating.result_files import population_table
from bgrating.site.addresses import match_pages, player_pages
from bgrating.tables.dictionary import columns
from bgrating.tables.sqlite import write_sqlite
from bgrating.tables.table_files import read_table, write_all, write_text

DECISIONS = "decisions.parquet"
EDITED = "alias_suggestions"
"""The table that users edit and give to the next run."""
INDEXES = {
    "files": ("file",),
    "matches": ("player", "file, match"),
    "players": ("player",),
    "decisions": ("player", "file, match", "loss_emg"),
}
"""Indexed columns of results.sqlite, by table."""
NOTES = {RATED: "", TENTATIVE: "provisional", UNRATED: "too few decisions for a rating"}
NAMED = 10
"""Most players that an answer names, beside the requested one."""


@dataclass(frozen=True)
class Tables:
    """The tables of a collection, and the population of its players.

    `matches` have the column `key`. `of_players` are the matches with the losses that players'
    figures show: those at 2-ply for a player whose matches are all checked. `rated_by` are the
    matches with the losses of the first analysis, which `model` rates.

    `remarks` are sentences on names: those that were joined, and aliases that no player has.
    """

    files: pd.DataFrame
    matches: pd.DataFrame
    of_players: pd.DataFrame
    rated_by: pd.DataFrame
    model: RatingModel
    players: pd.DataFrame
    suggestions: pd.DataFrame
    population: Population | None
    remarks: list[str]

    @property
    def public(self) -> dict[str, pd.DataFrame]:
        """The tables with their public columns, by name."""
        matches = self.matches[columns("human/matches")]
        return {"files": self.files, "matches": matches, "players": self.players}


def make_tables(
    reading: CollectionReading,
    analysed: Analysed,
    checked: CheckedRequest,
    model: RatingModel,
    look: SecondLook,
) -> Tables:
    """Make the tables from the readings, the engine's answers at a level, and the second look."""
    offset = checked.request.offset
    level = checked.level.name.removesuffix(NO_LUCK)
    names, remarks = persons(reading.pairs, checked.aliases)
    remarks += reading.remarks
    files, matches = account(reading.records, analysed, names)
    first = with_ratings(joined(matches, names).assign(level=level), model, offset)
    matches = at_level(first, look, level)
    is_checked = matches["level"] == LEVEL
    every = is_checked.groupby(matches["player"]).transform("all")
    of_players = first.where(~every, matches).astype(first.dtypes)
    # Players of a small collection are shrunk towards those of a stored one.
    stored = population_table(checked.engine.known.version)
    stored_matches = read_table(stored) if stored.is_file() else None
    players, population = players_table(of_players, model, offset, stored_matches, first)
    players = _with_levels(players, is_checked.groupby(matches["player"]).sum(), level)
    pairs = suggestions(matches)
    return Tables(files, matches, of_players, first, model, players, pairs, population, remarks)


def _with_levels(players: pd.DataFrame, checked: "pd.Series[Any]", level: str) -> pd.DataFrame:
    """Add to each player the number of checked matches, the level, and the rating of 0-ply."""
    count = players["player"].map(checked).fillna(0).astype(int)
    is_checked = (count == players["matches"]) & (count > 0)
    return players.assign(
        checked_matches=count,
        level=np.where(is_checked, LEVEL, level),
        rating_0_ply=players["rating"] if level.startswith("0-ply") else math.nan,
    )


def write_tables(
    tables: Tables, decisions: Iterable[pa.Table], text: str, new: Path, metadata: Record
) -> Iterator[pa.Table]:
    """Write the tables and the answer into a folder.

    Yield each part of the `decisions` when it is written.
    """
    metadata = {**metadata, "first": first_page(tables)}
    write_all({**tables.public, EDITED: tables.suggestions}, new, "human", **metadata)
    write_text(f"{text}\n", new / "summary.txt", **metadata)
    yield from write_decisions(decisions, new / DECISIONS, **metadata)


def write_database(tables: Tables, decisions: pa.Table, path: Path, metadata: Record) -> None:
    """Write all tables into one database."""
    write_sqlite({**tables.public, "decisions": decisions.to_pandas()}, INDEXES, path, **metadata)


def first_page(tables: Tables) -> dict[str, str]:
    """Return what the first page of the results says of a collection.

    It names the leader and the player with most matches, who is the user in the user's own
    collection. It has that player's rating, page and the page of their last match.
    """
    players = tables.players
    rated = records(players[players["standing"] == RATED])
    most = players.sort_values("matches", ascending=False).head(2)
    summary = {"leader": leader(rated)}
    if most["matches"].nunique() != len(most) or most.empty:
        return summary
    user = most.iloc[0]
    rows = tables.matches[tables.matches["player"] == user["player"]]
    last = rows.assign(date=rows["date"].fillna("")).sort_values("date", kind="stable").iloc[-1]
    return summary | {
        "player": user["player"],
        "page": player_pages(tables.players["player"]).get(user["player"], ""),
        "rating": number(user["rating"]),
        "between": f"{number(user['ci_low'])} to {number(user['ci_high'])}",
        "pr": number(user["pr"], 1),
        "opponent": short(last["opponent"]),
        "date": last["date"],
        "last": match_pages(tables.matches).get((last["file"], last["match"]), ""),
    }


def answer(tables: Tables, offset: float, metadata: Record) -> str:
    """Return the printed answer: files by status, ratings, the level and the formula."""
    counts = tables.files["status"].value_counts()
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if status in counts)
    lines = [f"{counted(len(tables.files), 'files')}: {statuses}"]
    if len(tables.suggestions):
        lines.append(
            f"{counted(len(tables.suggestions), 'pairs')} of names may be one person: "
            f"edit {EDITED}.csv and give it back with --aliases FILE"
        )
    is_requested = tables.players["player"] == metadata["player"]
    players = pd.concat([tables.players[is_requested], tables.players[~is_requested].head(NAMED)])
    lines += [*tables.remarks, "", *_ranking(players, tables.model.formula.confidence)]
    if len(tables.players) > len(players):
        lines.append(f"and {len(tables.players) - len(players)} more players: players.csv")
    engine = metadata.get("engine", {}).get("package", "")
    comparison = "Too few players to compare with: an interval comes from the player's own matches."
    if tables.population:
        comparison = tables.population.description(offset)
    lines += [
        "",
        f"Level: {_level(tables, metadata)}, engine {engine}",
        f"Formula: {tables.model.description}; a player without errors has {offset:g}",
        comparison,
    ]
    return "\n".join(lines)


def _ranking(players: pd.DataFrame, confidence: float) -> Iterator[str]:
    """Yield the header and a line for each player, in columns."""
    width = max(map(len, ["Player", *players["player"]]))
    yield f"{'Player':<{width}}  Rating  {confidence:.0%} interval  Matches"
    for row in players.to_dict("records"):
        rating = f"{row['rating']:.0f}" if math.isfinite(row["rating"]) else "-"
        interval = "-"
        if math.isfinite(row["ci_low"]):
            interval = f"{row['ci_low']:.0f} to {row['ci_high']:.0f}"
        note = NOTES[row["standing"]]
        if row["money_sessions"] == row["matches"]:
            note = "no rating: money sessions only"
        notes = [note] if note else []
        if row["domain"] == OUTSIDE:
            notes.append("outside the formula's range")
        line = f"{row['player']:<{width}}  {rating:>6}  {interval:>12}  {row['rated_matches']:>7}"
        yield f"{line}  {', '.join(notes)}".rstrip()


def _level(tables: Tables, metadata: Record) -> str:
    level: str = metadata["analysis"].removesuffix(NO_LUCK)
    if metadata.get("luck_to_come"):
        luck = "; luck, which changes no rating, is still being computed"
    else:
        luck = " with luck" if level == metadata["analysis"] else " without luck"
    if (tables.matches["level"] == LEVEL).all():
        level = f"{level}; losses and PR are {LEVEL} at 2-ply;"
    return level + luck
