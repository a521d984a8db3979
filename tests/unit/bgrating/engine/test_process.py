"""Programs that misbehave: their output, time and children are bounded, nothing is left."""

import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from bgrating.engine import engine_errors, locate, process
from bgrating.engine.locate import find_engine
from bgrating.engine.process import LOG_BYTES, EndedError, FloodError, LateError, Process
from corpus import cases
from wrapped_engine import script

PARTNER = Path(__file__).with_name("partner.py")
Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running = []

    def started(fault: str, seconds: float = 30.0) -> Process:
        command = (sys.executable, PARTNER, fault, tmp_path / "noted")
        running.append(Process(command, tmp_path / "log"))
        running[-1].limit(seconds)
        return running[-1]

    yield started
    for one in running:
        one.close()


def test_an_answer_during_a_stop_of_this_process_is_in_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner, now = start("deaf"), time.monotonic
    monkeypatch.setattr(process.time, "monotonic", lambda: now() + 3600)
    assert partner.hear() == b"ready"


def test_a_process_that_hardly_works_is_late_although_it_uses_cpu_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By clocks of the test: every second look finds a ten-thousandth of a second of work."""
    running = Process((sys.executable, PARTNER, "deaf", tmp_path / "noted"), by_cpu=True)
    looks = iter(range(200))
    monkeypatch.setattr(process.time, "monotonic", lambda: 0.05 * next(looks))
    monkeypatch.setattr(process, "_cpu_seconds", lambda _: 0.0001 * (next(looks) // 4))
    with closing(running):
        running.limit(0.4)
        with pytest.raises(LateError):
            hear_all(running)


@pytest.mark.parametrize(
    ("cpu_seconds", "least", "most"),
    [
        (lambda now: min(0.02, now), 0.02 + 0.04, 0.02 + 2 * 0.04),  # works, then stops for ever
        (lambda now: 0.02 * now, 50 * 0.04, 51 * 0.04),  # waits for a core nearly all the time
    ],
)
def test_a_process_is_late_when_its_limit_is_spent_or_it_idles_for_as_long(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cpu_seconds: Callable[[float], float],
    least: float,
    most: float,
) -> None:
    """By clocks of the test, which go on by a hundredth of a second at every look."""
    running = Process((sys.executable, PARTNER, "deaf", tmp_path / "noted"), by_cpu=True)
    clock = [0.0]

    def passed() -> float:
        clock[0] += 0.01
        return clock[0]

    monkeypatch.setattr(process.time, "monotonic", passed)
    monkeypatch.setattr(process, "_cpu_seconds", lambda _: cpu_seconds(clock[0]))
    with closing(running):
        running.limit(0.04)
        with pytest.raises(LateError):
            hear_all(running)
        assert least < clock[0] < most


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [("flooding", "16,777,216 bytes without an answer"), ("endless line", "without a line's end")],
)
def test_a_flood_is_refused_before_it_fills_the_memory(
    start: Start, fault: str, sentence: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    partner = start(fault, 3600.0)  # whatever the load, the bytes decide
    with pytest.raises(FloodError, match=sentence):
        hear_all(partner)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_a_log_is_bounded_and_says_so(start: Start, tmp_path: Path) -> None:
    partner = start("logging")
    assert partner.hear() == b"ready"
    partner.close()
    log = (tmp_path / "log").read_bytes()
    assert len(log) < LOG_BYTES + 100
    assert log.endswith(b"(more is not kept)\n")


def test_a_log_is_complete_when_its_process_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence quotes its last line; the thread that writes it may have to wait for a core."""
    read, may_read = process._chunk, threading.Event()
    monkeypatch.setattr(process, "_chunk", lambda stream: may_read.wait() and read(stream))
    partner = Process(("sh", "-c", "echo last words >&2"), tmp_path / "log")
    partner.limit(600.0)
    with pytest.raises(EndedError):
        partner.hear()
    threading.Timer(3.0, may_read.set).start()
    partner.close()
    assert (tmp_path / "log").read_text() == "last words\n"


def test_a_log_on_a_full_disk_blocks_nobody(tmp_path: Path) -> None:
    partner = Process((sys.executable, PARTNER, "logging"), Path("/dev/full"))
    partner.limit(60.0)
    assert partner.hear() == b"ready"
    partner.close()


def test_a_program_that_does_not_read_blocks_nobody(start: Start) -> None:
    partner = start("deaf")
    assert partner.hear() == b"ready"
    with pytest.raises(LateError):
        tell_all(partner)


@pytest.mark.parametrize(
    ("fault", "seconds", "code"), [("polite", 60.0, 0), ("slow to end", 0.2, -signal.SIGKILL)]
)
def test_a_program_may_end_by_itself_after_quit_within_a_time(
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    fault: str,
    seconds: float,
    code: int,
) -> None:
    monkeypatch.setattr(process, "QUIT_SECONDS", seconds)
    partner = start(fault)
    partner.close(b"quit")
    assert partner._process.poll() == code
    assert (tmp_path / "noted").exists() == (code == 0)


def test_the_error_of_an_end_within_a_line_has_the_unfinished_line(start: Start) -> None:
    partner = start("half a line")
    for _ in range(2):
        with pytest.raises(EndedError) as end:
            partner.hear()
        assert (end.value.code, end.value.rest) == (0, "GNU Backgammon")


@pytest.mark.parametrize(("fault", "error", "sentence"), cases("faults.versions"))
def test_a_program_with_a_strange_version_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, error: str, sentence: str
) -> None:
    monkeypatch.setattr(locate, "VERSION_SECONDS", 1.0 if error == "EngineNotFoundError" else 60.0)
    program = script(
        tmp_path / "gnubg",
        f"#!/bin/sh\n'{sys.executable}' '{PARTNER}' '{fault}' '{tmp_path / 'noted'}'\n",
    )
    with pytest.raises(getattr(engine_errors, error), match=sentence):
        find_engine(str(program))
    assert running(tmp_path) == []


def test_what_starts_during_a_look_is_found_by_the_next_one(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner = start("deaf")
    looks = iter([[], [4711], [], []])
    killed: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(process, "_marked", lambda mark: next(looks))
        patch.setattr(process.os, "kill", lambda number, _: killed.append(number))
        partner.kill()
    assert killed == [4711]


def hear_all(partner: Process) -> None:
    while True:
        partner.hear()


def tell_all(partner: Process) -> None:
    while True:
        partner.tell(b"x" * 60_000)


def running(place: Path) -> list[str]:
    commands = (" ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"]))
    return [command for command in commands if str(place) in command]


def test_a_signal_that_nohup_ignores_stays_ignored() -> None:
    code = """import os, signal
from bgrating.engine.process import ended_by_signals
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with ended_by_signals():
    os.kill(os.getpid(), signal.SIGHUP)
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "goes on\n"
