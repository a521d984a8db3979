"""Tables as one SQLite database, for other programs and notebooks."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from bgrating.tables.provenance import write_atomic, write_provenance


def write_sqlite(
    tables: Mapping[str, tuple[pa.Schema, Iterable[pa.RecordBatch]]],
    indexes: Mapping[str, Sequence[str]],
    path: Path,
    /,
    **facts: Any,
) -> None:
    """Write tables into a database, absent values as NULL, and its provenance.

    `indexes` are columns by table, several with commas between. The same rows give the same bytes.
    """
    # In memory, so that a full disk is Python's own error and no file is locked.
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as base:
        base.execute("BEGIN")
        for name, (schema, batches) in tables.items():
            columns = ", ".join(f'"{field.name}" {_kind(field.type)}' for field in schema)
            base.execute(f"CREATE TABLE {name} ({columns})")
            for batch in batches:
                values = (_values(column) for column in batch.columns)
                places = ", ".join("?" * batch.num_columns)
                base.executemany(f"INSERT INTO {name} VALUES ({places})", zip(*values, strict=True))
            for number, keys in enumerate(indexes.get(name, ()), 1):
                base.execute(f"CREATE INDEX {name}_{number} ON {name} ({keys})")
        base.execute("COMMIT")
        write_atomic(path, base.serialize())
    write_provenance(path, **facts)


def _kind(form: pa.DataType) -> str:
    if pa.types.is_floating(form):
        return "REAL"
    return "INTEGER" if pa.types.is_integer(form) or pa.types.is_boolean(form) else "TEXT"


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_null(column.type):
        return [None] * len(column)
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or pa.types.is_boolean(column.type)):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values
