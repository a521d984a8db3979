"""Tables as one SQLite database, for other programs and notebooks."""

import errno
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.tables.provenance import atomic_path, write_provenance


def write_sqlite(
    tables: Mapping[str, pd.DataFrame], indexes: Mapping[str, Sequence[str]], path: Path, /, **facts: Any
) -> None:
    """Write tables into a database, absent values as NULL, and its provenance.

    `indexes` are columns by table, several with commas between. The same rows give the same bytes. Raises OSError.
    """
    with atomic_path(path) as new:
        # Nobody else knows the file yet, and a disk of the network may have no locks.
        address = f"{new.absolute().as_uri()}?nolock=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as base, base:
                base.execute("PRAGMA journal_mode = OFF")
                for name, table in tables.items():
                    table.to_sql(name, base, index=False)
                    for number, keys in enumerate(indexes[name], 1):
                        base.execute(f"CREATE INDEX {name}_{number} ON {name} ({keys})")
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from problem
            raise
    write_provenance(path, **facts)
