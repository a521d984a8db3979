"""The store of analyses: one SQLite file in the user's cache folder, so that nothing is analysed twice.

An analysis is found by two keys. `key` (readings.py) is what the engine was given, without names of players. `judge` is
the engine's build, the match-equity table and every command of the level. What was read of a file is found by its
bytes. Both know the version of the code that made them: a file read by another version is read anew. Of an analysis
only the digest is made anew, from the engine's own answer, without a second analysis.

Every write is a transaction of its own: a kill loses nothing that was finished, and several commands may write at once.
"""

import json
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_path

from bgrating import BgratingError

Json = dict[str, Any]
T = TypeVar("T")

VARIABLE = "BGRATING_STORE"
"""The environment variable that names the store's file; `off` or nothing: there is none."""
LIMIT = 2 * 10**9
"""Bytes that a store takes unless it is told otherwise; what was not used for longest goes first."""
WAIT = 10.0
"""Seconds to wait for another command that writes."""

_APPLICATION, _FORMAT = 0x62677261, 1
_DAY = 86_400
_AT_ONCE = 100
_TABLES = (
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER)",
    "CREATE TABLE judges (id INTEGER PRIMARY KEY, name TEXT UNIQUE, facts TEXT, checksum INTEGER)",
    "CREATE TABLE readings (key TEXT PRIMARY KEY, used INTEGER, value BLOB, checksum INTEGER)",
    "CREATE TABLE analyses (key TEXT, judge INTEGER, used INTEGER, version TEXT, value BLOB, decisions BLOB, "
    "checksum INTEGER, sgf BLOB, PRIMARY KEY (key, judge))",
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


def default_path() -> Path | None:
    """Return where the user's store is, by BGRATING_STORE or in the cache folder; None where there is to be none."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return user_cache_path("bgrating") / "analyses.sqlite"
    return None if named in {"", "off"} else Path(named)


class Store:
    """An open store; whatever it is asked may raise StoreError.

    `limit` is that of a new one. A `frozen` one is a file that nobody writes, wherever it lies: it is only read. A
    `private` one is of this process alone and goes with it: it needs neither locks nor to survive a crash.
    """

    def __init__(self, path: Path, *, limit: int = LIMIT, frozen: bool = False, private: bool = False) -> None:
        self.path, self._frozen, self._private = path, frozen, private
        self._used: list[tuple[str, str, int]] = []
        self._ids: dict[str, int] = {}
        try:
            if frozen:
                self._base = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            # Python's own transactions are off: each statement is one, or what stands between BEGIN and COMMIT.
            file = f"{path.resolve().as_uri()}{'?nolock=1' * private}"
            self._base = sqlite3.connect(file, timeout=WAIT, isolation_level=None, uri=True)
        except (OSError, sqlite3.Error) as problem:
            raise StoreError(f"{path} cannot be opened ({problem})") from problem
        try:
            self._set_up(limit)
        except StoreError:
            self._base.close()
            raise

    def _set_up(self, limit: int) -> None:
        application, format_ = (self._number(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        if application not in {0, _APPLICATION} or (
            not application and self._number("SELECT count(*) FROM sqlite_schema")
        ):
            raise StoreError(f"{self.path} is a database of another program: it is left as it is")
        if format_ > _FORMAT:
            raise StoreError(f"{self.path} was made by a newer version of this program: it is left as it is")
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

    def reading(self, key: str) -> Json | None:
        """Return what was read of a file; None where it is not known."""
        row = self._row("SELECT value, checksum, used FROM readings WHERE key = ?", key)
        if row is None or zlib.crc32(row[0]) != row[1]:
            return None
        self._note("readings", key, row[2])
        found: Json = json.loads(zlib.decompress(row[0]))
        return found

    def put_reading(self, key: str, reading: Mapping[str, Any]) -> None:
        value = zlib.compress(json.dumps(reading).encode(), 1)
        self._do("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", key, _today(), value, zlib.crc32(value))

    def facts(self, judge: str) -> Json | None:
        """Return what is known of a judge; None where there is nothing of his."""
        row = self._row("SELECT facts, checksum FROM judges WHERE name = ?", judge)
        return json.loads(row[0]) if row and zlib.crc32(row[0].encode()) == row[1] else None

    def holds(self, key: str, judge: str, version: str) -> bool:
        """Tell whether an analysis is here, whole and digested by this version."""
        row = self._row(
            "SELECT version, value, decisions, checksum, used FROM analyses WHERE key = ? AND judge = ?",
            key, self._id(judge),
        )  # fmt: skip
        if row is None or row[0] != version or zlib.crc32(row[2], zlib.crc32(row[1])) != row[3]:
            return False
        self._note("analyses", key, row[4])
        return True

    def sgf(self, key: str, judge: str) -> bytes | None:
        """Return the engine's own answer, compressed; None where there is none, or it is damaged."""
        row = self._row("SELECT sgf FROM analyses WHERE key = ? AND judge = ?", key, self._id(judge))
        try:
            return row[0] if row and zlib.decompress(row[0]) else None
        except zlib.error:
            return None

    def put(
        self, key: str, judge: str, facts: Json, version: str, value: Mapping[str, Any], decisions: bytes, sgf: bytes
    ) -> None:
        """Keep an analysis: what worker.py says of it, its decisions, the engine's own answer (compressed)."""
        if judge not in self._ids:
            told = json.dumps(facts)
            self._do(
                "INSERT INTO judges (name, facts, checksum) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
                "facts = excluded.facts, checksum = excluded.checksum", judge, told, zlib.crc32(told.encode()),
            )  # fmt: skip
        packed = zlib.compress(json.dumps(value).encode(), 1)
        checksum = zlib.crc32(decisions, zlib.crc32(packed))
        self._do(
            "INSERT OR REPLACE INTO analyses VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            key, self._id(judge), _today(), version, packed, decisions, checksum, sgf,
        )  # fmt: skip

    def value(self, key: str, judge: str) -> Json | None:
        """Return what worker.py said of a content; None where it is not here."""
        row = self._row("SELECT value FROM analyses WHERE key = ? AND judge = ?", key, self._id(judge))
        return json.loads(zlib.decompress(row[0])) if row else None

    def decisions(self, key: str, judge: str) -> bytes | None:
        """Return the decisions of a content as Arrow; None where it is not here."""
        row = self._row("SELECT decisions FROM analyses WHERE key = ? AND judge = ?", key, self._id(judge))
        return row[0] if row else None

    def absorb(self, other: Path) -> None:
        self._do("ATTACH ? AS other", str(other))
        self._do("BEGIN IMMEDIATE")
        self._do("INSERT OR REPLACE INTO readings SELECT * FROM other.readings")
        self._do("INSERT OR IGNORE INTO judges (name, facts, checksum) SELECT name, facts, checksum FROM other.judges")
        self._do(
            "INSERT OR REPLACE INTO analyses SELECT a.key, mine.id, a.used, a.version, a.value, a.decisions, "
            "a.checksum, a.sgf FROM other.analyses a JOIN other.judges his ON his.id = a.judge "
            "JOIN judges mine ON mine.name = his.name"
        )
        self._do("COMMIT")
        self._do("DETACH other")

    def detach(self) -> None:
        """Make the file one that stands alone, to be copied or read from another machine."""
        self._do("PRAGMA journal_mode = DELETE")

    def size(self) -> Size:
        analyses, readings = (self._number(f"SELECT count(*) FROM {table}") for table in ("analyses", "readings"))
        return Size(self._taken(), self._number("SELECT value FROM settings WHERE name = 'limit'"), analyses, readings)

    def bound(self, limit: int) -> None:
        self._do("UPDATE settings SET value = ? WHERE name = 'limit'", limit)
        self._shrink(limit)

    def clear(self) -> None:
        self._used.clear()
        for table in ("analyses", "readings", "judges"):
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
            self._shrink(self._number("SELECT value FROM settings WHERE name = 'limit'"))
        finally:
            self._base.close()

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

    def _note(self, table: str, key: str, day: int) -> None:
        if day != (today := _today()):
            self._used.append((table, key, today))

    def _id(self, judge: str) -> int:
        """Return a judge's number here, 0 where there is none."""
        if judge not in self._ids and (row := self._row("SELECT id FROM judges WHERE name = ?", judge)):
            self._ids[judge] = row[0]
        return self._ids.get(judge, 0)

    def _number(self, statement: str) -> int:
        row = self._row(statement)
        return int(row[0]) if row else 0

    def _row(self, statement: str, *values: Any) -> Any:
        try:
            return self._base.execute(statement, values).fetchone()
        except sqlite3.Error as problem:
            raise self._said(problem) from problem

    def _do(self, statement: str, *values: Any) -> None:
        self._row(statement, *values)

    def _said(self, problem: sqlite3.Error) -> StoreError:
        """Return what to say of an error; a damaged file is moved aside."""
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF  # without what SQLite adds to tell cases apart
        if code == sqlite3.SQLITE_BUSY:
            return StoreError(f"{self.path} is locked: another command writes to it, or its disk knows no locks")
        if code not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return StoreError(f"{self.path} cannot be used ({problem})")
        self._base.close()
        aside = next(path for n in range(1, 1000) if not (path := Path(f"{self.path}.damaged-{n}")).exists())
        try:
            for end in ("", "-wal", "-shm"):
                if (part := Path(f"{self.path}{end}")).exists():
                    part.rename(f"{aside}{end}")
        except OSError as stays:
            return StoreError(f"{self.path} is damaged ({problem}) and cannot be moved aside ({stays.strerror})")
        return StoreError(
            f"{self.path} is damaged ({problem}): it was moved to {aside.name}, the next run makes another"
        )


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

    def facts(self, judge: str) -> Json | None:
        return self._first(lambda store: store.facts(judge))

    def holds(self, key: str, judge: str, version: str) -> bool:
        return bool(self._first(lambda store: store.facts(judge) and store.holds(key, judge, version)))

    def sgf(self, key: str, judge: str) -> bytes | None:
        return self._first(lambda store: store.sgf(key, judge))

    def put(self, key: str, judge: str, facts: Json, version: str, value: Json, decisions: bytes, sgf: bytes) -> None:
        """Keep an analysis. Raises StoreError where there is no room for it anywhere."""
        if self._try(lambda store: store.put(key, judge, facts, version, value, decisions, sgf)):
            return
        if self._spare is None:
            self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
            self._spare = Store(Path(self._folder.name, "analyses.sqlite"), private=True)
        self._spare.put(key, judge, facts, version, value, decisions, b"")  # the engine's words are for later runs

    def values(self, keys: Iterable[str], judge: str) -> Iterator[tuple[str, Json]]:
        """Yield the keys in their order, with what worker.py said of them. Raises StoreError where one is gone."""
        for key in keys:
            yield key, self._there(partial(Store.value, key=key, judge=judge))

    def decisions(self, key: str, judge: str) -> bytes:
        """Return the decisions of an analysis that is here. Raises StoreError where it is gone."""
        return self._there(lambda store: store.decisions(key, judge))

    def close(self) -> None:
        for store in (self._own, self._spare):
            if store:
                with suppress(StoreError):
                    store.close()
        if self._folder:
            self._folder.cleanup()

    def _first(self, ask: Callable[[Store], T]) -> T | None:
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

    def _there(self, ask: Callable[[Store], T | None]) -> T:
        if (found := self._first(ask)) is None:
            raise StoreError("the store of analyses was changed while this run used it: run the same command again")
        return found

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
