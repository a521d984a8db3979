"""Write tables as one SQLite database, for other programs and notebooks."""

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
    tables: Mapping[str, pd.DataFrame],
    indexes: Mapping[str, Sequence[str]],
    path: Path,
    /,
    **metadata: Any,
) -> None:
    """Write tables into a database, missing values as NULL, and its provenance. Raises OSError.

    `indexes` has the columns of each index by table, separated by commas. Equal rows give equal
    bytes.
    """
    with atomic_path(path) as new:
        # No other process opens the temporary file, and a network disk may lack locks.
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
    write_provenance(path, **metadata)
