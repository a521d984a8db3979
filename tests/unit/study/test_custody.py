"""Custody names the same file in every run."""

from pathlib import Path

import pytest

from bgrating.tables.provenance import write_provenance
from study.custody import CustodyError, made_of, origin


def test_of_many_changed_sources_the_same_one_is_named_in_every_run(tmp_path: Path) -> None:
    """Python orders the paths in a set by its seed of the day."""
    sources = [tmp_path / f"source{number:03}" for number in range(300)]
    table = tmp_path / "table"
    for path in (*sources, table):
        path.write_text("now")
    write_provenance(table, rows=1, **made_of(table, dict.fromkeys(sources, "0" * 64)))
    with pytest.raises(CustodyError, match=r"was not made of .*source000 as that is now"):
        origin(tmp_path / "page", table, [table, *sources])
