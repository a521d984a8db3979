"""rate that is killed, has no room or runs twice: the next run ends with the same tables."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from test_serve import analyses

from commands import begun
from corpus import DATA
from short_match import OPENINGS, match

TABLES = ("files.csv", "matches.csv", "players.csv", "alias_suggestions.csv", "decisions.parquet")


class Place:
    """A folder of matches, and where a run of the command keeps things."""

    def __init__(self, folder: Path) -> None:
        names = ("games", "r", "store.sqlite", "tmp")
        self.games, self.results, self.store, self.tmp = (folder / name for name in names)
        for one in (self.games, self.tmp):
            one.mkdir(parents=True)
        for dice in list(OPENINGS)[:4]:
            (self.games / f"{dice}.mat").write_text(match(dice=dice))

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        places = {"BGRATING_STORE": str(self.store), "TMPDIR": str(self.tmp)}
        command = ["rate", self.games, "--results", self.results, *words]
        how = {"stderr": subprocess.PIPE, "start_new_session": True}
        return begun(*command, env=os.environ | places | variables, **how)

    def run(self, *words: str, **variables: str) -> tuple[int, str, str]:
        with self.start(*words, **variables) as process:
            out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def tables(self) -> dict[str, bytes]:
        folder = self.results / "human" / "games"
        return {name: (folder / name).read_bytes() for name in TABLES if (folder / name).is_file()}


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return undisturbed(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module", name="first")
def _first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the tables that a run writes before it judges decisions again."""
    return undisturbed(tmp_path_factory.mktemp("first"), "--check", "none")


def undisturbed(folder: Path, *words: str) -> dict[str, bytes]:
    """Return the tables of a run that nothing happened to."""
    place = Place(folder)
    status, _, err = place.run(*words)
    assert (status, err) == (0, "")
    tables = place.tables()
    assert len(tables) == len(TABLES)
    return tables


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@contextmanager
def disk(folder: Path, size: str) -> Iterator[None]:
    """Mount a small disk on a folder; skip where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs to mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def engines(process: subprocess.Popen[str], place: Place) -> list[psutil.Process]:
    """Wait until an engine of a run has a match in its folder, and return the run's engines."""
    while not list(place.tmp.glob("*/content.mat")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return psutil.Process(process.pid).children()


@pytest.mark.nightly
def test_kill_after_kill_the_tables_are_the_same(place: Place, whole: dict[str, bytes]) -> None:
    """The four matches have 16 rows in the store."""
    left = []
    for written in (0, 2, 5, 8, 12):
        with place.start("--cores", "2") as process:
            while max(analyses(place.store.parent).values(), default=0) < written:
                assert process.poll() is None
                time.sleep(0.02)
            left += psutil.Process(process.pid).children()
            process.kill()
            process.communicate()
    _, alive = psutil.wait_procs(left, timeout=600)
    assert alive == []
    status, _, err = place.run()
    assert (status, err) == (0, "")
    assert place.tables() == whole


# At 2-ply a match takes so long that a run with one engine is not over when a test meets it.
SLOWLY = ("--cores", "1", "--level", "2-ply", "--check", "none")


@pytest.mark.slow
def test_an_engine_that_is_killed_is_named_and_the_next_run_does_the_rest(
    place: Place, tmp_path: Path
) -> None:
    with place.start(*SLOWLY) as process:
        engines(process, place)[0].kill()
        out, err = process.communicate()
    assert process.returncode == 1
    by = "(SIGKILL: by a person, for want of memory, by a batch system)"
    assert err.endswith(f"killed from outside: the engine was ended from outside {by}; run again\n")
    assert err.count("\n") == 1
    assert "1 killed from outside" in out
    status, _, err = place.run(*SLOWLY)
    assert (status, err) == (0, "")
    assert place.tables() == undisturbed(tmp_path / "whole", *SLOWLY)


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_run_is_one_sentence_and_goes_on(
    place: Place, first: dict[str, bytes], number: int, status: int
) -> None:
    with place.start(*SLOWLY) as process:
        left = engines(process, place)
        process.send_signal(number)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (status, "")
    # The sentence comes after ^C on its line.
    assert err.lstrip("\n") == "bgrating: stopped; run the same command again to go on\n"
    assert psutil.wait_procs(left, timeout=600)[1] == []
    assert list(place.tmp.iterdir()) == []
    assert place.run("--check", "none")[0] == 0
    assert place.tables() == first


@pytest.mark.slow
def test_two_commands_at_once(place: Place, whole: dict[str, bytes]) -> None:
    with place.start() as one, place.start() as other:
        said = [process.communicate(timeout=600) for process in (one, other)]
    assert [one.returncode, other.returncode] == [0, 0], said
    assert place.tables() == whole


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["4k", "48k", "200k"])
def test_results_without_room_are_one_sentence_and_the_tables_before_stay(
    place: Place, first: dict[str, bytes], whole: dict[str, bytes], size: str
) -> None:
    with disk(place.results, size):
        status, _, err = place.run()
        assert status == 1
        assert err.count("\n") == 1, err
        assert "No space left on device" in err
        assert set(place.tables().items()) <= {*first.items(), *whole.items()}
        assert not list(place.results.rglob("*.part"))
        subprocess.run(["mount", "-o", "remount,size=20m", place.results], check=True)
        assert place.run()[0] == 0
        assert place.tables() == whole


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["4k", "48k"])
def test_a_store_without_room_is_said_and_the_run_goes_on(
    place: Place, whole: dict[str, bytes], size: str
) -> None:
    folder = place.store.parent / "small"
    place.store = folder / "store.sqlite"
    with disk(folder, size):
        status, _, err = place.run()
        assert status == 0
        assert err.count("\n") == 1, err
        assert "is not kept for the next" in err or "is kept for the next" in err
        assert place.tables() == whole


@pytest.mark.nightly
def test_a_temporary_folder_without_room_is_one_sentence(
    place: Place, whole: dict[str, bytes]
) -> None:
    with disk(place.tmp, "8k"):
        status, _, err = place.run()
        assert status == 1
        assert re.search("has no room for the engine's files .*: free some or set TMPDIR", err)
        assert "Traceback" not in err
    assert place.run()[0] == 0
    assert place.tables() == whole


@pytest.mark.nightly
def test_a_file_system_without_locks_is_said_and_the_run_goes_on(
    place: Place, whole: dict[str, bytes]
) -> None:
    """A library stands for a network's disk without a lock manager."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler for the library that refuses locks")
    library = place.tmp.parent / "no_locks.so"
    words = ["-shared", "-fPIC", "-o", library, DATA / "no_locks.c"]
    subprocess.run([compiler, *words], check=True)
    status, _, err = place.run(LD_PRELOAD=str(library))
    assert status == 0
    assert err.count("\n") == 1, err
    assert "is locked: another command writes to it, or its disk knows no locks; nothing" in err
    assert place.tables() == whole
