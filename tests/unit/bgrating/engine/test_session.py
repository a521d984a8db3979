"""The engine process: each fault is an error of its own kind, and no process is left."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from bgrating.engine import engine_errors, levels, locate, protocol
from bgrating.engine.commands import analysis_setup, check_players, play_setup
from bgrating.engine.engine_errors import EngineError, EngineFailedError, EngineVersionError
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.engine.protocol import MEMORY
from bgrating.engine.session import Session, session
from corpus import cases
from short_match import match
from wrapped_engine import interrupted, wrapped

PLAYERS = (levels.player("beginner+noise-0.8"), levels.player("expert"))
SETUPS: dict[str, dict[str, Any]] = {
    "play": play_setup(*PLAYERS),
    "analyse": analysis_setup(levels.analysis("0-ply-no-luck")),
    "side": play_setup(*PLAYERS) | {"side": {"seat": 0}},
}
REQUESTS: dict[str, dict[str, Any]] = {
    "play": {"task": "play", "seed": 1, "length": 1},
    "analyse": {"task": "analyse", "text": match()},
    "side": {"task": "side", "events": [["match", 1, 5, 1], ["turn"]]},
}

LEAVE = "[os.setsid() or time.sleep(600) for _ in range(3) if not os.fork()]; "

Start = Callable[..., Session]


@pytest.fixture(name="start")
def _start(engine: Engine, tmp_path: Path) -> Iterator[Start]:
    started = []

    def start(task: str, use: Engine = engine) -> Session:
        clock = None if task == "analyse" else ANALYSIS_CLOCK
        started.append(Session(use, clock=clock, log=tmp_path / "engine.log"))
        started[-1].begin(SETUPS[task])
        return started[-1]

    yield start
    for one in started:
        one.close()


def left_behind(mark: Path) -> list[int]:
    """Return the processes that name a folder in their command or their environment."""
    found = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        known = [*(process.info["cmdline"] or ()), *(process.info["environ"] or {}).values()]
        if any(str(mark) in text for text in known):
            found.append(process.pid)
    return found


@pytest.mark.parametrize("task", REQUESTS)
def test_an_engine_answers_again_and_again_and_is_gone_when_it_is_closed(
    start: Start, task: str
) -> None:
    running = start(task)
    first = running.ask(REQUESTS[task], 600)
    assert first.keys() <= {"text", "rows", "answer"}
    if task == "analyse":  # a side has begun a match, and noise goes on
        assert running.ask(REQUESTS[task]) == first
    assert running.process._by_cpu  # it is not late when it waits for a core
    folder = Path(running._folder.name)
    running.close()
    assert not folder.exists()
    assert left_behind(folder) == []


@pytest.mark.parametrize(("fault", "error", "sentence", "seconds"), cases("faults.sessions"))
def test_every_fault_has_its_error_and_nothing_is_left(
    start: Start,
    engine: Engine,
    tmp_path: Path,
    fault: str,
    error: str,
    sentence: str,
    seconds: float,
) -> None:
    program = tmp_path / "gnubg"
    running = start(
        "play", interrupted(engine, program, b'"task"', fault.replace("{leave}", LEAVE))
    )
    with pytest.raises(getattr(engine_errors, error), match=sentence):
        running.ask(REQUESTS["play"], seconds)
    folder = Path(running._folder.name)
    running.close()
    assert not folder.exists()
    assert left_behind(folder) == left_behind(program) == []


def test_other_output_of_an_engine_is_no_answer(
    start: Start, engine: Engine, tmp_path: Path
) -> None:
    noise = "os.write(1, b'hello\\n\\n{}\\n'); os.write(2, b'x' * 9_999_999)"
    running = start("play", interrupted(engine, tmp_path / "gnubg", b'"task"', noise))
    assert running.ask(REQUESTS["play"], 600)["text"].count("1 point match") == 1


@pytest.mark.parametrize(
    "limit", ["-v 3000000", "-v 1000000", "-S -v 800000", "-v 60000", "-v 20000"]
)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process so")
def test_an_engine_keeps_to_a_lower_limit_of_memory(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """It works, or where it cannot the error names memory."""
    size = 1024 * int(limit.rsplit(maxsplit=1)[-1])
    monkeypatch.setattr(
        protocol, "memory_limit", lambda: size
    )  # that of this process, which an engine inherits
    limited = wrapped(engine, tmp_path / "limited", f'#!/bin/sh\nulimit {limit}\nexec "$@"\n')
    with closing(Session(limited)) as running:
        if size > 10**8:
            running.begin(SETUPS["analyse"])
            assert "rows" in running.ask(REQUESTS["analyse"], 600)
        else:
            with pytest.raises(
                EngineError, match=rf"memory is limited to {size // 10**6} MB here \(ulimit -v\)"
            ):
                running.begin(SETUPS["analyse"])


def test_an_engine_that_exhausts_its_memory_is_named(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "bgrating"
    for package in ("bgrating", "bgmatch"):
        source = locate.INSIDE.parents[2] / package
        shutil.copytree(source, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    playing = place / "inside" / "play.py"
    text = playing.read_text()
    playing.write_text(
        text.replace(
            "def play(request: Json) -> Json:",
            f"def play(request: Json) -> Json:\n    bytes({MEMORY})",
        )
    )
    monkeypatch.setattr(locate.Engine.launch, "__defaults__", (None, place / "inside" / "main.py"))
    with pytest.raises(EngineFailedError, match="the engine ran out of memory"):
        start("play").result(REQUESTS["play"])


@pytest.mark.parametrize(("program", "error", "sentence"), cases("faults.beginnings"))
def test_an_engine_that_never_begins_has_its_error(
    start: Start, engine: Engine, tmp_path: Path, program: str, error: str, sentence: str
) -> None:
    with pytest.raises(getattr(engine_errors, error), match=sentence):
        start("analyse", wrapped(engine, tmp_path / "gnubg", program))


def test_another_engine_is_named_with_the_wanted_one(start: Start, engine: Engine) -> None:
    other = replace(engine, known=replace(engine.known, reported="GNU Backgammon 9.99"))
    with pytest.raises(EngineVersionError, match=r"'GNU Backgammon 1.*', not GNU Backgammon 9\.99"):
        start("play", other)


def test_a_match_equity_table_that_the_engine_lacks_is_named_in_one_line(engine: Engine) -> None:
    setup = SETUPS["play"] | {"match_equity_table": "Elsewhere"}
    sentence = r"^.* has no match-equity table Elsewhere; it has Kazaross-XG2.*$"
    with pytest.raises(EngineFailedError, match=sentence), session(engine, setup, seconds=60.0):
        pass


def test_a_setting_that_gnubg_did_not_take_is_named() -> None:
    text = "Player 0:\n 0-ply evaluation.\nPlayer 1:\n 0-ply evaluation.\n"
    with pytest.raises(EngineFailedError, match=r"'0-ply evaluation\. not using pruning"):
        check_players(text, PLAYERS)
