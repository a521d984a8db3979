"""A pool of engine processes that analyse matches side by side, each handed one match at a time, the longest first.

Every process has a HOME of its own, no standard input and no signals from the terminal (worker.py). If one crashes,
hangs or is killed, its match is reported, and another process continues with the rest (engine/process.py ends it).
"""

import itertools
import json
import math
import queue
import signal
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bgrating.engine.commands import analysis_commands, check_analysis
from bgrating.engine.errors import (
    EngineCrashedError,
    EngineError,
    EngineFailedError,
    EngineKilledError,
    EngineNotFoundError,
    EngineTimeoutError,
)
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine, check_identity
from bgrating.engine.process import MOST_BYTES, EndedError, FloodError, LateError, Process, isolated
from bgrating.engine.session import CRASHES

Json = dict[str, Any]

MARK = b"\x1ebgrating "  # as in analysis/worker.py, which only an engine can import

START_SECONDS = 60.0
LEAST_SECONDS = 30.0
_ALLOWANCE = 20.0
# Seconds of CPU a roll, measured for gnubg 1.07.001 on one core of 2 GHz; deeper plies cost about 20 times more each.
_PLAY = (0.0001, 0.003, 0.05, 1.0, 20.0)
_LUCK = (0.001, 0.02, 0.4, 8.0, 160.0)


@dataclass(frozen=True)
class Task:
    """A content to be analysed: the owner's `key` and `part` of it, its rolls, and itself as JSON for worker.py."""

    key: str
    rolls: int
    content: bytes
    part: str = ""


def seconds_of_luck(level: Analysis, rolls: int) -> float:
    """Return about how many seconds of one core the luck of so many rolls takes."""
    return rolls * _LUCK[min(level.luckanalysis.plies, len(_LUCK) - 1)] if level.luck else 0.0


def time_limit(level: Analysis, rolls: int) -> float:
    """Return after how many seconds an engine at work on so many rolls counts as hung."""
    play = _PLAY[min(max(level.chequerplay.plies, level.cubedecision.plies), len(_PLAY) - 1)]
    return LEAST_SECONDS + _ALLOWANCE * (rolls * play + seconds_of_luck(level, rolls))


class Pool:
    """Engine processes that analyse tasks at a level; they start when there is work for them.

    `script` is what runs inside each of them (analysis/worker.py).
    """

    def __init__(self, engine: Engine, level: Analysis, cores: int, script: Path) -> None:
        self._engine, self._level, self._script = engine, level, script
        # Of tasks that wait the longest is done first; None ends a thread.
        self._tasks: queue.PriorityQueue[tuple[float, int, Task | None]] = queue.PriorityQueue()
        self._number = itertools.count()
        self._answers: queue.SimpleQueue[tuple[Task, Json] | BaseException] = queue.SimpleQueue()
        self._given = self._taken = 0
        self._closing = False
        self._workers: set[_Worker] = set()
        self._threads: list[threading.Thread] = []
        self._cores = max(1, cores)

    def submit(self, task: Task) -> None:
        self._tasks.put((-task.rolls, next(self._number), task))
        self._given += 1
        if len(self._threads) < min(self._cores, self._given - self._taken):
            self._threads.append(threading.Thread(target=self._feed, daemon=True))
            self._threads[-1].start()

    @property
    def outstanding(self) -> int:
        """How many tasks have no answer yet."""
        return self._given - self._taken

    def answers(self, *, wait: bool) -> Iterator[tuple[Task, Json]]:
        """Yield tasks with their answers, those that are there, or with `wait` all that are still to come.

        An answer is worker.py's, or `ended` and `reason` where the process ended. Raises EngineError where no engine
        can be had.
        """
        while self._taken < self._given:
            try:
                # A wait without an end would not be interrupted by Ctrl-C everywhere.
                answer = self._answers.get(timeout=0.5) if wait else self._answers.get_nowait()
            except queue.Empty:
                if not wait:
                    return
                continue
            if isinstance(answer, BaseException):
                raise answer
            self._taken += 1
            yield answer

    def close(self) -> None:
        """End the processes; what they were at work on is lost."""
        self._closing = True
        for _ in self._threads:
            self._tasks.put((-math.inf, next(self._number), None))
        for worker in list(self._workers):
            worker.kill()
        for thread in self._threads:
            thread.join()

    def _feed(self) -> None:
        """Hand tasks to a process of this thread's own, another one where it ended."""
        worker: _Worker | None = None
        try:
            while (task := self._tasks.get()[2]) is not None:
                if worker is None:
                    worker = self._start()
                try:
                    answer = worker.ask(task.content, time_limit(self._level, task.rolls))
                except (EngineCrashedError, EngineKilledError, EngineTimeoutError) as problem:
                    answer = {"ended": type(problem).__name__, "reason": str(problem)}
                    self._end(worker)
                    worker = None
                self._answers.put((task, {**answer, **worker.about} if worker else answer))
        except BaseException as problem:  # goes up in the thread that waits for answers
            self._answers.put(problem)
        finally:
            if worker:
                self._end(worker)

    def _start(self) -> "_Worker":
        worker = _Worker(self._engine, self._script)
        self._workers.add(worker)
        if self._closing:  # after `close` has looked
            worker.kill()
        try:
            worker.set_up(self._level)
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: "_Worker") -> None:
        self._workers.discard(worker)
        worker.close()


class _Worker:
    def __init__(self, engine: Engine, script: Path) -> None:
        self._engine = engine
        self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
        self.about: Json = {}
        command, variables = engine.worker(script)
        folder = Path(self._folder.name)
        environment = isolated(script, folder, variables)
        try:
            self._process = Process(command, environment=environment, folder=folder, by_cpu=True, longest=MOST_BYTES)
        except OSError as problem:
            self._folder.cleanup()
            raise EngineNotFoundError(f"{command[0]} cannot be started: {problem.strerror}") from problem

    def set_up(self, level: Analysis) -> None:
        """Set the level. Raises EngineError where the engine is not the known one or does not take its settings."""
        setup = {
            "match_equity_table": level.match_equity_table,
            "commands": analysis_commands(level),
            "show": ["show analysis"],
        }
        try:
            about = self.ask(json.dumps(setup).encode(), START_SECONDS)
        except EngineTimeoutError:
            raise EngineTimeoutError(
                f"the engine {self._engine.program} did not begin within {START_SECONDS:.0f} s: run the same command "
                "again"
            ) from None
        if "machine" in about:
            raise EngineFailedError(f"{about['machine']}: free some, then run the same command again")
        if "failed" in about:
            raise EngineFailedError(f"inside {self._engine.program}: {about['failed']}")
        check_identity(self._engine, about)
        check_analysis(about["shown"]["show analysis"], level)
        engine = {name: about[name] for name in ("version", "checksums")}
        self.about = {"engine": engine, "opening_evaluation": about["opening_evaluation"]}

    def ask(self, request: bytes, seconds: float) -> Json:
        """Return the answer to a request (a line of JSON) that comes within so many seconds.

        Raises EngineCrashedError, EngineKilledError, EngineTimeoutError.
        """
        self._process.limit(seconds)
        try:
            self._process.tell(request)
            while not (line := self._process.hear()).startswith(MARK):
                pass
        except LateError:
            raise EngineTimeoutError(f"the engine did not finish with it within {seconds:.0f} s") from None
        except FloodError as problem:
            raise EngineCrashedError(f"the engine failed on it: {problem}") from None
        except EndedError as ended:
            raise self._ended(ended.code) from None
        answer: Json = json.loads(line.removeprefix(MARK))
        return answer

    def _ended(self, code: int | None) -> EngineError:
        if code is not None and code < 0 and signal.Signals(-code) not in CRASHES:
            return EngineKilledError("the engine was ended while it was at work on it; run again")
        if code is not None and code < 0:
            return EngineCrashedError("the engine crashed on it")
        return EngineCrashedError(f"the engine {self._engine.program} ended by itself on it (exit code {code})")

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.close()
        self._folder.cleanup()
