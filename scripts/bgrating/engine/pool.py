"""A pool of engine processes that analyse matches in parallel, one match at a time each, the
longest first.

If a process crashes, hangs or is killed, its match is reported, and another process continues with
the rest.
"""

import itertools
import math
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from bgmatch.records import Json, Record
from bgrating.engine.commands import analysis_setup, check_analysis
from bgrating.engine.errors import EngineCrashedError, EngineKilledError, EngineTimeoutError
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.session import Session

LEAST_SECONDS = 30.0
_ALLOWANCE = 20.0
# Seconds of CPU a roll by plies, measured for gnubg 1.07.001 on one core of 2 GHz; another ply
# costs 20 times more.
_PLAY = (0.0001, 0.003, 0.05, 1.0, 20.0)
_LUCK = (0.001, 0.02, 0.4, 8.0, 160.0)


@dataclass(frozen=True)
class Task:
    """A request (inside/analyse.py) about a match: the caller's `key` and the number of rolls."""

    key: str
    rolls: int
    request: Record


def seconds_of_luck(level: Analysis, rolls: int) -> float:
    """Return about how many seconds of one core the luck of this many rolls takes."""
    return rolls * _LUCK[min(level.luckanalysis.plies, len(_LUCK) - 1)] if level.luck else 0.0


def time_limit(level: Analysis, rolls: int) -> float:
    """Return the seconds after which an engine that analyses this many rolls counts as hung."""
    play = _PLAY[min(max(level.chequerplay.plies, level.cubedecision.plies), len(_PLAY) - 1)]
    return LEAST_SECONDS + _ALLOWANCE * (rolls * play + seconds_of_luck(level, rolls))


class Pool:
    """Engine processes that analyse at a level; each starts when there is a task for it."""

    def __init__(self, engine: Engine, level: Analysis, cores: int) -> None:
        self._engine = engine
        self._level = level
        # The longest waiting task comes first; None ends a thread.
        self._tasks: queue.PriorityQueue[tuple[float, int, Task | None]] = queue.PriorityQueue()
        self._number = itertools.count()
        self._answers: queue.SimpleQueue[tuple[Task, Json] | BaseException] = queue.SimpleQueue()
        self._given = self._taken = 0
        self._closing = False
        self._sessions: set[Session] = set()
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
        """Number of tasks without an answer."""
        return self._given - self._taken

    def answers(self, *, wait: bool) -> Iterator[tuple[Task, Json]]:
        """Yield tasks with their answers.

        Those that are there, or with `wait` all that are still to come.

        An answer is that of inside/main.py with `about` (the engine), or `ended` and `reason` if
        the process ended. Raises EngineError if no engine can be started.
        """
        while self._taken < self._given:
            try:
                # On some systems Ctrl-C does not interrupt a wait without an end.
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
        """End the processes; unfinished tasks are lost."""
        self._closing = True
        for _ in self._threads:
            self._tasks.put((-math.inf, next(self._number), None))
        for session in list(self._sessions):
            session.process.kill()
        for thread in self._threads:
            thread.join()

    def _feed(self) -> None:
        """Feed tasks to this thread's session; start another one after it ended."""
        session: Session | None = None
        try:
            while (task := self._tasks.get()[2]) is not None:
                session = session or self._start()
                try:
                    answer = session.ask(task.request, time_limit(self._level, task.rolls)) | {
                        "about": session.about
                    }
                except (EngineCrashedError, EngineKilledError, EngineTimeoutError) as problem:
                    answer = {"ended": type(problem).__name__, "reason": str(problem)}
                    self._end(session)
                    session = None
                self._answers.put((task, answer))
        except BaseException as problem:  # raised in the thread that waits for answers
            self._answers.put(problem)
        finally:
            if session:
                self._end(session)

    def _start(self) -> Session:
        session = Session(self._engine)
        self._sessions.add(session)
        if self._closing:  # after `close` has looked
            session.process.kill()
        try:
            session.begin(analysis_setup(self._level))
            check_analysis(session.about["shown"]["show analysis"], self._level)
        except BaseException:
            self._end(session)
            raise
        return session

    def _end(self, session: Session) -> None:
        self._sessions.discard(session)
        session.close()
