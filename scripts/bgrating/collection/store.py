"""The store of analyses: one SQLite file in the user's cache folder, so that nothing is analysed twice.

An analysis is found by what the engine was given (`key`, of readings.py: names of players are no part of it) and by
who judged it (`judge`: the engine's build, the match-equity table and every command of the level). What was read of a
file is found by its bytes. Both hold the version of the code that made them (`version()`): a reading of another version
is made anew; of an analysis only the digest, from the engine's own answer, without a second analysis.

Every write is a transaction of its own: a kill loses nothing that was finished, and two commands may write at a time.
"""

import hashlib
import json
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_cache_path

from bgrating import BgratingError
from bgrating.settings import SettingsError

Json = dict[str, Any]

VARIABLE = "BGRATING_STORE"
"""The environment variable that names the store's file; `off` or nothing: there is none."""
LIMIT = 2 * 2**30
"""Bytes that a store takes at most unless it is told otherwise; what was not used for longest goes first."""

_APPLICATION, _FORMAT = 0x62677261, 1
_WAIT = 20.0
"""Seconds to wait for another command that writes."""
_CODE = Path(__file__).resolve().parents[1]
_VERSIONED = (
    "matchtext/*.py", "decisions/rows.py", "decisions/position.py", "tables/csv_safety.py",
    *(f"collection/{name}.py" for name in ("readings", "xg", "xg_file", "import_check", "digest")),
    *(f"engine/{name}.py" for name in ("worker", "sgf", "statistics", "cube_decisions", "error_sizes")),
)  # fmt: skip
_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE judges (id INTEGER PRIMARY KEY, name TEXT UNIQUE, facts TEXT);
CREATE TABLE readings (key BLOB PRIMARY KEY, used INTEGER, value BLOB, checksum INTEGER);
CREATE TABLE analyses (
    judge INTEGER, key BLOB, used INTEGER, version BLOB, value BLOB, decisions BLOB, sgf BLOB, checksum INTEGER,
    PRIMARY KEY (judge, key)
);
CREATE INDEX oldest ON analyses (used);
"""


class StoreError(BgratingError):
    """The store cannot be used; the message says why, and what was done with it."""


class Analysis(NamedTuple):
    """What is kept of an analysed match: `value` (worker.py: all but these), decisions as Arrow, compressed SGF."""

    value: Json
    decisions: bytes
    sgf: bytes


@cache
def version() -> str:
    """Return a hash of the code that reads files and digests analyses."""
    key = hashlib.sha256()
    for pattern in _VERSIONED:
        for path in sorted(_CODE.glob(pattern)):
            key.update(path.read_bytes())
    return key.hexdigest()


def default_path() -> Path | None:
    """Return where the user's store is: as BGRATING_STORE says, else in the cache folder; None where there is none."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return None if named in {"", "off"} else Path(named)
    return user_cache_path("bgrating") / "analyses.sqlite"


@dataclass(frozen=True)
class Size:
    """How large a store is: bytes, its limit, and how many analyses and readings it holds."""

    taken: int
    limit: int
    analyses: int
    readings: int


class Store:
    """An open store. Its methods raise StoreError where the file fails them."""

    def __init__(self, path: Path, *, limit: int = LIMIT) -> None:
        self.path = path
        self._used: dict[str, list[tuple[int, bytes]]] = {"analyses": [], "readings": []}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists() or path.stat().st_size == 0
            self._base = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
        except (OSError, sqlite3.Error) as problem:
            raise StoreError(f"{path} cannot be opened ({problem})") from problem
        try:
            self._set_up(limit, is_new=is_new)
        except sqlite3.Error as problem:
            self._base.close()
            raise _said(path, problem) from problem
        except StoreError:
            self._base.close()
            raise

    def _set_up(self, limit: int, *, is_new: bool) -> None:
        application, number = (self._base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if not is_new and application != _APPLICATION and self._base.execute("SELECT 1 FROM sqlite_schema").fetchone():
            raise StoreError(f"{self.path} is a database of another program; it is left as it is")
        if number > _FORMAT:
            raise StoreError(f"{self.path} was made by a newer version of bgrating; it is left as it is")
        # A writer and readers do not wait for each other in this mode; where a file system lacks it, they do.
        self._base.execute("PRAGMA auto_vacuum = INCREMENTAL")
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.execute("BEGIN IMMEDIATE")
        if not self._base.execute("SELECT 1 FROM sqlite_schema WHERE name = 'analyses'").fetchone():
            for statement in _TABLES.split(";"):
                self._base.execute(statement)
            self._base.execute("INSERT INTO settings VALUES ('limit', ?)", (str(limit),))
            self._base.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._base.execute(f"PRAGMA user_version = {_FORMAT}")
        self._base.execute("COMMIT")
        self._judges: dict[str, int] = {}

    def reading(self, key: bytes) -> Json | None:
        """Return what was read of the bytes with this key; None where they are not known."""
        found = self._one("SELECT value, checksum, rowid FROM readings WHERE key = ?", (key + _tag(),))
        if found is None or zlib.crc32(found[0]) != found[1]:
            return None
        self._used["readings"].append((0, key + _tag()))
        reading: Json = json.loads(zlib.decompress(found[0]))
        return reading

    def put_reading(self, key: bytes, reading: Mapping[str, Any]) -> None:
        """Keep what was read."""
        value = zlib.compress(json.dumps(reading).encode(), 1)
        self._write("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", (key + _tag(), _now(), value, zlib.crc32(value)))

    def judge(self, name: str) -> Json | None:
        """Return the facts of a judge; None where nothing of his is kept."""
        found = self._one("SELECT id, facts FROM judges WHERE name = ?", (name,))
        if found is None:
            return None
        self._judges[name] = found[0]
        facts: Json = json.loads(found[1])
        return facts
