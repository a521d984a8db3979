"""Tables as one SQLite database, for other programs and notebooks."""

import errno
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from bgrating.tables.provenance import atomic_path, write_provenance


def write_sqlite(
    tables: Mapping[str, tuple[pa.Schema, Iterable[pa.RecordBatch]]],
    indexes: Mapping[str, Sequence[str]],
    path: Path,
    /,
    **facts: Any,
) -> None:
    """Write tables into a database, absent values as NULL, and its provenance.

    `indexes` are columns by table, several with commas between. The same rows give the same bytes. Raises OSError.
    """
    with atomic_path(path) as new:
        try:
            _fill(new, tables, indexes)
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from problem
            raise
    write_provenance(path, **facts)


def _fill(
    path: Path, tables: Mapping[str, tuple[pa.Schema, Iterable[pa.RecordBatch]]], indexes: Mapping[str, Sequence[str]]
) -> None:
    # Nobody else knows the file yet, and a disk of the network may have no locks.
    address = f"{path.absolute().as_uri()}?nolock=1"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
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
