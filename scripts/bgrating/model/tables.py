"""Match tables in, statistics tables out, both with their provenance."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import provenance_path, read_provenance, replace, sha256, write_provenance

# What must be the same in all tables that are pooled.
SAME = ("engine", "match_equity_table", "noise_mode", "analysis")


class TableError(ValueError):
    """A table is not what its provenance says, or does not belong with the others."""


def read_matches(tables: Sequence[Path]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read match tables (Parquet) and pool them; also give the provenance that they share.

    Raises TableError naming the table whose checksum or row count differs from its provenance, that has no
    provenance, or that comes from another engine, match-equity table, noise mode or analysis than the first
    one.
    """
    frames, facts = [], [_checked(table) for table in tables]
    for table, own in zip(tables, facts, strict=True):
        for key in SAME:
            if own.get(key) != facts[0].get(key):
                raise TableError(
                    f"{table} cannot be pooled with {tables[0]}: {key} is {own.get(key)!r} there "
                    f"and {facts[0].get(key)!r} here"
                )
        frames.append(pd.read_parquet(table))
        if "rows" in own and own["rows"] != len(frames[-1]):
            raise TableError(f"{table} has {len(frames[-1])} rows, its provenance says {own['rows']}")
    shared = {key: value for key, value in facts[0].items() if all(own.get(key) == value for own in facts)}
    return pd.concat(frames, ignore_index=True), shared


def _checked(table: Path) -> dict[str, Any]:
    try:
        facts = read_provenance(table)
    except FileNotFoundError:
        raise TableError(f"{table} has no provenance ({provenance_path(table).name}): make it again") from None
    if facts.get("sha256") != sha256(table):
        raise TableError(f"{table} is not the file its provenance describes (sha256 differs): restore or remake it")
    return facts


def inherited(facts: dict[str, Any]) -> dict[str, Any]:
    """Give the part of a match table's provenance that holds for whatever is computed from it."""
    return {key: value for key, value in facts.items() if key not in ("sha256", "rows", "code_version")}


def write_table(table: pd.DataFrame, path: Path, **facts: Any) -> None:
    """Write a table as CSV with ten significant digits, and its provenance beside it."""
    replace(path, table.to_csv(index=False, float_format="%.10g", lineterminator="\n"))
    write_provenance(path, rows=len(table), **facts)
