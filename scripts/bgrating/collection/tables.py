"""The tables of a collection: what they hold, and how they are written."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.accounts import STATUSES, Analysed, account
from bgrating.collection.addresses import PROVENANCE
from bgrating.collection.aliases import is_same_file, joined, persons, suggestions
from bgrating.collection.players import OUTSIDE, RATED, TENTATIVE, UNRATED, players_table, with_ratings
from bgrating.collection.readings import CollectionReading
from bgrating.decisions.files import write_decisions
from bgrating.rating.choose import RatingModel
from bgrating.rating.field import Field
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, sha256, write_atomic
from bgrating.tables.tables import read_table, write_all, write_table

EDITED = "alias_suggestions"
"""The table that its reader edits and gives back."""


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
    names, remarks = persons(reading.pairs + analysed.pairs(), aliases)
    files, matches = account(reading, analysed, names)
    matches = with_ratings(joined(matches, names), model, offset)
    players, field = players_table(matches, model, offset, read_table(stored) if stored.is_file() else None)
    return Tables(files, matches, players, suggestions(matches), field, remarks)


def write_tables(
    made: Tables,
    decisions: Callable[[str], bytes],
    folder: Path,
    facts: Mapping[str, Any],
    offset: float,
    aliases: Path | None = None,
) -> list[str]:
    """Write files.csv, matches.csv, players.csv, alias_suggestions.csv and decisions.parquet, with the facts given.

    Returns what the user is to be told. Suggestions that were edited, or are the `aliases` in use, stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / PROVENANCE).exists():  # from now on the folder is ours, also where this is killed
        write_atomic(folder / PROVENANCE, "{}\n")
    is_theirs = is_same_file(folder / f"{EDITED}.csv", aliases) or _is_edited(folder / f"{EDITED}.csv")
    field = None if made.field is None else asdict(made.field) | {"words": made.field.words(offset)}
    plain = {"files": made.files, "matches": made.matches[columns("human/matches")]}
    with one_provenance(folder / PROVENANCE):
        write_all(plain, folder, "human", **facts)
        write_decisions(made.matches, decisions, folder / "decisions.parquet", **facts)
        about = {**facts, "field": field, "remarks": made.remarks}
        write_table(made.players, folder / "players.csv", "human/players", **about)
        if not is_theirs:
            write_table(made.suggestions, folder / f"{EDITED}.csv", f"human/{EDITED}", **facts)
    return [f"{folder / EDITED}.csv stays as it is: it was edited or given as --aliases"] if is_theirs else []


def answer(made: Tables, model: RatingModel, offset: float, facts: Mapping[str, Any]) -> str:
    """Return what a run says: files by status, then who has which rating, at which level and by which formula."""
    counts = made.files["status"].value_counts()
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if status in counts)
    lines = [f"{len(made.files)} file{'s' * (len(made.files) != 1)}: {statuses}"]
    if len(made.suggestions):
        lines.append(
            f"{len(made.suggestions)} names may be another's: edit {EDITED}.csv and give it back with --aliases FILE"
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
    luck = "without luck" if level != facts["analysis"] else "with luck"
    lines += [
        "",
        f"Level: {level} {luck}, engine {engine}",
        f"Formula: {model.words}; a player without errors has {offset:g}",
        made.field.words(offset).replace("field", "Field", 1)
        if made.field
        else "Field: too few players for one, so intervals are of a player's own matches",
    ]
    return "\n".join(lines)


def _is_edited(table: Path) -> bool:
    written = json.loads((table.parent / PROVENANCE).read_text(encoding="utf-8")).get("written")
    # Before the first run is finished nothing is written there.
    return table.is_file() and written is not None and written.get(table.name, {}).get("sha256") != sha256(table)
