"""A pool of engine processes that analyse matches in parallel, one match at a time each.

If a process crashes, hangs or is killed, its match is reported, and another process continues with
the rest.
"""

import queue
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from bgmatch.records import Json, Record
from bgrating.engine.commands import analysis_setup, check_analysis
from bgrating.engine.engine_errors import EngineCrashedError, EngineKilledError, EngineTimeoutError
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
    """A request (inside/analyse.py) about a match: the caller's `key` and the number of rolls.

    A request that waits for long is JSON, which takes less memory.
    """

    key: str
    rolls: int
    request: Record | str


def seconds_of_luck(level: Analysis, rolls: int) -> float:
    """Return about how many seconds of one core the luck of this many rolls takes."""
    return rolls * _LUCK[level.luckanalysis.plies] if level.luck else 0.0


def time_limit(level: Analysis, rolls: int) -> float:
    """Return the seconds after which an engine that analyses this many rolls counts as hung."""
    play = _PLAY[max(level.chequerplay.plies, level.cubedecision.plies)]
    return LEAST_SECONDS + _ALLOWANCE * (rolls * play + seconds_of_luck(level, rolls))


class Pool:
    """Engine processes that analyse at a level; each starts when there is a task for it."""

    def __init__(self, engine: Engine, level: Analysis, cores: int) -> None:
        self._engine = engine
        self._level = level
        self._cores = cores
        self._outstanding = 0  # tasks without an answer
        self._threads = ThreadPoolExecutor(cores)
        self._of_thread = threading.local()
        self._sessions: set[Session] = set()
        self._answers: queue.SimpleQueue[tuple[Task, Json] | BaseException] = queue.SimpleQueue()
        self._is_closing = False

    def run(self, tasks: Iterator[Task], *, wait: bool = True) -> Iterator[tuple[Task, Json]]:
        """Yield tasks with their answers: all, or without `wait` those that are there.

        A task is taken when a process is about to be free for it. An answer is that of
        inside/main.py with `report` (the engine), or `ended` and `problem` if the process ended.
        Raises EngineError if no engine can be started.
        """
        while True:
            for task in islice(tasks, 2 * self._cores - self._outstanding):
                self._threads.submit(self._answer, task)
                self._outstanding += 1
            if not self._outstanding:
                return
            try:
                # On macOS and with musl, Ctrl-C does not interrupt a wait without an end.
                answer = self._answers.get(block=wait, timeout=0.5)
            except queue.Empty:
                if wait:
                    continue
                return
            if isinstance(answer, BaseException):
                raise answer
            self._outstanding -= 1
            yield answer

    def close(self) -> None:
        """End the processes; unfinished tasks are lost."""
        self._is_closing = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for session in list(self._sessions):
            session.process.kill()
        self._threads.shutdown()
        while self._sessions:
            self._sessions.pop().close()

    def _answer(self, task: Task) -> None:
        """Answer a task with this thread's process; the next task starts another if it ended."""
        try:
            session = getattr(self._of_thread, "session", None) or self._start()
            try:
                answer = session.ask(task.request, time_limit(self._level, task.rolls))
                answer["engine"] = session.report
            except (EngineCrashedError, EngineKilledError, EngineTimeoutError) as problem:
                answer = {"ended": type(problem).__name__, "problem": str(problem)}
                self._of_thread.session = None
                self._sessions.discard(session)
                session.close()
            self._answers.put((task, answer))
        except BaseException as problem:  # raised in the thread that waits for answers
            self._answers.put(problem)

    def _start(self) -> Session:
        session = Session(self._engine)
        self._sessions.add(session)
        if self._is_closing:  # after `close` has looked
            session.process.kill()
        session.begin(analysis_setup(self._level))
        check_analysis(session.report["shown"]["show analysis"], self._level)
        self._of_thread.session = session
        return session
