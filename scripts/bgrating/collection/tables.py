"""The tables of a collection: what they hold, and how they are written."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bgrating.analysis.statuses import STATUSES
from bgrating.collection.accounts import Analysed, account
from bgrating.collection.readings import CollectionReading
from bgrating.decisions.files import Beside, write_decisions
from bgrating.pages.template import records
from bgrating.pages.words import counted, grade, leader, number, short
from bgrating.people.aliases import joined, persons, suggestions
from bgrating.people.players import (
    OUTSIDE,
    PLAIN,
    RATED,
    SHRUNK,
    TENTATIVE,
    UNRATED,
    players_table,
    with_ratings,
)
from bgrating.rating.choose import RatingModel
from bgrating.rating.field import Field
from bgrating.site.addresses import PROVENANCE, match_pages, player_pages
from bgrating.tables.dictionary import columns
from bgrating.tables.folder import recorded, writing
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.sqlite import write_sqlite
from bgrating.tables.tables import arrow_file, read_csv, read_table, write_all, write_table, write_text

EDITED = "alias_suggestions"
"""The table that its reader edits and gives back."""


INDEXES = {
    "files": ("file",), "matches": ("player", "file, match"), "players": ("player",),
    "decisions": ("player", "file, match", "loss_emg"),
}  # fmt: skip
"""Columns of results.sqlite with an index, by table."""
NOTES = {RATED: "", TENTATIVE: "provisional", UNRATED: "too few decisions for a rating"}
NAMED = 10
"""Players that an answer names, beside the one that was asked for."""


@dataclass(frozen=True)
class Tables:
    """The tables of a collection: files, matches (with `key`), players, pairs of names, and the players' field.

    `remarks` are sentences on names: which were joined, which aliases nobody has.
    """

    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    suggestions: pd.DataFrame
    field: Field | None
    remarks: list[str]


def make_tables(
    reading: CollectionReading,
    analysed: Analysed,
    aliases: Mapping[str, str],
    model: RatingModel,
    offset: float,
    stored: Path,
) -> Tables:
    """Make the tables from what was read of the files and what the engine said.

    `stored` is the table of the field that players of a small collection are shrunk towards, if it is there.
    """
    names, remarks = persons(reading.pairs, aliases)
    files, matches = account(reading, analysed, names)
    matches = with_ratings(joined(matches, names), model, offset)
    players, field = players_table(matches, model, offset, read_table(stored) if stored.is_file() else None)
    return Tables(files, matches, players, suggestions(matches), field, remarks)


def write_tables(
    made: Tables,
    decisions: Callable[[str], bytes],
    words: str,
    folder: Path,
    facts: Mapping[str, Any],
    aliases: Path | None,
    say: Callable[[str], None],
    beside: Beside,
) -> str:
    """Write the tables, the database of all of them, and the answer, with the facts given.

    Returns the checksum of the decisions; `say` is told what the user is to know. Suggestions that were edited, or are
    the `aliases` in use, stay as they are.
    """
    before = recorded(folder / PROVENANCE).get("collection", facts["collection"])
    facts = {**facts, "first": first_facts(made)}
    plain = {"files": made.files, "matches": made.matches[columns("human/matches")], "players": made.players}
    with writing(folder, say, PROVENANCE, (f"{EDITED}.csv", aliases)) as new, one_provenance(new / PROVENANCE):
        write_all(plain, new, "human", **facts)
        write_decisions(made.matches, decisions, new / "decisions.parquet", beside, **facts)
        _write_database(new, facts)
        write_table(made.suggestions, new / f"{EDITED}.csv", f"human/{EDITED}", **facts)
        write_text(f"{words}\n", new / "summary.txt", **facts)
        checksum: str = read_provenance(new / "decisions.parquet")["sha256"]
    if before != facts["collection"]:
        say(f"{folder} had the results of {before} before; --name NAME keeps both")
    return checksum


def first_facts(made: Tables) -> dict[str, str]:
    """Return what the first page of the results says of a collection: its leader, and who has most matches.

    That is the user himself where the collection is his own: his rating, his page and that of his last match.
    """
    shrunk = made.players["shrunk_rating"].notna().any()
    names = SHRUNK if shrunk else PLAIN
    shown = made.players.assign(**{to: made.players[name] for to, name in zip(PLAIN, names, strict=True)})
    rated = shown[shown["standing"] == RATED].sort_values("rating", ascending=False)
    most = shown.sort_values("matches", ascending=False).head(2)
    told = {"leader": leader(records(rated)) if len(rated) > 1 else ""}
    if not len(most) or (len(most) > 1 and most["matches"].iloc[0] == most["matches"].iloc[1]):
        return told
    own = most.iloc[0]
    rows = made.matches[made.matches["player"] == own["player"]]
    last = rows.assign(date=rows["date"].fillna("")).sort_values("date", kind="stable").iloc[-1]
    return told | {
        "player": own["player"], "page": player_pages(made.players["player"]).get(own["player"], ""),
        "rating": number(own["rating"]), "between": f"{number(own['ci_low'])} to {number(own['ci_high'])}",
        "pr": number(own["pr"], 1), "grade": grade(own["pr"]), "opponent": short(last["opponent"]),
        "date": last["date"], "last": match_pages(made.matches).get((last["file"], last["match"]), ""),
    }  # fmt: skip


def _write_database(new: Path, facts: Mapping[str, Any]) -> None:
    read = {name: pa.Table.from_pandas(read_csv(new / f"{name}.csv")) for name in ("files", "matches", "players")}
    decisions = pq.ParquetFile(arrow_file(new / "decisions.parquet"))
    tables = {name: (table.schema, table.to_batches()) for name, table in read.items()}
    tables["decisions"] = decisions.schema_arrow, decisions.iter_batches()
    write_sqlite(tables, INDEXES, new / "results.sqlite", **facts)


def answer(made: Tables, model: RatingModel, offset: float, facts: Mapping[str, Any]) -> str:
    """Return what a run says: files by status, then who has which rating, at which level and by which formula."""
    counts = made.files["status"].value_counts()
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if status in counts)
    lines = [f"{len(made.files)} file{'s' * (len(made.files) != 1)}: {statuses}"]
    if len(made.suggestions):
        lines.append(
            f"{counted(len(made.suggestions), 'pairs')} of names may be one person: "
            f"edit {EDITED}.csv and give it back with --aliases FILE"
        )
    lines += made.remarks
    is_asked = made.players["player"] == facts["player"]
    rows = [("Player", "Rating", f"{model.formula.confidence:.0%} interval", "Matches", "")]
    for row in pd.concat([made.players[is_asked], made.players[~is_asked].head(NAMED)]).to_dict("records"):
        rated = math.isfinite(row["rating"])
        interval = f"{row['ci_low']:.0f} to {row['ci_high']:.0f}" if rated and math.isfinite(row["ci_low"]) else "-"
        rows.append(
            (
                row["player"],
                f"{row['rating']:.0f}" if rated else "-",
                interval,
                f"{row['rated_matches']}",
                ", ".join(
                    filter(None, (NOTES[row["standing"]], "outside the formula's range" * (row["domain"] == OUTSIDE)))
                ),
            )
        )
    name, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines += ["", *(
        "  ".join([row[0].ljust(name), *map(str.rjust, row[1:4], others), row[4]]).rstrip() for row in rows
    )]  # fmt: skip
    if len(made.players) >= len(rows):
        lines.append(f"and {len(made.players) - len(rows) + 1} more players: players.csv")
    engine = facts.get("engine", {}).get("package", "")
    level = facts["analysis"].removesuffix("-no-luck")
    luck = " without luck" if level != facts["analysis"] else " with luck"
    if facts.get("luck_to_come"):
        luck = "; luck, which changes no rating, is still being computed"
    lines += [
        "",
        f"Level: {level}{luck}, engine {engine}",
        f"Formula: {model.words}; a player without errors has {offset:g}",
        made.field.words(offset).replace("field", "Field", 1)
        if made.field
        else "Field: too few players for one, so intervals are of a player's own matches",
    ]
    return "\n".join(lines)
