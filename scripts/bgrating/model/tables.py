"""Statistics tables as files, each with its provenance."""

from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import read_provenance, replace, write_provenance


def inherited(matches: Path) -> dict[str, Any]:
    """Give the part of a match table's provenance that holds for whatever is computed from it, and its checksum."""
    facts = read_provenance(matches)
    return {"matches_sha256": facts["sha256"], "matches": facts["rows"]} | {
        key: value for key, value in facts.items() if key not in ("sha256", "rows", "code_version")
    }


def write_table(table: pd.DataFrame, path: Path, **facts: Any) -> None:
    """Write a table as CSV with ten significant digits, and its provenance beside it."""
    replace(path, table.to_csv(index=False, float_format="%.10g", lineterminator="\n"))
    write_provenance(path, rows=len(table), **facts)
