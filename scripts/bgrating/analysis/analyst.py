"""Analyse the matches of a collection.

Take stored analyses from the store, compute the others in the pool.
"""

import hashlib
import heapq
import json
import time
from collections.abc import Iterator, Mapping

from bgmatch.records import Json, Record
from bgrating.analysis.statuses import KILLED, NOT_ANALYSED
from bgrating.analysis.store import AnalysisStore, Entry
from bgrating.engine.commands import analysis_commands
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.provenance import engine_identity, sha256

_BY_MACHINE = {"EngineKilledError": KILLED, "EngineTimeoutError": NOT_ANALYSED}


def analysis_id(engine: Engine, level: Analysis) -> str:
    """Return a fingerprint of an engine and its analysis settings.

    It is a hash of the engine's build, its data, the match-equity table and every command.
    """
    settings = (
        engine.known.reported,
        sorted(engine.known.checksums.items()),
        sha256(engine.program),
        level.match_equity_table,
        analysis_commands(level),
    )
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:32]


class Analyst:
    """Has an engine analyse the matches of a collection at a level, the longest first.

    `values` has the engine's figures of the matches that are analysed so far, by their keys.
    `problems` has the reasons of matches without analysis, by their keys. `done` and `total` count
    matches that the store lacked, `rolls` counts their rolls. The engine starts with the first
    `take`.
    """

    def __init__(self, engine: Engine, level: Analysis, store: AnalysisStore, cores: int) -> None:
        self.analysis_id = analysis_id(engine, level)
        self.values: dict[str, Json] = {}
        self.problems: dict[str, str] = {}
        self.total = 0
        self.done = 0
        self.rolls = 0
        self.engine = engine
        self.level = level
        self.store = store
        self.cores = cores
        self._pool = Pool(engine, level, cores)
        # A heap, with the requests as JSON, which takes less memory.
        self._waiting: list[tuple[int, str, str]] = []
        self._began = 0.0
        self._rolls_done = 0

    def has(self, key: str) -> bool:
        """Return whether the store has the analysis of a match; if so, take its figures."""
        entry = self.store.entry(key, self.analysis_id)
        if entry:
            self.values[key] = entry.value
        return entry is not None

    @property
    def failed_here(self) -> list[str]:
        """Return why this machine, rather than a match, stopped analyses, in the order of keys."""
        problems = [self.problems[key] for key in sorted(self.problems)]
        return [problem for problem in problems if problem.startswith((KILLED, NOT_ANALYSED))]

    def submit(self, engine_input: Record) -> None:
        """Have a match analysed after those that are longer."""
        rolls = engine_input["rolls"]
        request = json.dumps({"task": "analyse", **engine_input})
        heapq.heappush(self._waiting, (-rolls, engine_input["key"], request))
        self.total += 1
        self.rolls += rolls

    def begin(self, problems: Mapping[str, str]) -> None:
        """Begin to count the time. Matches with one of these problems are not tried again."""
        self.problems |= problems
        self._began = time.monotonic()

    def _tasks(self) -> Iterator[Task]:
        while self._waiting:
            rolls, key, request = heapq.heappop(self._waiting)
            if key in self.problems:
                self._count(-rolls)
            else:
                yield Task(key, -rolls, request)

    def _count(self, rolls: int) -> None:
        self.done += 1
        self._rolls_done += rolls

    def take(self, *, wait: bool = False) -> int:
        """Keep the finished analyses, or with `wait` the next one too; return their number.

        Raises EngineError if no engine can be started.
        """
        count = 0
        for task, answer in self._pool.run(self._tasks(), wait=wait):
            self._keep(task.key, answer)
            self._count(task.rolls)
            count += 1
            if wait:
                break
        return count

    def seconds_left(self) -> float | None:
        """Return how long the rest takes at the pace so far; None before the first answer."""
        if not self._rolls_done:
            return None
        return (time.monotonic() - self._began) * (self.rolls / self._rolls_done - 1)

    def decisions(self, key: str) -> bytes:
        """Return the decisions of an analysed match, packed: those of all would fill the memory.

        Raises StoreError if another command removed them.
        """
        return self.store.here(key, self.analysis_id).decisions

    def close(self) -> None:
        self._pool.close()

    def _keep(self, key: str, answer: Json) -> None:
        problem = _problem(answer)
        if problem:
            self.problems[key] = problem
            return
        # Imports Arrow, which takes long and which a wrong request does not need.
        from bgrating.decisions.decision_table import packed  # noqa: PLC0415

        self.values[key] = {"rows": answer["rows"], **engine_identity(answer["engine"])}
        entry = Entry(self.values[key], packed(answer["decisions"]))
        self.store.put(key, self.analysis_id, entry)


def reason_of(answer: Json) -> str:
    """Return why an answer (pool.py) has no figures, in one line; empty if it has them."""
    reasons = [answer[name] for name in ("machine", "failed", "problem") if name in answer]
    return escape_controls("".join(reasons))


def _problem(answer: Json) -> str:
    """Return why a match has no analysis, for its file; empty if it has one.

    It begins with KILLED or NOT_ANALYSED if this machine caused it.
    """
    reason = reason_of(answer)
    if "machine" in answer:
        return f"{NOT_ANALYSED}: {reason}: run again when there is room"
    if "failed" in answer:
        return f"its figures cannot be read ({reason}): please report this file"
    status = _BY_MACHINE.get(answer.get("ended", ""))
    return f"{status}: {reason}; run again" if status else reason
