"""Write the tables of a collection."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.accounts import STATUSES, Analysed, account
from bgrating.collection.aliases import joined, read_aliases, suggestions
from bgrating.collection.collection import read_records
from bgrating.collection.players import players_table, with_ratings
from bgrating.decisions.kept import write_decisions
from bgrating.rating.choose import Chosen
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import distinct, read_provenance, replace
from bgrating.tables.tables import read_table, write_all, write_table


@dataclass(frozen=True)
class Sources:
    """What the tables are made from: the readings, the tables of the batches, a table of aliases or None."""

    readings: Path
    batches: tuple[Path, ...]
    aliases: Path | None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the records of the files."""
        return read_records(self.readings)

    def analysed(self) -> Analysed:
        """Return what the engine said of all batches."""
        return Analysed.of([read_table(path) for path in self.batches])

    def engines(self) -> dict[str, Any]:
        """Return the facts of the engine that analysed: a list of them where there were several, None where none."""
        facts = [read_provenance(path) for path in self.batches]
        all_of = {name: distinct(one.get(name) for one in facts) for name in ("engine", "opening_evaluation")}
        return {name: several if len(several) > 1 else next(iter(several), None) for name, several in all_of.items()}


def decided_of(table: Path) -> Path:
    """Return the file of the decisions that belongs to the table of a batch."""
    return table.with_suffix(".decisions.parquet")


def write_tables(
    sources: Sources, chosen: Chosen, offset: float, folder: Path, facts: Mapping[str, Any], stored: Path | None = None
) -> None:
    """Write files.csv, matches.csv, players.csv, alias_suggestions.csv and decisions.parquet, with the facts given.

    `stored` is the table of the field that players of a small collection are shrunk towards, if there is one.
    """
    aliases = read_aliases(sources.aliases) if sources.aliases else {}
    files, matches = account(sources, sources.analysed(), aliases)
    matches = with_ratings(joined(matches, aliases), chosen, offset)
    about = {**facts, **sources.engines(), "formula": chosen.words, "offset": offset, "aliases": len(aliases)}
    alike = suggestions(matches)
    made = {"files": files, "matches": matches[columns("human/matches")], "alias_suggestions": alike}
    write_all(made, folder, "human", **about)
    parts = [decided_of(path) for path in sources.batches]  # absent where they were not wanted
    write_decisions([part for part in parts if part.is_file()], matches, folder / "decisions.parquet", **about)
    field_table = read_table(stored) if stored else None
    players, field = players_table(matches, chosen, offset, field_table)
    about |= {"field": None if field is None else asdict(field) | {"words": field.words(offset)}}
    write_table(players, folder / "players.csv", "human/players", **about)
    replace(folder / "summary.txt", _summary(files, players, len(alike), chosen, about["field"]))


def _summary(
    files: pd.DataFrame, players: pd.DataFrame, alike: int, chosen: Chosen, field: Mapping[str, Any] | None
) -> str:
    """Return the lines that a run prints: files by status, the players with most matches, formula and field."""
    counts = files["status"].value_counts()
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if status in counts)
    lines = [f"{len(files)} files: {statuses or 'none'}", f"{len(players)} players"]
    for row in players.head(5).to_dict("records"):
        if math.isfinite(row["rating"]):
            interval = f" [{row['ci_low']:.0f}, {row['ci_high']:.0f}]" if math.isfinite(row["ci_low"]) else ""
            lines.append(f"  {row['player']}: {row['rating']:.0f}{interval} from {row['rated_matches']} matches")
    if alike:
        lines.append(f"{alike} names may be another's: edit alias_suggestions.csv and give it back with aliases=FILE")
    lines.append(f"formula: {chosen.words}")
    lines.append(field["words"] if field else "too few players for a field: intervals are of a player's own matches")
    return "\n".join([*lines, ""])
