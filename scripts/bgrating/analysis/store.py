"""Keep analyses in one SQLite file of the user's cache folder, so that nothing is analysed twice.

It is one table of keys and values. The key of an analysis has two fingerprints. One is that of the
engine and its settings: build, match-equity table, every command of the level. The other is that of
the match that the engine analysed, without players' names. The key of a reading is made of the
file's bytes. Every key has the version of all computed results (ANALYSIS), so no entry of another
version is found.

Every row has a checksum of its key and value. A row with another checksum counts as absent.

Every write is its own transaction: a kill loses nothing that was finished, and several commands may
write at once.
"""

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from bgmatch.records import Json, Record
from bgrating import BgratingError
from bgrating.analysis import ANALYSIS
from bgrating.tables.folder import set_aside

VARIABLE = "BGRATING_STORE"
"""The environment variable that names the store's file; `off` or empty: there is none."""
LIMIT = 2 * 10**9
"""Bytes that a store may take by default; the entries that were unused for longest go first."""
WAIT = 10.0
"""Seconds to wait for another command that writes."""

_APPLICATION = 0x62677261
_FORMAT = 4
_HEADER = 72  # bytes of a SQLite file to the end of its application ID
_DAY = 86_400
_AT_ONCE = 100
_TABLE = "CREATE TABLE entries (key TEXT PRIMARY KEY, used INTEGER, value BLOB, checksum BLOB)"
_INDEX = "CREATE INDEX entries_used ON entries (used)"
_LIMIT_KEY = "limit"
_ANALYSIS = "analysis"
_READING = "reading"


class StoreError(BgratingError):
    """A store cannot be used; the message says why, and where a damaged file was moved."""


@dataclass(frozen=True)
class Size:
    """Size of a store: bytes, their limit, analyses of matches and readings of files."""

    taken: int
    limit: int
    analyses: int
    readings: int


@dataclass(frozen=True)
class Entry:
    """An analysis: the figures of the engine's answer (analyst.py), and the decisions (Arrow)."""

    value: Json
    decisions: bytes = b""


def default_path() -> Path | None:
    """Return the path of the user's store, by BGRATING_STORE or in the cache folder, or None."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return _path_in_cache()
    return None if named in {"", "off"} else Path(named)


def _path_in_cache() -> Path:
    # The stores of former formats keep their names: older versions of the program may still use
    # them.
    return user_cache_path("bgrating") / f"analyses-{_FORMAT}.sqlite"


class Store:
    """An open store of bytes by key; every method may raise StoreError.

    `damaged` has the keys of rows with a wrong checksum. `fault` is not empty if the file is
    damaged: it is still read where it can be, and `close` moves it aside.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._used: dict[str, int] = {}
        self.damaged: set[str] = set()
        self.fault = ""
        if os.path.lexists(path) and not path.is_file():
            raise StoreError(f"{path} is no file: it is left as it is")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Python's own transactions are off: each statement is one, or the statements from BEGIN
            # to COMMIT.
            self._base = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
            self._inode = path.stat().st_ino
        except (OSError, sqlite3.Error) as problem:
            raise StoreError(f"{path} cannot be opened ({problem})") from problem
        self._base.text_factory = bytes  # another program may have written bytes that are no text
        try:
            self._set_up()
        except StoreError:
            self._end()
            raise

    def _set_up(self) -> None:
        # In this order: another command that makes the file gives it both at once.
        statements = self._tables()
        application = self._number("PRAGMA application_id")
        if application != _APPLICATION and (application or statements):
            raise StoreError(f"{self.path} is a database of another program: it is left as it is")
        format_ = self._number("PRAGMA user_version")
        if statements and format_ != _FORMAT:
            age = "a newer" if format_ > _FORMAT else "an older"
            raise StoreError(
                f"{self.path} was made by {age} version of this program: it is left as it is;"
                f" {VARIABLE} may name another file"
            )
        if statements and statements != {_TABLE, _INDEX}:
            self.fault = "its tables are not those of this program"
            raise StoreError(f"{self.path} is damaged ({self.fault})")
        self._do("PRAGMA auto_vacuum = INCREMENTAL")
        # So readers and a writer do not wait for each other; a file system that cannot do it keeps
        # the usual mode.
        self._do("PRAGMA journal_mode = WAL")
        self._do("PRAGMA synchronous = NORMAL")
        self._do("BEGIN IMMEDIATE")
        if not self._tables():
            self._do(_TABLE)
            self._do(_INDEX)
            self.put(_LIMIT_KEY, str(LIMIT).encode())
            self._do(f"PRAGMA application_id = {_APPLICATION}")
            self._do(f"PRAGMA user_version = {_FORMAT}")
        self._do("COMMIT")

    def _tables(self) -> set[str]:
        """Return the statements that made the tables and indexes; none in a new file."""
        rows = self._do("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        return {bytes(sql).decode(errors="replace") for (sql,) in rows}

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if it was changed."""
        rows = self._do("SELECT used, value, checksum FROM entries WHERE key = ?", key)
        if not rows:
            return None
        used, value, checksum = rows[0]
        if not isinstance(value, bytes) or _checksum(key, value) != checksum:
            self.damaged.add(key)
            return None
        if used != _today():
            self._used[key] = _today()
        return value

    def put(self, key: str, value: bytes) -> None:
        self._do(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)",
            key,
            _today(),
            value,
            _checksum(key, value),
        )

    def size(self) -> Size:
        analyses, readings = (
            self._number("SELECT count(*) FROM entries WHERE key GLOB ?", f"{kind} *")
            for kind in (_ANALYSIS, _READING)
        )
        return Size(self._taken(), self._limit(), analyses, readings)

    def bound(self, limit: int) -> None:
        self.put(_LIMIT_KEY, str(limit).encode())
        self._shrink(limit)

    def clear(self) -> None:
        self._used.clear()
        self._do("DELETE FROM entries WHERE key != ?", _LIMIT_KEY)
        self._do("VACUUM")

    def close(self) -> None:
        """Note the use of entries, delete the oldest ones beyond the limit, close the file.

        Raises StoreError with the new name of a damaged file.
        """
        try:
            if self.fault:
                return
            self._do("BEGIN IMMEDIATE")
            for key, day in self._used.items():
                self._do("UPDATE entries SET used = ? WHERE key = ?", day, key)
            self._do("COMMIT")
            self._shrink(self._limit())
        finally:
            self._end()

    def _limit(self) -> int:
        return int(self.get(_LIMIT_KEY) or LIMIT)

    def _shrink(self, limit: int) -> None:
        if self._taken() <= limit:
            return
        oldest = f"SELECT rowid FROM entries WHERE key != ? ORDER BY used LIMIT {_AT_ONCE}"
        while self._taken() > 0.9 * limit and self._number("SELECT count(*) FROM entries") > 1:
            self._do(f"DELETE FROM entries WHERE rowid IN ({oldest})", _LIMIT_KEY)
        self._do("PRAGMA incremental_vacuum")
        self._do("PRAGMA wal_checkpoint(TRUNCATE)")

    def _taken(self) -> int:
        pages = self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count")
        return pages * self._number("PRAGMA page_size")

    def _number(self, statement: str, *values: Any) -> int:
        return int(self._do(statement, *values)[0][0])

    def _do(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._base.execute(statement, values).fetchall()
        except sqlite3.Error as problem:
            raise self._error(problem) from problem

    def _error(self, problem: sqlite3.Error) -> StoreError:
        # The primary code, without the extension.
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            return StoreError(
                f"{self.path} is locked: another command writes to it, or its disk knows no locks"
            )
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            self.fault = str(problem)
            return StoreError(f"{self.path} is damaged ({problem})")
        return StoreError(f"{self.path} cannot be used ({problem})")

    def _end(self) -> None:
        """Close the file; move it aside if it is damaged. Raises StoreError with its new name."""
        self._base.close()
        if not self.fault:
            return
        why = f"{self.path} is damaged ({self.fault})"
        try:
            with self.path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                header = file.read(_HEADER)
            if inode != self._inode:
                raise StoreError(f"{why}: another command moved it aside and made a new one")
            is_ours = header.endswith(_APPLICATION.to_bytes(4, "big"))
            if not is_ours and self.path != _path_in_cache():
                raise StoreError(
                    f"{why} or of another program: it is left as it is; {VARIABLE} may name another"
                    " file"
                )
            aside = set_aside(self.path, "damaged")
            for end in ("-wal", "-shm"):
                companion = Path(f"{self.path}{end}")
                if companion.exists():
                    companion.rename(f"{aside}{end}")
        except OSError as failure:
            raise StoreError(f"{why} and cannot be moved aside ({failure.strerror})") from failure
        raise StoreError(f"{why}: it was moved to {aside.name}, the next run makes another")


def _checksum(key: str, value: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + value).digest()


def _today() -> int:
    return int(time.time()) // _DAY


class AnalysisStore:
    """The readings and analyses of a run, in the user's store.

    Without a store, or if it is full, they are in memory. `say` receives a notice if the store
    cannot be used; the run goes on without it.
    """

    def __init__(self, path: Path | None, say: Callable[[str], None]) -> None:
        self._say = say
        self._in_memory: dict[str, bytes] = {}
        self._user_store: Store | None = None
        self._is_full = path is None
        try:
            self._user_store = Store(path) if path else None
        except StoreError as problem:
            self._say(f"{problem}; nothing of this run is kept for the next")

    def reading(self, key: str) -> Json | None:
        """Return the reading of a file; None if there is none."""
        value = self._get(f"{_READING} {ANALYSIS} {key}")
        return _unpacked(value) if value else None

    def put_reading(self, key: str, reading: Record) -> None:
        self._put(f"{_READING} {ANALYSIS} {key}", _packed(reading))

    def entry(self, key: str, analysis_id: str) -> Entry | None:
        """Return the analysis of a match by an engine and its settings; None if there is none."""
        value = self._get(_analysis(key, analysis_id))
        if value is None:
            return None
        end = 8 + int.from_bytes(value[:8], "little")
        return Entry(_unpacked(value[8:end]), value[end:])

    def put(self, key: str, analysis_id: str, entry: Entry) -> None:
        value = _packed(entry.value)
        size = len(value).to_bytes(8, "little")
        self._put(_analysis(key, analysis_id), size + value + entry.decisions)

    def here(self, key: str, analysis_id: str) -> Entry:
        """Return a stored analysis; raise StoreError if another process deleted it."""
        entry = self.entry(key, analysis_id)
        if entry is None:
            raise StoreError(
                "the store of analyses was changed while this run used it: run the same command"
                " again"
            )
        return entry

    def close(self) -> None:
        store = self._user_store
        if not store:
            return
        if store.damaged:
            self._say(
                f"{store.path}: {len(store.damaged):,} entries were not as they were written, and"
                " were made anew"
            )
        try:
            store.close()
        except StoreError as problem:
            if store.fault:
                self._say(str(problem))

    def _get(self, key: str) -> bytes | None:
        if key in self._in_memory or not self._user_store:
            return self._in_memory.get(key)
        try:
            return self._user_store.get(key)
        except StoreError as problem:
            if not self._is_full:
                self._stop_keeping(problem)
            return None

    def _put(self, key: str, value: bytes) -> None:
        """Put a value into the user's store, or into memory if the store is full."""
        if self._user_store and not self._is_full:
            try:
                self._user_store.put(key, value)
            except StoreError as problem:
                self._stop_keeping(problem)
            else:
                return
        self._in_memory[key] = value

    def _stop_keeping(self, problem: StoreError) -> None:
        self._is_full = True
        self._say(f"{problem}; what this run still analyses is not kept for the next")


def _analysis(key: str, analysis_id: str) -> str:
    return f"{_ANALYSIS} {ANALYSIS} {analysis_id} {key}"


def _packed(value: Record) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 1)


def _unpacked(data: bytes) -> Json:
    value: Json = json.loads(zlib.decompress(data))
    return value
