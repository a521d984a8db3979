"""Write the tables of a collection."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.human.accounts import STATUSES, TEXTS, Analysed, account
from bgrating.human.collection import read_records
from bgrating.human.formulas import Chosen
from bgrating.human.inert import cell
from bgrating.human.players import joined, players_table, read_aliases, with_ratings
from bgrating.provenance import read_provenance, replace, write_provenance

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
    "wrong_doubles_above_tg", "wrong_takes", "wrong_passes",
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
        """Return what the engine said of all batches."""
        texts = dict.fromkeys(TEXTS, str)
        return Analysed.of(
            [pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""]) for path in self.batches]
        )

    def engines(self) -> dict[str, Any]:
        """Return the facts of the engine that analysed: a list of them where there were several, None where none."""
        facts = [read_provenance(path) for path in self.batches]
        return {name: _one_or_all([one.get(name) for one in facts]) for name in ("engine", "opening_evaluation")}


def _one_or_all(facts: list[Any]) -> Any:
    """Return a fact that all share, otherwise all that differ; None where there are none."""
    distinct = [one for number, one in enumerate(facts) if one not in facts[:number]]
    return distinct if len(distinct) > 1 else next(iter(distinct), None)


def write_tables(sources: Sources, chosen: Chosen, offset: float, folder: Path, facts: Mapping[str, Any]) -> None:
    """Write files.csv, matches.csv and players.csv into a folder, each with its provenance (with the facts given)."""
    files, matches = account(sources, sources.analysed())
    aliases = read_aliases(sources.aliases) if sources.aliases else {}
    matches = with_ratings(joined(matches, aliases), chosen, offset)
    about = {**facts, **sources.engines(), "formula": chosen.words, "offset": offset, "aliases": len(aliases)}
    write_table(files, folder / "files.csv", **about)
    write_table(match_columns(matches), folder / "matches.csv", **about)
    players = players_table(matches, chosen, offset)
    write_table(players, folder / "players.csv", **about)
    replace(folder / "summary.txt", _summary(files, players))


def _summary(files: pd.DataFrame, players: pd.DataFrame) -> str:
    """Return the lines that a run prints: how many files have which status, and the players with most matches."""
    counts = files["status"].value_counts()
    statuses = ", ".join(f"{counts[status]} {status}" for status in STATUSES if status in counts)
    lines = [f"{len(files)} files: {statuses or 'none'}", f"{len(players)} players"]
    for row in players.head(5).to_dict("records"):
        if math.isfinite(row["rating"]):
            interval = f" [{row['ci_low']:.0f}, {row['ci_high']:.0f}]" if math.isfinite(row["ci_low"]) else ""
            lines.append(f"  {row['player']}: {row['rating']:.0f}{interval} from {row['rated_matches']} matches")
    return "\n".join([*lines, ""])


def match_columns(matches: pd.DataFrame) -> pd.DataFrame:
    """Order the columns: those of the contract first, the engine's further figures after them."""
    rest = [column for column in matches.columns if column not in {*MATCH_COLUMNS, "reason", "moves_of_both"}]
    return matches[[*MATCH_COLUMNS, *rest]]


def write_table(
    table: pd.DataFrame, path: Path, *, digits: int = 9, whole: Collection[str] = _WHOLE, **facts: Any
) -> None:
    """Write a table as CSV, harmless in a spreadsheet, and its provenance: the facts given and the number of rows.

    `digits` are the significant ones of numbers that are not whole, `whole` the columns of whole ones.
    """
    safe = table.copy()
    for column in safe.columns:
        if column in whole:
            safe[column] = safe[column].astype("Int64")
        elif column in {"complete", "won"} and not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].map(lambda yes: "" if pd.isna(yes) else "true" if yes else "false")
        elif not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].map(lambda text: cell(text) if isinstance(text, str) else text)
    replace(path, safe.to_csv(index=False, float_format=f"%.{digits}g", lineterminator="\n"))
    write_provenance(path, **facts, rows=len(table))
