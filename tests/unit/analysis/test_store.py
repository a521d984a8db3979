"""The store of analyses: what is kept comes back, whatever has become of its file, and nothing of others is touched."""

import itertools
import os
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bgrating.analysis import store as module
from bgrating.analysis.store import Entry, Kept, Store, StoreError, default_path

VALUE = {"rows": [{"name": "Zoë", "epm": 0.01}]}


def put(store: Store | Kept, key: str, judge: str = "judge", version: str = "1", size: int = 10) -> None:
    store.put(key, judge, Entry(version, VALUE, key.encode(), os.urandom(size)))


def holds(store: Store, key: str, judge: str, version: str) -> bool:
    found = store.entry(key, judge)
    return found is not None and found.version == version


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "analyses.sqlite"
    with closing(Store(path)) as store:
        put(store, "a")
        store.put_reading("bytes", {"file": "ä.mat"})
    return path


def test_what_is_kept_comes_back_to_whoever_judged_it(path: Path) -> None:
    with closing(Store(path)) as store:
        assert holds(store, "a", "judge", "1")
        assert not holds(store, "a", "judge", "2")  # another version of the digest
        assert store.entry("a", "another") is store.entry("b", "judge") is store.reading("other bytes") is None
        found = store.entry("a", "judge")
        assert found is not None
        assert (found.value, found.decisions) == (VALUE, b"a")
        assert store.reading("bytes") == {"file": "ä.mat"}
        assert store.damaged == set()


OTHER = zlib.compress(b'{"rows": []}')
CHANGES = [
    f"UPDATE {table} SET {column} = {value}"
    for table, columns in (
        ("analyses", ("key", "judge", "version", "value", "decisions", "sgf", "checksum")),
        ("readings", ("key", "value", "checksum")),
    )
    for column in columns
    for value in ("NULL", "'text'", "7", "x''", "x'ff00'", f"x'{OTHER.hex()}'", f"substr({column}, 2)")
]


@pytest.mark.parametrize("change", [*CHANGES, "DELETE FROM settings", "UPDATE settings SET value = 'x'"])
def test_a_row_that_another_program_changed_is_not_there(path: Path, change: str) -> None:
    """Line 21: ten of these were tracebacks."""
    with closing(Store(path)) as store:
        put(store, "b")
    with closing(sqlite3.connect(path)) as base:
        base.execute(change if "key =" not in change else f"{change} WHERE key != 'b'")
        base.commit()
    told: list[str] = []
    with closing(Kept(path, told.append)) as kept:
        there = [kept.entry(key, "judge") for key in ("a", "b")], kept.reading("bytes")
        for found in there[0]:
            assert found is None or found.value == VALUE
        assert there[1] in (None, {"file": "ä.mat"})
        assert (there[1] is None) is ("readings" in change)
        assert (there[0][0] is None) is ("analyses" in change)
        put(kept, "a")
        assert kept.here("a", "judge", "1").value == VALUE
    assert told == [] or ("entries were not as they were written" in told[0] and len(told) == 1)
    with closing(Store(path)) as store:
        assert holds(store, "a", "judge", "1")
        assert store.size().limit == module.LIMIT


@pytest.mark.parametrize(
    "change",
    ["DROP TABLE readings", "DROP TABLE settings", "ALTER TABLE analyses DROP COLUMN sgf", "PRAGMA user_version = 1",
     "CREATE TRIGGER theirs AFTER INSERT ON readings BEGIN DELETE FROM analyses; END"],
)  # fmt: skip
def test_a_store_without_our_tables_is_moved_aside(path: Path, change: str) -> None:
    """Line 21: a store that lacked a table was never moved aside."""
    with closing(sqlite3.connect(path)) as base:
        base.execute(change)
        base.commit()
    told: list[str] = []
    with closing(Kept(path, told.append)) as kept:
        put(kept, "b")
    assert len(told) == 1
    assert f"it was moved to {path.name}.damaged-1, the next run makes another" in told[0]
    with closing(Kept(path, told.append)) as kept:
        put(kept, "b")
    assert len(told) == 1
    assert path.exists()


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_is_no_store(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "store")
    with pytest.raises(StoreError, match="is no file: it is left as it is"):
        Store(tmp_path / "store")


@pytest.mark.parametrize("damage", ["all", "header", "middle"])
def test_a_damaged_file_is_moved_aside_and_the_run_goes_on(path: Path, damage: str) -> None:
    with closing(Store(path)) as store:
        for number in range(300):
            put(store, f"key{number}", size=2000)
    sound = path.read_bytes()
    spoilt = {"all": b"no database", "header": b"x" * 100 + sound[100:], "middle": sound[:4096] + b"\xff" * 400_000}
    path.write_bytes(spoilt[damage])
    told: list[str] = []
    kept = Kept(path, told.append)
    assert kept.entry("key7", "judge") is None
    put(kept, "b")
    assert kept.here("b", "judge", "1").value == VALUE
    kept.close()
    (aside,) = path.parent.glob("*.damaged-1")
    assert aside.read_bytes() == spoilt[damage]
    assert any("is damaged" in one and aside.name in one for one in told), told
    with closing(Kept(path, told.append)) as again:  # a new store
        put(again, "c")
    with closing(Store(path)) as store:
        assert holds(store, "c", "judge", "1")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("PRAGMA user_version = 3", "made by a newer version of this program: it is left as it is"),
        ("PRAGMA application_id = 77", "a database of another program: it is left as it is"),
    ],
)
def test_what_others_made_is_left_as_it_is(path: Path, change: str, words: str) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute(change)
    before = path.read_bytes()
    told: list[str] = []
    with closing(Kept(path, told.append)) as kept:
        put(kept, "b")
        assert kept.here("b", "judge", "1").decisions == b"b"
    assert path.read_bytes() == before
    assert len(told) == 1
    assert words in told[0]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to be nobody for a while")
def test_a_store_that_cannot_be_written_to_is_said_and_the_run_goes_on(path: Path) -> None:
    for folder in itertools.takewhile(lambda folder: folder != Path(tempfile.gettempdir()), path.parents):
        folder.chmod(0o755)
    told: list[str] = []
    os.seteuid(65534)
    try:
        with closing(Kept(path, told.append)) as kept:
            put(kept, "b")
            assert kept.here("b", "judge", "1").decisions == b"b"
    finally:
        os.seteuid(0)
    assert len(told) == 1
    assert "readonly database" in told[0]


def test_two_write_at_once(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from bgrating.analysis.store import Entry, Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(200): store.put(f'{sys.argv[2]}{n}', 'judge', Entry('1', {}, b'', b'x' * 5000))\n"
        "store.close()\n"
    )
    at_work = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "xyz"]
    assert [one.wait() for one in at_work] == [0, 0, 0]
    with closing(Store(path)) as store:
        assert store.size().analyses == 601


def test_what_was_not_used_for_longest_goes_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day = module._today()
    with closing(Store(path)) as store:
        for number in range(400):
            put(store, f"old{number}", size=10_000)
        monkeypatch.setattr(module, "_today", lambda: day + 1)
        for number in range(100):
            put(store, f"new{number}", size=10_000)
        assert holds(store, "old0", "judge", "1")  # used today
    with closing(Store(path)) as store:
        store.bound(2_000_000)
        assert store.size().taken <= 2_000_000
        assert holds(store, "old0", "judge", "1")
        assert all(holds(store, f"new{number}", "judge", "1") for number in range(100))
        assert not holds(store, "old399", "judge", "1") or not holds(store, "old1", "judge", "1")
        store.clear()
        assert (store.size().analyses, store.size().limit) == (0, 2_000_000)
    assert path.stat().st_size < 100_000


def test_stores_of_parts_become_one(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(Store(other)) as store:
        put(store, "x", "a judge before")
        put(store, "b", "judge", "2")
        put(store, "a", "judge", "2")
        store.detach()
    with closing(Store(path)) as store:
        store.absorb(other)
        assert holds(store, "b", "judge", "2")
        assert holds(store, "a", "judge", "2")
        assert holds(store, "x", "a judge before", "2") is holds(store, "b", "a judge before", "2") is False
        assert holds(store, "x", "a judge before", "1")
    with closing(Store(other, frozen=True)) as store:
        assert holds(store, "b", "judge", "2")


def test_the_variable_names_the_store_or_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, path in (("off", None), ("", None), ("/a/b.sqlite", Path("/a/b.sqlite"))):
        monkeypatch.setenv("BGRATING_STORE", value)
        assert default_path() == path
    monkeypatch.delenv("BGRATING_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    found = default_path()
    assert found is not None
    assert found.name == "analyses.sqlite"
