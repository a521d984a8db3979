"""Statistics tables as files, each with its provenance."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.digits import FLOATS
from bgrating.provenance import read_provenance, replace, write_provenance


def inherited(matches: Path) -> dict[str, Any]:
    """Give the part of a match table's provenance that holds for whatever is computed from it, and its checksum."""
    facts = read_provenance(matches)
    return {"matches_sha256": facts["sha256"], "matches": facts["rows"]} | {
        key: value for key, value in facts.items() if key not in ("sha256", "rows", "code_version")
    }


def write_table(table: pd.DataFrame, path: Path, **facts: Any) -> None:
    """Write a table as CSV, and its provenance beside it."""
    replace(path, table.to_csv(index=False, float_format=FLOATS, lineterminator="\n"))
    write_provenance(path, rows=len(table), **facts)


def read_tables(paths: Iterable[Path]) -> dict[str, pd.DataFrame]:
    """Read tables by name; a table without columns, which waits for matches, is an empty frame."""
    return {path.stem: pd.read_csv(path) if path.read_text().strip() else pd.DataFrame() for path in paths}
