"""A database of tables: types of columns, absent values, indexes, by hand."""

import math
import sqlite3
from pathlib import Path

import pandas as pd

from bgrating.tables.provenance import read_provenance
from bgrating.tables.sqlite import write_sqlite

COLUMNS = {
    "whole": ([1, 2], "INTEGER", [1, 2]),
    "yes": ([True, False], "INTEGER", [1, 0]),
    "rate": ([0.5, math.nan], "REAL", [0.5, None]),
    "name": (["ann", None], "TEXT", ["ann", None]),
    "nothing": ([None, None], "TEXT", [None, None]),
}


def test_every_column_has_its_type_and_its_values(tmp_path: Path) -> None:
    table = pd.DataFrame({name: column for name, (column, _, _) in COLUMNS.items()})
    path = tmp_path / "results.sqlite"
    write_sqlite({"rows": table}, {"rows": ("name, rate", "whole")}, path, study="any")
    base = sqlite3.connect(path)
    kinds = {name: kind for _, name, kind, *_ in base.execute("PRAGMA table_info(rows)")}
    assert kinds == {name: kind for name, (_, kind, _) in COLUMNS.items()}
    for name, (_, _, values) in COLUMNS.items():
        assert [
            value for (value,) in base.execute(f'SELECT "{name}" FROM rows ORDER BY rowid')
        ] == values
    indexes = dict(base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'"))
    assert {name: sql.partition(" ON ")[2] for name, sql in indexes.items()} == {
        "rows_1": "rows (name, rate)",
        "rows_2": "rows (whole)",
    }
    base.close()
    assert read_provenance(path)["study"] == "any"
