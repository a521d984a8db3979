"""Write the tables of a collection."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.accounts import STATUSES, TEXTS, Analysed, account
from bgrating.collection.aliases import joined, read_aliases, suggestions
from bgrating.collection.collection import read_records
from bgrating.collection.players import players_table, with_ratings
from bgrating.csv_safety import cell
from bgrating.decisions.kept import write_decisions
from bgrating.digits import FLOATS
from bgrating.formula.choose import Chosen
from bgrating.provenance import read_provenance, replace, verified, write_provenance

MATCH_COLUMNS = [
    "file", "match", "player", "opponent", "side", "match_length", "games", "rolls", "score", "opponent_score",
    "complete", "won", "recorded_rating", "unforced_moves", "chequer_error_emg", "chequer_error_mwc",
    "close_cube_decisions", "total_cube_decisions", "cube_error_emg", "cube_error_mwc", "epm", "epc", "epc_2003",
    "pr", "snowie_error_rate", "luck_emg", "luck_mwc", "actual_result", "luck_adjusted_result", "error_based_rating",
    "rating", "luck_based_rating_difference", "status", "date", "dialect", "real_name",
]  # fmt: skip
_WHOLE = {
    "match_length", "games", "rolls", "score", "opponent_score", "total_moves", "unforced_moves", "doubtful_moves",
    "bad_moves", "very_bad_moves", "total_cube_decisions", "close_cube_decisions", "close_cube_decisions_2003",
    "doubles", "takes", "passes", "missed_doubles_below_cp", "missed_doubles_above_cp", "wrong_doubles_below_dp",
    "wrong_doubles_above_tg", "wrong_takes", "wrong_passes", "xg_decisions",
}  # fmt: skip


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
        """Return what the engine said of all batches. Raises ProvenanceError where a table is not as it was written."""
        for path in self.batches:
            verified(path)
        texts = dict.fromkeys(TEXTS, str)
        return Analysed.of(
            [pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""]) for path in self.batches]
        )

    def engines(self) -> dict[str, Any]:
        """Return the facts of the engine that analysed: a list of them where there were several, None where none."""
        facts = [read_provenance(path) for path in self.batches]
        return {name: _one_or_all([one.get(name) for one in facts]) for name in ("engine", "opening_evaluation")}


def decided_of(table: Path) -> Path:
    """Return the file of the decisions that belongs to the table of a batch."""
    return table.with_suffix(".decisions.parquet")


def _one_or_all(facts: list[Any]) -> Any:
    """Return a fact that all share, otherwise all that differ; None where there are none."""
    distinct = [one for number, one in enumerate(facts) if one not in facts[:number]]
    return distinct if len(distinct) > 1 else next(iter(distinct), None)


def write_tables(
    sources: Sources, chosen: Chosen, offset: float, folder: Path, facts: Mapping[str, Any], stored: Path | None = None
) -> None:
    """Write files.csv, matches.csv, players.csv, alias_suggestions.csv and decisions.parquet, with the facts given.

    `stored` is the table of the field that players of a small collection are shrunk towards, if there is one.
    """
    files, matches = account(sources, sources.analysed())
    aliases = read_aliases(sources.aliases) if sources.aliases else {}
    matches = with_ratings(joined(matches, aliases), chosen, offset)
    about = {**facts, **sources.engines(), "formula": chosen.words, "offset": offset, "aliases": len(aliases)}
    write_table(files, folder / "files.csv", **about)
    write_table(match_columns(matches), folder / "matches.csv", **about)
    parts = [decided_of(path) for path in sources.batches]  # absent where they were not wanted
    write_decisions([part for part in parts if part.is_file()], matches, folder / "decisions.parquet")
    field_table = pd.read_csv(stored) if stored else None
    players, field = players_table(matches, chosen, offset, field_table)
    alike = suggestions(matches)
    write_table(alike, folder / "alias_suggestions.csv", **about)
    about |= {"field": None if field is None else asdict(field) | {"words": field.words(offset)}}
    write_table(players, folder / "players.csv", **about)
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


def match_columns(matches: pd.DataFrame) -> pd.DataFrame:
    """Order the columns: those of the contract first, the engine's further figures after them."""
    rest = [column for column in matches.columns if column not in {*MATCH_COLUMNS, "key", "reason", "moves_of_both"}]
    return matches[[*MATCH_COLUMNS, *rest]]


def _is_truth(column: pd.Series) -> bool:
    """Tell whether a column says yes or no: in the table of players, `won` is a number of matches."""
    return pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column)


def write_table(table: pd.DataFrame, path: Path, *, whole: Collection[str] = _WHOLE, **facts: Any) -> None:
    """Write a table as CSV, harmless in a spreadsheet, and its provenance: the facts given and the number of rows.

    `whole` are the columns of whole numbers.
    """
    safe = table.copy()
    for column in safe.columns:
        if column in whole:
            safe[column] = safe[column].astype("Int64")
        elif column == "complete" or (column == "won" and _is_truth(safe[column])):
            safe[column] = (
                safe[column].map(lambda yes: "" if pd.isna(yes) else "true" if yes else "false").astype(object)
            )
        elif not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].map(lambda text: cell(text) if isinstance(text, str) else text)
    replace(path, safe.to_csv(index=False, float_format=FLOATS, lineterminator="\n"))
    write_provenance(path, **facts, rows=len(table))
