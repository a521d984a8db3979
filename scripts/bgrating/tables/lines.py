"""Format the cells of CSV tables, and write tables from plain rows without the slow import of
pandas.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from bgmatch.records import Json
from bgrating.tables.csv_safety import cell, quoted
from bgrating.tables.dictionary import ordered
from bgrating.tables.provenance import write_atomic, write_provenance

DIGITS = 10
"""Significant digits of written figures, which are equal on every machine: fits repeat to about 13
digits."""
FLOATS = f"%.{DIGITS}g"


def write_plain(rows: Sequence[Json], path: Path, kind: str, /, **metadata: Any) -> None:
    """Write rows, which all have the same keys, as `tables.write_table` writes a frame."""
    names = ordered(kind, rows[0])
    cells = itemgetter(*names)
    write_atomic(path, csv([names, *(map(cell_text, cells(row)) for row in rows)]))
    write_provenance(path, **metadata, rows=len(rows))


def csv(lines: Iterable[Iterable[str]]) -> str:
    return "".join(",".join(line) + "\n" for line in lines)


def cell_text(value: Any) -> str:
    """Return the cell of a plain value; empty for None and NaN."""
    if isinstance(value, str):
        return _quoted_text(value)
    if isinstance(value, float):
        # NaN alone differs from itself.
        return "" if value != value else FLOATS % value  # noqa: PLR0124
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@lru_cache(maxsize=10_000)  # names of players and files recur
def _quoted_text(text: str) -> str:
    return quoted(cell(text))
