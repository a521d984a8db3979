"""The tables of a collection: what they hold, and how they are written."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.accounts import Analysed, account
from bgrating.collection.aliases import joined, suggestions
from bgrating.collection.players import players_table, with_ratings
from bgrating.collection.rate import PROVENANCE
from bgrating.decisions.kept import write_decisions
from bgrating.rating.choose import Chosen
from bgrating.rating.field import Field
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, replace, sha256
from bgrating.tables.tables import read_table, write_all, write_table

EDITED = "alias_suggestions"
"""The table that its reader edits and gives back."""


@dataclass(frozen=True)
class Tables:
    """The tables of a collection: files, matches (with `key`), players, pairs of names, and the field of the players."""

    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    suggestions: pd.DataFrame
    field: Field | None


def make_tables(
    records: Iterable[dict[str, Any]],
    analysed: Analysed,
    aliases: Mapping[str, str],
    chosen: Chosen,
    offset: float,
    stored: Path,
) -> Tables:
    """Make the tables from the records of the files, which are iterated twice, and what the engine said.

    `stored` is the table of the field that players of a small collection are shrunk towards, if it is there.
    """
    files, matches = account(records, analysed)
    matches = with_ratings(joined(matches, aliases), chosen, offset)
    players, field = players_table(matches, chosen, offset, read_table(stored) if stored.is_file() else None)
    return Tables(files, matches, players, suggestions(matches), field)


def write_tables(
    made: Tables, decisions: Callable[[str], bytes], folder: Path, facts: Mapping[str, Any], offset: float
) -> list[str]:
    """Write files.csv, matches.csv, players.csv, alias_suggestions.csv and decisions.parquet, with the facts given.

    Returns what the user is to be told. Suggestions that he has edited stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / PROVENANCE).exists():  # from now on the folder is ours, also where this is killed
        replace(folder / PROVENANCE, "{}\n")
    edited = _is_edited(folder / f"{EDITED}.csv")
    field = None if made.field is None else asdict(made.field) | {"words": made.field.words(offset)}
    plain = {"files": made.files, "matches": made.matches[columns("human/matches")]}
    with one_provenance(folder / PROVENANCE):
        write_all(plain, folder, "human", **facts)
        write_decisions(made.matches, decisions, folder / "decisions.parquet", **facts)
        write_table(made.players, folder / "players.csv", "human/players", **facts, field=field)
        if not edited:
            write_table(made.suggestions, folder / f"{EDITED}.csv", f"human/{EDITED}", **facts)
    return [f"{folder / EDITED}.csv was edited: it stays as it is"] if edited else []


def _is_edited(table: Path) -> bool:
    """Tell whether somebody has changed a table since it was written."""
    written = json.loads((table.parent / PROVENANCE).read_text(encoding="utf-8")).get("written")
    # Before the first run is finished nothing is written there.
    return table.is_file() and written is not None and written.get(table.name, {}).get("sha256") != sha256(table)
