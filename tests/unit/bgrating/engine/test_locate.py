"""Which engine is found: by name, path, nets, or the first; and the message for none."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bgrating.engine import locate
from bgrating.engine.engine_errors import (
    ClockNotFoundError,
    EngineNotFoundError,
    EngineVersionError,
)
from bgrating.engine.known_engines import known_engines
from bgrating.engine.locate import Engine, check_identity, find_engine
from corpus import cases, data_text
from wrapped_engine import script

LEAVES = data_text("leaves.sh")
"""A shell whose own number has what a killed process with libfaketime leaves in shared memory."""


def program(place: Path, version: str) -> Path:
    return script(place / "gnubg", f"#!/bin/sh\necho '{version}'\n")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(locate, "GAMES", str(tmp_path))
    monkeypatch.setattr(locate.importlib.util, "find_spec", lambda name: None)
    return tmp_path


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "find_clock", lambda: (("LD_PRELOAD", "libfaketime.so.1"),))


def test_the_embedded_engine_of_this_environment_comes_first_then_the_newest_version(
    engine: Engine,
) -> None:
    assert [known.name for known in known_engines()] == [
        "embedded-1.08",
        "system-1.08.003",
        "system-1.07.001",
    ]
    assert engine.known.name == "embedded-1.08"
    assert engine.package() == engine.known.package == "gnubg 1.1.0a16"
    assert find_engine("embedded-1.08") == find_engine(engine_version="1.08") == engine


def test_nothing_on_the_machine_is_one_sentence_with_every_remedy(nowhere: Path) -> None:
    with pytest.raises(EngineNotFoundError) as refused:
        find_engine()
    for words in (
        "the Python package gnubg 1.1.0a16 is not installed here: set the project up again (./run)",
        "GNU Backgammon (gnubg) is neither on PATH nor in",
        "install the packages gnubg and faketime",
    ):
        assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("version", ["1.07.001", "1.08.003"])
def test_without_the_package_the_systems_gnubg_is_taken(nowhere: Path, version: str) -> None:
    path = program(nowhere, f"GNU Backgammon {version} 20250405")
    assert find_engine().program == find_engine(str(path)).program == path
    assert find_engine().known.name == f"system-{version}"


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("version", "engine_version", "sentence"), cases("sentences.other_engines")
)
def test_a_program_that_is_not_the_wanted_engine_is_refused(
    nowhere: Path, version: str, engine_version: str, sentence: str
) -> None:
    path = program(nowhere, f"GNU Backgammon {version}")
    with pytest.raises(EngineVersionError, match=sentence):
        find_engine(str(path), engine_version)
    with pytest.raises(EngineNotFoundError):
        find_engine(engine_version="1.08")


def test_of_many_wrong_files_the_same_one_is_named_in_every_run(engine: Engine) -> None:
    """Python orders the names in a set by its seed of the day."""
    known = replace(engine.known, checksums={f"file{number:04}": "a" for number in range(1000)})
    found = {"version": known.reported, "engine": "2-sided bearoff database"}
    with pytest.raises(EngineVersionError, match="its file0000 is not that of"):
        check_identity(
            replace(engine, known=known), found | {"checksums": dict.fromkeys(known.checksums, "b")}
        )


@pytest.mark.parametrize("path", ["/dev/null", "/no/such/gnubg"])
def test_a_path_without_a_program_is_named_with_the_known_engines(path: str) -> None:
    with pytest.raises(EngineNotFoundError, match=rf"{path}: no such program.*GNU Backgammon"):
        find_engine(path)


@pytest.mark.parametrize(("faketime", "sentence"), cases("sentences.clocks"))
def test_a_program_without_a_clock_that_starts_is_refused(
    nowhere: Path, faketime: str, sentence: str
) -> None:
    if faketime:
        script(nowhere / "faketime", faketime)
    for tool in ("sh", "rm"):
        (nowhere / tool).symlink_to(f"/bin/{tool}")
    path = program(nowhere, "GNU Backgammon 1.08.003 20250405")
    locate.find_clock.cache_clear()
    with pytest.raises(ClockNotFoundError, match=sentence):
        find_engine(str(path))


def test_shared_memory_that_killed_processes_left_does_not_stop_the_clock(
    old_engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script(tmp_path / "sh", LEAVES)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    locate.find_clock.cache_clear()
    assert locate.find_clock() == old_engine.clock


def test_a_module_that_does_not_load_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    def fail(name: str) -> None:
        raise OSError("libglib-2.0.so.0: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(locate.ctypes, "CDLL", fail)
    with pytest.raises(
        EngineNotFoundError, match=r"libglib-2\.0\.so\.0: cannot open.*package libglib2\.0-0"
    ):
        find_engine(engine.known.name)


def test_a_module_without_the_calls_that_are_replaced_is_refused() -> None:
    maps = Path("/proc/self/maps").read_text().splitlines()
    library = Path(next(line.split()[-1] for line in maps if "libm" in line))
    with pytest.raises(EngineVersionError, match="does not call time and g_usleep"):
        locate._replaced_calls(library)
