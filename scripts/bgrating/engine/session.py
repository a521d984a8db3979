"""Run a gnubg process in isolation, wait for it, and report what went wrong.

Each process has a separate HOME and working folder, one thread, no standard input and a time limit. Its clock shows
one second, which seeds the noise, and shortens sleeps. docs/develop/engine.md has the reasons.
"""

import json
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bgrating.engine.errors import (
    EngineCrashedError,
    EngineFailedError,
    EngineKilledError,
    EngineNotFoundError,
    EngineTimeoutError,
)
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine, check_identity
from bgrating.engine.process import Process, isolated
from bgrating.engine.room import room_problem

INSIDE = Path(__file__).with_name("inside.py")

# The signals of a crash; any other comes from outside.
CRASHES = {signal.Signals[name] for name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS")
           if name in signal.Signals.__members__}  # fmt: skip

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """The answer of an engine process.

    `version` is its version line; `package` the package that it came in. `checksums` are the sha256 of weights and
    databases by file name. `opening_evaluation` are the five chances of the opening position (see inside.py). `shown`
    has the texts of the job's `show`, `match_equity_tables` gnubg's table by match length. `matches` has one dictionary
    a match, in the job's order.
    """

    version: str
    package: str
    checksums: Mapping[str, str]
    opening_evaluation: Sequence[float]
    shown: Mapping[str, str]
    match_equity_tables: Mapping[int, Any]
    matches: Sequence[Json]


def run_job(
    engine: Engine,
    job: Mapping[str, Any],
    *,
    folder: Path,
    clock: datetime,
    time_limit: float,
    log: Path,
) -> Answer:
    """Run one job (see inside.py) in a process of its own and return its answer.

    `folder` is an existing folder that becomes the process's HOME and working folder. `clock` is the UTC second that
    its clock shows, which is also its noise seed. `time_limit` is in seconds of wall time. The engine prints to `log`.

    Raises EngineNotFoundError, EngineVersionError, EngineCrashedError, EngineKilledError, EngineTimeoutError or
    EngineFailedError.
    """
    job_file, answer_file = folder / "job.json", folder / "answer.jsonl"
    try:
        job_file.write_text(json.dumps({**job, "engine_version": engine.known.version}), encoding="utf-8")
    except OSError as problem:
        raise _failed(str(problem), folder) from problem
    clock_settings = engine.environment(clock, job["task"])
    files = {"BGRATING_JOB": str(job_file), "BGRATING_ANSWER": str(answer_file)}
    environment = isolated(INSIDE, folder, clock_settings | files)
    command = engine.command(INSIDE)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as transcript:
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in clock_settings.items())
        transcript.write(f"$ {settings} {shlex.join(command)}\n".encode())
    exit_code = _wait(command, environment, folder, time_limit, log)
    if exit_code < 0:
        sent = signal.Signals(-exit_code)
        if sent in CRASHES:
            raise EngineCrashedError(
                f"{engine.program} crashed ({sent.name}). Nothing of this job is kept; run again to repeat just this "
                f"job. If it ends the same way, the last lines of {log} show where."
            )
        raise EngineKilledError(
            f"{engine.program} was ended from outside ({sent.name}: by a person, for want of memory, by a batch "
            f"system). Nothing of this job is kept; run again to repeat just this job."
        )
    lines = _read(answer_file)
    if not lines:
        raise _failed(
            f"{engine.program} ended with exit code {exit_code} and no answer: is it GNU Backgammon, "
            f"built with Python? Its output is in {log}",
            folder,
        )
    return _interpret(engine, lines, len(job["matches"]), folder, log)


def _wait(command: Sequence[str], environment: Mapping[str, str], folder: Path, time_limit: float, log: Path) -> int:
    """Run the command to its end; return its exit code (negative: the signal that ended it)."""
    with _terminated_by_exception():
        try:
            process = Process(command, log, speaks=False, environment=environment, folder=folder)
        except OSError as problem:
            raise EngineNotFoundError(f"{command[0]} cannot be started: {problem.strerror}") from problem
        try:
            return process.wait(time_limit)
        except subprocess.TimeoutExpired as expired:
            raise EngineTimeoutError(
                f"{command[0]} did not finish within {time_limit:.0f} s and was ended. If the machine is only slow, "
                f"raise the limit (--time-limit, of a study --config time_limit_minutes=…); its output is in {log}"
            ) from expired
        finally:
            process.close()


def check_engine(engine: Engine) -> None:
    """Start an engine without a task, which checks its version, weights and databases. Raises EngineError."""
    job = {"task": "analyse", "match_equity_table": "Kazaross-XG2", "commands": [], "show": [], "matches": []}
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        folder = Path(place)
        run_job(engine, job, folder=folder, clock=ANALYSIS_CLOCK, time_limit=60.0, log=folder / "engine.log")


@contextmanager
def _terminated_by_exception() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception meanwhile, so that an interrupted run leaves no engine behind.

    Only the main thread may do that; a program with other threads calls `process.end_all`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _read(answer_file: Path) -> list[Json]:
    if not answer_file.is_file():
        return []
    try:
        return [json.loads(line) for line in answer_file.read_text(encoding="utf-8").splitlines()]
    except ValueError as broken:
        raise _failed(f"the engine's answer breaks off ({broken})", answer_file.parent) from broken


def _failed(problem: str, folder: Path) -> EngineFailedError:
    """Return the error of a job: the disk where that is full, since then the engine fails at anything."""
    room = room_problem(folder)
    return EngineFailedError(f"{room}: free some or set TMPDIR, then run again" if room else problem)


def _interpret(engine: Engine, lines: Sequence[Json], matches: int, folder: Path, log: Path) -> Answer:
    about, *rest = lines
    check_identity(engine, about)
    for line in rest:
        if "error" in line:
            raise _failed(f"inside {engine.program}: {line['error']}\nIts output is in {log}", folder)
    if not rest or rest[-1].get("finished") != matches:
        raise _failed(f"{engine.program} stopped before it had done its job; its output is in {log}", folder)
    tables = [line["match_equity_table"] for line in rest if "match_equity_table" in line]
    return Answer(
        version=about["version"],
        package=engine.package(),
        checksums=about["checksums"],
        opening_evaluation=about["opening_evaluation"],
        shown=next(line["shown"] for line in rest if "shown" in line),
        match_equity_tables={table["length"]: table["table"] for table in tables},
        matches=[line for line in rest if "file" in line],
    )
