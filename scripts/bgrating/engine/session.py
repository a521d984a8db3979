"""Start an engine process and have it answer requests (inside/main.py), one after the other.

There is no other way to an engine. Each process has its own HOME, no terminal, one thread, and
limits of time and memory. Its clock may stand still at one second, which seeds the noise, and
shorten sleeps. docs/develop/engine.md has the reasons.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bgmatch.records import Json, Record
from bgrating.engine.engine_errors import (
    EngineCrashedError,
    EngineError,
    EngineFailedError,
    EngineKilledError,
    EngineNotFoundError,
    EngineTimeoutError,
)
from bgrating.engine.locate import Engine, check_identity
from bgrating.engine.process import (
    CRASHES,
    MOST_BYTES,
    EndedError,
    FloodError,
    LateError,
    Process,
    ended_by_signals,
    isolated,
    signal_name,
)
from bgrating.engine.protocol import MARK, memory_sentence

START_SECONDS = 60.0
_PROBLEMS = {"problem", "failed", "machine"}
_RAISE_THE_LIMIT = (
    "If it only needs longer, raise the limit (--time-limit, of a study --config"
    " time_limit_minutes=…)"
)


class Session:
    """An engine process. `begin` sets it up, `ask` sends a request, `close` ends it.

    With a `clock` (UTC) its time stands still at that second, the seed of its noise; analysis draws
    no noise. Its output goes to the `log`. After `begin`, `report` has what inside/main.py tells
    (`version`, `checksums`, `opening_evaluation`, `shown`) and the engine's `package`.
    """

    def __init__(
        self, engine: Engine, *, clock: datetime | None = None, log: Path | None = None
    ) -> None:
        self.report: Json = {}
        self._engine = engine
        self._log = log
        self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
        command, variables = engine.launch(clock)
        folder = Path(self._folder.name)
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
        environment = isolated(folder, variables)
        try:
            self.process = Process(
                command,
                log,
                environment=environment,
                folder=folder,
                by_cpu=True,
                longest=MOST_BYTES,
            )
        except OSError as problem:
            self._folder.cleanup()
            raise EngineNotFoundError(
                f"{command[0]} cannot be started: {problem.strerror}"
            ) from problem

    def begin(self, setup: Record, seconds: float = START_SECONDS) -> None:
        """Set the engine up. Raises EngineError if it is not the known one, or lacks something."""
        seconds = min(seconds, START_SECONDS)
        try:
            report = self.ask(setup, seconds)
        except EngineTimeoutError:
            raise EngineTimeoutError(
                f"the engine {self._engine.program} did not begin within {seconds:.0f} s: run the"
                " same command again"
            ) from None
        if report.keys() & _PROBLEMS:
            raise self.error(report)
        if self._engine.known.checksums:  # an engine that plays another has none
            check_identity(self._engine, report)
        names = ("version", "checksums", "opening_evaluation", "shown")
        self.report = {name: report[name] for name in names} | {"package": self._engine.package()}

    def ask(self, request: Record | str, seconds: float | None = None) -> Json:
        """Return the answer to a request within `seconds` of CPU, else within the last limit.

        The request may be JSON already.

        Raises EngineCrashedError, EngineKilledError, EngineTimeoutError.
        """
        if seconds is not None:
            self.process.limit(seconds)
        text = request if isinstance(request, str) else json.dumps(request)
        try:
            self.process.tell(text.encode())
            line = b""
            while not line.startswith(MARK):
                line = self.process.hear()
        except LateError:
            limit = f"within {self.process.seconds:.0f} s"
            raise EngineTimeoutError(
                f"the engine did not finish {limit} and was ended{self._where}"
            ) from None
        except FloodError as problem:
            raise EngineCrashedError(f"the engine failed: {problem}{self._where}") from None
        except EndedError as ended:
            raise self._ended(ended.code) from None
        try:
            answer: Json = json.loads(line.removeprefix(MARK))
        except ValueError as broken:
            raise EngineCrashedError(
                f"the engine's answer breaks off ({broken}){self._where}"
            ) from broken
        return answer

    def result(self, request: Record) -> Json:
        """Return the answer as `ask`; raise EngineError also if the answer reports a problem.

        The error names the remedy.
        """
        try:
            answer = self.ask(request)
        except EngineError as problem:
            remedy = "Nothing of this job is kept; run again to repeat just this job"
            if isinstance(problem, EngineTimeoutError):
                remedy = _RAISE_THE_LIMIT
            raise type(problem)(f"{problem}. {remedy}") from problem
        if answer.keys() & _PROBLEMS:
            raise self.error(answer)
        return answer

    def error(self, answer: Json) -> EngineFailedError:
        """Return the error that an answer reports."""
        if "machine" in answer:
            return EngineFailedError(
                f"{answer['machine']}: free some or set TMPDIR, then run again"
            )
        if "problem" in answer:
            return EngineFailedError(answer["problem"])
        return EngineFailedError(f"inside the engine: {answer['failed']}{self._where}")

    @property
    def _where(self) -> str:
        return f"; its output is in {self._log}" if self._log else ""

    def _ended(self, code: int | None) -> EngineError:
        memory = memory_sentence()
        where = f"; {memory}{self._where}" if memory else self._where
        if code is None:
            return EngineCrashedError(f"the engine closed its output{where}")
        if code >= 0:
            return EngineCrashedError(
                f"the engine {self._engine.program} ended by itself (exit code {code}){where}"
            )
        sent = signal_name(-code)
        if -code in CRASHES:
            return EngineCrashedError(f"the engine crashed ({sent}){where}")
        return EngineKilledError(
            f"the engine was ended from outside ({sent}: by a person, for want of memory, by a"
            " batch system)"
        )

    def close(self) -> None:
        self.process.close()
        self._folder.cleanup()


@contextmanager
def session(
    engine: Engine,
    setup: Record,
    seconds: float,
    *,
    log: Path | None = None,
    clock: datetime | None = None,
) -> Iterator[Session]:
    """Yield an engine that is set up, and end it afterwards, also if a signal ends this process.

    `seconds` of CPU are for all its requests together. Raises EngineError.
    """
    with ended_by_signals():
        running = Session(engine, clock=clock, log=log)
        try:
            running.begin(setup, seconds)
            running.process.limit(seconds)
            yield running
        finally:
            running.close()


def check_engine(engine: Engine) -> None:
    """Check an engine's version, weights and databases by starting it. Raises EngineError."""
    setup = {"match_equity_table": "Kazaross-XG2", "commands": [], "show": []}
    with session(engine, setup, START_SECONDS):
        pass
