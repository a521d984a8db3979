"""The store: what is kept comes back, whatever became of its file; others' files stay."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bgrating.analysis import store as module
from bgrating.analysis.store import AnalysisStore, Entry, Store, StoreError, default_path
from corpus import cases

VALUE = {"rows": [{"name": "Zoë", "epm": 0.01}]}
READING = {"file": "ä.mat"}


def put(kept: AnalysisStore, key: str, size: int = 10) -> None:
    kept.put(key, "judge", Entry(VALUE, key.encode() + Random(key).randbytes(size)))


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "analyses.sqlite"
    with closing(AnalysisStore(path, print)) as kept:
        put(kept, "a")
        kept.put_reading("bytes", READING)
    return path


def told_of(path: Path) -> list[str]:
    """Use a store as a run does; return what the run is told."""
    told: list[str] = []
    with closing(AnalysisStore(path, told.append)) as kept:
        kept.entry("a", "judge")
        put(kept, "b")
        assert kept.here("b", "judge").value == VALUE
        assert kept.here("b", "judge").decisions.startswith(b"b")
    return told


def change(path: Path, statement: str) -> None:
    """Change a store as another program may."""
    with closing(sqlite3.connect(path)) as base:
        base.execute(statement)
        base.commit()


def test_an_entry_comes_back_for_the_judge_that_made_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(AnalysisStore(path, print)) as kept:
        found = kept.entry("a", "judge")
        assert found is not None
        assert (found.value, found.decisions[:1]) == (VALUE, b"a")
        assert kept.reading("bytes") == READING
        assert kept.entry("a", "another") is kept.entry("b", "judge") is None
        assert kept.reading("other bytes") is None
        monkeypatch.setattr(module, "ANALYSIS", module.ANALYSIS + 1)
        assert kept.entry("a", "judge") is kept.reading("bytes") is None
        put(kept, "a")
        monkeypatch.undo()
        assert kept.entry("a", "judge") == found  # what another number made stays
        with pytest.raises(StoreError, match="run the same command again"):
            kept.here("a", "another")


OTHER = zlib.compress(b'{"rows": []}')
VALUES = ("NULL", "'text'", "7", "x''", "x'ff00'", f"x'{OTHER.hex()}'", "substr({column}, 2)")


@pytest.mark.parametrize("row", ["analysis", "reading"])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", ["key", "value", "checksum"])
def test_a_row_that_another_program_changed_is_not_there(
    path: Path, column: str, value: str, row: str
) -> None:
    changed = f"UPDATE entries SET {column} = {value.format(column=column)}"
    change(path, f"{changed} WHERE key GLOB '{row} *'")
    told: list[str] = []
    with closing(AnalysisStore(path, told.append)) as kept:
        assert (kept.entry("a", "judge") is None) is (row == "analysis")
        assert (kept.reading("bytes") is None) is (row == "reading")
        put(kept, "a")
        assert kept.here("a", "judge").value == VALUE
    assert told == [] or ("1 entries were not as they were written" in told[0] and len(told) == 1)
    assert told_of(path) == []


@pytest.mark.parametrize(
    "statement", ["DELETE FROM entries", "UPDATE entries SET value = 'x' WHERE key = 'limit'"]
)
def test_a_store_whose_limit_was_changed_has_the_usual_one(path: Path, statement: str) -> None:
    change(path, statement)
    with closing(Store(path)) as store:
        assert store.size().limit == module.LIMIT


@pytest.mark.parametrize(("statement", "words"), cases("sentences.stores"))
def test_a_changed_store_is_moved_aside_and_one_of_others_is_left_as_it_is(
    path: Path, statement: str, words: str
) -> None:
    change(path, statement)
    before = path.read_bytes()
    (told,) = told_of(path)
    assert words in told
    if "left as it is" in words:
        assert path.read_bytes() == before
    else:
        assert told_of(path) == []
        assert path.exists()


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_a_path_that_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "store")
    with pytest.raises(StoreError, match="is no file: it is left as it is"):
        Store(tmp_path / "store")


@pytest.mark.parametrize("damage", ["all", "header", "middle"])
def test_a_damaged_file_in_its_place_is_moved_aside_and_the_run_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(module, "_path_in_cache", lambda: path)
    sound = filled(path).read_bytes()
    spoilt = {"all": b"no database", "header": b"x" * 100 + sound[100:]}
    spoilt["middle"] = sound[:4096] + b"\xff" * 400_000
    path.write_bytes(spoilt[damage])
    told = told_of(path)
    (aside,) = path.parent.glob("*.damaged-1")
    assert aside.read_bytes() == spoilt[damage]
    assert any("is damaged" in one and aside.name in one for one in told), told
    assert told_of(path) == []  # a new store


@pytest.mark.parametrize(
    "content",
    [b"Sunday: call Ann.\n", b"x" * 5000, b"SQLite format 3\0" + b"\0" * 500, b"SQLite format 3\0"],
)
def test_a_file_of_the_user_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_bytes(content)
    told = told_of(notes)
    assert "it is left as it is; BGRATING_STORE may name another file" in told[0]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert notes.read_bytes() == content


def filled(path: Path) -> Path:
    """Fill a store with 300 analyses."""
    with closing(AnalysisStore(path, print)) as kept:
        for number in range(300):
            put(kept, f"key{number}", size=2000)
    return path


def half_spoilt(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size - size // 2))


def test_a_run_goes_on_with_what_can_be_read_of_a_damaged_store(path: Path) -> None:
    half_spoilt(filled(path))
    told: list[str] = []
    with closing(AnalysisStore(path, told.append)) as kept:
        seen = {number for number in range(300) if kept.entry(f"key{number}", "judge")}
        assert 0 < len(seen) < 300
        for number in {*range(300)} - seen:
            put(kept, f"key{number}")
        assert all(kept.here(f"key{number}", "judge").value == VALUE for number in range(300))
    (aside,) = path.parent.glob("*.damaged-1")
    assert f"it was moved to {aside.name}, the next run makes another" in told[-1]
    assert told_of(path) == []


@pytest.mark.parametrize("bytes_short", [1, 10_000])
def test_a_store_that_was_cut_costs_its_entries_and_ends_nothing(
    tmp_path: Path, path: Path, bytes_short: int
) -> None:
    os.truncate(filled(path), path.stat().st_size - bytes_short)
    with closing(AnalysisStore(path, print)) as kept:
        assert kept.entry("key299", "judge") is None
        put(kept, "key299")
        assert kept.here("key299", "judge").value == VALUE
    told_of(path)
    assert told_of(path) == []


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to be nobody for a while"
)
def test_a_store_without_write_permission_is_reported_and_the_run_goes_on(path: Path) -> None:
    place = Path(tempfile.gettempdir())
    for folder in path.parents:
        if folder != place and folder.is_relative_to(place):
            folder.chmod(0o755)
    path.chmod(0o644)  # whatever the umask of whoever tests
    os.seteuid(65534)
    try:
        (told,) = told_of(path)
    finally:
        os.seteuid(0)
    assert "readonly database" in told


def test_three_write_at_once(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from bgrating.analysis.store import Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(200): store.put(f'analysis {sys.argv[2]}{n}', b'x' * 5000)\n"
        "store.close()\n"
    )
    at_work = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "xyz"]
    assert [one.wait() for one in at_work] == [0, 0, 0]
    with closing(Store(path)) as store:
        assert (store.size().analyses, store.size().readings) == (601, 1)


@pytest.mark.parametrize("statements", range(6))
def test_two_that_make_the_store_at_once_both_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    """The second one makes it after so many statements of the first."""
    path, whole = tmp_path / "analyses.sqlite", Store._do
    before = iter(range(statements))

    def interrupted(store: Store, statement: str, *values: Any) -> list[Any]:
        if next(before, None) is None:
            monkeypatch.undo()
            Store(path).close()
        return whole(store, statement, *values)

    monkeypatch.setattr(Store, "_do", interrupted)
    assert told_of(path) == []


@pytest.mark.parametrize(
    ("is_new", "words"),
    [(False, "cannot be moved aside (No such file"), (True, "made a new one")],
)
def test_a_damaged_store_is_moved_aside_by_one_command_alone(
    path: Path, is_new: bool, words: str
) -> None:
    """Another one moved it during this run, and maybe made the next store already."""
    half_spoilt(filled(path))
    told: list[str] = []
    with closing(AnalysisStore(path, told.append)) as kept:
        assert not all(kept.entry(f"key{number}", "judge") for number in range(300))
        path.rename(path.with_name("aside"))
        if is_new:
            assert told_of(path) == []
    assert words in told[-1]
    assert path.exists() == is_new
    assert not list(path.parent.glob("*damaged*"))


def test_the_least_recently_used_entries_go_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = module._today()
    with closing(Store(path)) as store:
        for number in range(400):
            store.put(f"analysis old{number}", os.urandom(10_000))
        monkeypatch.setattr(module, "_today", lambda: day + 1)
        for number in range(100):
            store.put(f"analysis new{number}", os.urandom(10_000))
        assert store.get("analysis old0")  # used today
    with closing(Store(path)) as store:
        store.bound(2_000_000)
        assert store.size().taken <= 2_000_000
        assert store.get("analysis old0")
        assert all(store.get(f"analysis new{number}") for number in range(100))
        assert not store.get("analysis old399") or not store.get("analysis old1")
        store.clear()
        assert (store.size().analyses, store.size().limit) == (0, 2_000_000)
    assert path.stat().st_size < 100_000


def test_the_environment_variable_names_the_store_or_turns_it_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for value, path in (("off", None), ("", None), ("/a/b.sqlite", Path("/a/b.sqlite"))):
        monkeypatch.setenv("BGRATING_STORE", value)
        assert default_path() == path
    monkeypatch.delenv("BGRATING_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    found = default_path()
    assert found is not None
    assert found.name == "analyses-4.sqlite"  # an older version has its own
