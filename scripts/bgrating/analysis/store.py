"""The store of analyses: one SQLite file in the user's cache folder, so that nothing is analysed twice.

An analysis is found by two keys. `key` (readings.py) is what the engine was given, without names of players. `judge` is
the engine's build, the match-equity table and every command of the level. What was read of a file is found by its
bytes. Both know the version of the code that made them: a file read by another version is read anew. Of an analysis
only the digest is made anew, from the engine's own answer, without a second analysis.

Every row has a checksum over its keys and all that it says. A row that differs from it counts as absent.

Every write is a transaction of its own: a kill loses nothing that was finished, and several commands may write at once.
"""

import hashlib
import json
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_path

from bgrating import BgratingError
from bgrating.tables.folder import set_aside

Json = dict[str, Any]
T = TypeVar("T")

VARIABLE = "BGRATING_STORE"
"""The environment variable that names the store's file; `off` or nothing: there is none."""
LIMIT = 2 * 10**9
"""Bytes that a store takes unless it is told otherwise; what was not used for longest goes first."""
WAIT = 10.0
"""Seconds to wait for another command that writes."""

_APPLICATION, _FORMAT = 0x62677261, 2
_DAY = 86_400
_AT_ONCE = 100
_TABLES = (
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER)",
    "CREATE TABLE readings (key TEXT PRIMARY KEY, used INTEGER, value BLOB, checksum BLOB)",
    "CREATE TABLE analyses (key TEXT, judge TEXT, used INTEGER, version TEXT, value BLOB, decisions BLOB, sgf BLOB, "
    "checksum BLOB, PRIMARY KEY (key, judge))",
    "CREATE INDEX analyses_used ON analyses (used)",
    "CREATE INDEX readings_used ON readings (used)",
)


class StoreError(BgratingError):
    """A store cannot be used; the message says why, and what became of it."""


@dataclass(frozen=True)
class Size:
    """How large a store is: bytes, the most that it may take, analysed matches and files read."""

    taken: int
    limit: int
    analyses: int
    readings: int


@dataclass(frozen=True)
class Entry:
    """An analysis: the version of the code that digested it, what worker.py said, decisions (Arrow), the SGF (zlib)."""

    version: str
    value: Json
    decisions: bytes
    sgf: bytes


def default_path() -> Path | None:
    """Return where the user's store is, by BGRATING_STORE or in the cache folder; None where there is to be none."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return user_cache_path("bgrating") / "analyses.sqlite"
    return None if named in {"", "off"} else Path(named)


class Store:
    """An open store; whatever it is asked may raise StoreError.

    `limit` is that of a new one. A `frozen` one is a file that nobody writes, wherever it lies: it is only read. A
    `private` one is of this process alone and goes with it: it needs neither locks nor to survive a crash. `damaged`
    has the keys of rows that were found changed.
    """

    def __init__(self, path: Path, *, limit: int = LIMIT, frozen: bool = False, private: bool = False) -> None:
        self.path, self._frozen, self._private = path, frozen, private
        self._used: list[tuple[str, str, int]] = []
        self.damaged: set[str] = set()
        if os.path.lexists(path) and not path.is_file():
            raise StoreError(f"{path} is no file: it is left as it is")
        try:
            if not frozen:
                path.parent.mkdir(parents=True, exist_ok=True)
            # Python's own transactions are off: each statement is one, or what stands between BEGIN and COMMIT.
            file = f"{path.resolve().as_uri()}{'?immutable=1' * frozen}{'?nolock=1' * private}"
            self._base = sqlite3.connect(file, timeout=WAIT, isolation_level=None, uri=True)
        except (OSError, sqlite3.Error) as problem:
            raise StoreError(f"{path} cannot be opened ({problem})") from problem
        self._base.text_factory = bytes  # another program may have written what is no text
        try:
            self._set_up(limit)
        except StoreError:
            self._base.close()
            raise

    def _set_up(self, limit: int) -> None:
        application, format_ = (self._number(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        is_empty = not self._number("SELECT count(*) FROM sqlite_schema")
        if application not in {0, _APPLICATION} or (not application and not is_empty):
            raise StoreError(f"{self.path} is a database of another program: it is left as it is")
        if format_ > _FORMAT:
            raise StoreError(f"{self.path} was made by a newer version of this program: it is left as it is")
        if not is_empty:
            self._require_tables(format_)
        if self._frozen:
            return
        self._do("PRAGMA auto_vacuum = INCREMENTAL")
        # Readers and a writer need not wait for each other so; a file system that cannot keeps to the usual mode.
        self._do(f"PRAGMA journal_mode = {'MEMORY' if self._private else 'WAL'}")
        self._do(f"PRAGMA synchronous = {'OFF' if self._private else 'NORMAL'}")
        self._do("BEGIN IMMEDIATE")
        if not self._number("SELECT count(*) FROM sqlite_schema"):
            for statement in _TABLES:
                self._do(statement)
            self._do("INSERT INTO settings VALUES ('limit', ?)", limit)
            self._do(f"PRAGMA application_id = {_APPLICATION}")
            self._do(f"PRAGMA user_version = {_FORMAT}")
        self._do("COMMIT")

    def _require_tables(self, format_: int) -> None:
        if format_ < _FORMAT:
            raise self._moved("was made by an older version of this program")
        held = {row[0] for row in self._do("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
        if held != {statement.encode() for statement in _TABLES}:
            raise self._moved("is damaged (its tables are not those of this program)")

    def reading(self, key: str) -> Json | None:
        """Return what was read of a file; None where it is not known."""
        for used, value, checksum in self._do("SELECT used, value, checksum FROM readings WHERE key = ?", key):
            if self._is_whole("readings", key, used, checksum, key, value):
                found: Json = json.loads(zlib.decompress(value))
                return found
        return None

    def put_reading(self, key: str, reading: Mapping[str, Any]) -> None:
        value = zlib.compress(json.dumps(reading).encode(), 1)
        self._do("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", key, _today(), value, _checksum(key, value))

    def entry(self, key: str, judge: str) -> Entry | None:
        """Return an analysis; None where it is not here."""
        for used, version, value, decisions, sgf, checksum in self._do(
            "SELECT used, version, value, decisions, sgf, checksum FROM analyses WHERE key = ? AND judge = ?",
            key, judge,
        ):  # fmt: skip
            if self._is_whole("analyses", key, used, checksum, key, judge, version, value, decisions, sgf):
                return Entry(version.decode(), json.loads(zlib.decompress(value)), decisions, sgf)
        return None

    def put(self, key: str, judge: str, entry: Entry) -> None:
        value = zlib.compress(json.dumps(entry.value).encode(), 1)
        texts = entry.version, value, entry.decisions, entry.sgf
        self._do(
            "INSERT OR REPLACE INTO analyses VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            key, judge, _today(), *texts, _checksum(key, judge, *texts),
        )  # fmt: skip

    def forget(self, key: str, judge: str) -> None:
        self._do("DELETE FROM analyses WHERE key = ? AND judge = ?", key, judge)

    def absorb(self, other: Path) -> None:
        self._do("ATTACH ? AS other", str(other))
        self._do("BEGIN IMMEDIATE")
        for table in ("readings", "analyses"):
            self._do(f"INSERT OR REPLACE INTO {table} SELECT * FROM other.{table}")
        self._do("COMMIT")
        self._do("DETACH other")

    def detach(self) -> None:
        self._do("PRAGMA journal_mode = DELETE")

    def size(self) -> Size:
        analyses, readings = (
            self._number(f"SELECT count(DISTINCT key) FROM {table}") for table in ("analyses", "readings")
        )
        return Size(self._taken(), self._limit(), analyses, readings)

    def bound(self, limit: int) -> None:
        self._do("INSERT OR REPLACE INTO settings VALUES ('limit', ?)", limit)
        self._shrink(limit)

    def clear(self) -> None:
        self._used.clear()
        for table in ("analyses", "readings"):
            self._do(f"DELETE FROM {table}")
        self._do("VACUUM")

    def close(self) -> None:
        """Note what was used, forget what is beyond the limit, close the file."""
        try:
            if self._frozen:
                return
            self._do("BEGIN IMMEDIATE")
            for table, key, day in self._used:
                self._do(f"UPDATE {table} SET used = ? WHERE key = ?", day, key)
            self._do("COMMIT")
            self._shrink(self._limit())
        finally:
            self._base.close()

    def _limit(self) -> int:
        rows = self._do("SELECT value FROM settings WHERE name = 'limit' AND typeof(value) = 'integer' AND value > 0")
        return int(rows[0][0]) if rows else LIMIT

    def _shrink(self, limit: int) -> None:
        if self._taken() <= limit:
            return
        while self._taken() > 0.9 * limit and self._number("SELECT count(*) FROM analyses"):
            for table in ("analyses", "readings"):
                self._do(
                    f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} ORDER BY used LIMIT {_AT_ONCE})"
                )
        self._do("PRAGMA incremental_vacuum")
        self._do("PRAGMA wal_checkpoint(TRUNCATE)")

    def _taken(self) -> int:
        pages = self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count")
        return pages * self._number("PRAGMA page_size")

    def _is_whole(self, table: str, key: str, used: Any, checksum: Any, *parts: Any) -> bool:
        if not all(isinstance(part, str | bytes) for part in parts) or _checksum(*parts) != checksum:
            self.damaged.add(key)
            return False
        if used != (today := _today()):
            self._used.append((table, key, today))
        return True

    def _number(self, statement: str) -> int:
        return int(self._do(statement)[0][0])

    def _do(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._base.execute(statement, values).fetchall()
        except sqlite3.Error as problem:
            raise self._said(problem) from problem

    def _said(self, problem: sqlite3.Error) -> StoreError:
        """Return what to say of an error; a damaged file is moved aside."""
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF  # without what SQLite adds to tell cases apart
        if code == sqlite3.SQLITE_BUSY:
            return StoreError(f"{self.path} is locked: another command writes to it, or its disk knows no locks")
        if code not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return StoreError(f"{self.path} cannot be used ({problem})")
        return self._moved(f"is damaged ({problem})")

    def _moved(self, why: str) -> StoreError:
        """Move the file aside, and return what to say of that."""
        self._base.close()
        if self._frozen:
            return StoreError(f"{self.path} {why}")
        try:
            aside = set_aside(self.path, "damaged")
            for end in ("-wal", "-shm"):
                if (part := Path(f"{self.path}{end}")).exists():
                    part.rename(f"{aside}{end}")
        except OSError as stays:
            return StoreError(f"{self.path} {why} and cannot be moved aside ({stays.strerror})")
        return StoreError(f"{self.path} {why}: it was moved to {aside.name}, the next run makes another")


def _checksum(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _today() -> int:
    return int(time.time()) // _DAY


class Kept:
    """What a run keeps: in the user's store, or in a temporary one if there is none or it is full.

    `say` is told, in a sentence, what is wrong with a store; the run goes on without it. `known` are further stores
    that are only read.
    """

    def __init__(self, path: Path | None, say: Callable[[str], None], known: Sequence[Store] = ()) -> None:
        self._say, self._known = say, known
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._spare: Store | None = None
        self._own: Store | None = None
        self._is_full = path is None
        try:
            self._own = Store(path) if path else None
        except StoreError as problem:
            self._say(f"{problem}; nothing of this run is kept for the next")

    def reading(self, key: str) -> Json | None:
        return self._first(lambda store: store.reading(key))

    def put_reading(self, key: str, reading: Mapping[str, Any]) -> None:
        self._try(lambda store: store.put_reading(key, reading))

    def entry(self, key: str, judge: str, version: str = "") -> Entry | None:
        """Return an analysis, of this version or of any; None where there is none."""

        def asked(store: Store) -> Entry | None:
            found = store.entry(key, judge)
            return found if found and version in {"", found.version} else None

        return self._first(asked)

    def put(self, key: str, judge: str, entry: Entry) -> None:
        """Keep an analysis. Raises StoreError where there is no room for it anywhere."""
        if self._try(lambda store: store.put(key, judge, entry)):
            return
        if self._spare is None:
            self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
            self._spare = Store(Path(self._folder.name, "analyses.sqlite"), private=True)
        self._spare.put(key, judge, replace(entry, sgf=b""))  # the engine's words are for later runs

    def forget(self, key: str, judge: str) -> None:
        for store in filter(None, (self._spare, self._own)):
            with suppress(StoreError):
                store.forget(key, judge)

    def here(self, key: str, judge: str, version: str) -> Entry:
        """Return an analysis that was here. Raises StoreError where it is gone."""
        if (found := self.entry(key, judge, version)) is None:
            raise StoreError("the store of analyses was changed while this run used it: run the same command again")
        return found

    def close(self) -> None:
        if self._own and (count := len(self._own.damaged)):
            self._say(f"{self._own.path}: {count:,} entries were not as they were written, and were made anew")
        for store in (self._own, self._spare):
            if store:
                with suppress(StoreError):
                    store.close()
        if self._folder:
            self._folder.cleanup()

    def _first(self, ask: Callable[[Store], T | None]) -> T | None:
        for store in filter(None, (self._spare, self._own, *self._known)):
            try:
                if found := ask(store):
                    return found
            except StoreError as problem:
                if store is not self._own:
                    raise
                self._own = None
                self._say(str(problem))
        return None

    def _try(self, put: Callable[[Store], None]) -> bool:
        """Tell whether the user's own store took something."""
        if not self._own or self._is_full:
            return False
        try:
            put(self._own)
        except StoreError as problem:
            self._is_full = True
            self._say(f"{problem}; what this run still analyses is not kept for the next")
            return False
        return True
