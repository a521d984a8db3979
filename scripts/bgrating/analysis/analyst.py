"""Analyse the matches of a collection.

Take stored analyses from the store, compute the others in the pool.
"""

import hashlib
import json
import time
from collections.abc import Iterable

from bgmatch.gnubg_sgf import LUCK, PLAYS_AND_CUBE
from bgmatch.records import Json, Record
from bgrating.analysis.statuses import KILLED, NOT_ANALYSED
from bgrating.analysis.store import AnalysisStore, Entry
from bgrating.engine.commands import analysis_commands
from bgrating.engine.levels import Analysis
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task, seconds_of_luck
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.provenance import sha256


def analysis_id(engine: Engine, level: Analysis) -> str:
    """Return a fingerprint of an engine and its analysis settings.

    It is a hash of the engine's build, its data, the match-equity table and every command.
    """
    about = (
        engine.known.version,
        sorted(engine.known.checksums.items()),
        sha256(engine.program),
        level.match_equity_table,
        analysis_commands(level),
    )
    return hashlib.sha256(repr(about).encode()).hexdigest()[:32]


class Analyst:
    """Has an engine analyse the matches of a collection at a level.

    `problems` gives the reason by key of a match without analysis; the reasons of `failed_here` lie
    with this machine. `done` and `total` count matches that the store lacked.

    With `luck_last` the engine analyses plays and cube of all matches first, and luck after
    `begin_luck`.
    """

    def __init__(
        self,
        engine: Engine,
        level: Analysis,
        store: AnalysisStore,
        cores: int,
        *,
        luck_last: bool = False,
    ) -> None:
        self.analysis_id = analysis_id(engine, level)
        self.store = store
        self._first_id = f"{PLAYS_AND_CUBE} {self.analysis_id}"
        self._level = level
        self._cores = cores
        self._luck_last = luck_last and level.luck
        # Matches whose luck is still to be analysed; after `begin_luck` the longest is the last.
        self._later: list[tuple[int, str, bytes]] = []
        self.problems: dict[str, str] = {}
        self.failed_here: set[str] = set()
        self.total = self.done = 0
        self._pool = Pool(engine, level, cores)
        self._started = 0.0
        self._rolls = self._rolls_done = 0

    def has(self, key: str) -> bool:
        return self.store.entry(key, self.analysis_id) is not None

    def analysed(self, keys: Iterable[str]) -> list[str]:
        """Return the keys of matches without a problem."""
        return [key for key in keys if key not in self.problems]

    def submit(self, engine_input: Record) -> None:
        """Have a match analysed, or only its luck if the store has the rest."""
        request = {"task": "analyse", **engine_input}
        if self._luck_last:
            # JSON takes less memory until the luck is analysed.
            self._later.append(
                (engine_input["rolls"], engine_input["key"], json.dumps(engine_input).encode())
            )
            if self.store.entry(engine_input["key"], self._first_id):
                return
            request["part"] = PLAYS_AND_CUBE
        self.total += 1
        self._rolls += engine_input["rolls"]
        self._start(request)

    def _start(self, request: Json) -> None:
        self._started = self._started or time.monotonic()
        self._pool.submit(Task(request["key"], request["rolls"], request))

    def seconds_of_luck(self) -> float:
        """Return about how many seconds of one core the luck takes that has not begun."""
        return seconds_of_luck(self._level, sum(rolls for rolls, *_ in self._later))

    def begin_luck(self) -> None:
        """Begin with the luck of all matches; counts and time start again."""
        self._started = time.monotonic()
        self._luck_last = False
        self._later = sorted(item for item in self._later if item[1] not in self.problems)
        self.total, self._rolls = len(self._later), sum(rolls for rolls, *_ in self._later)
        self.done = self._rolls_done = 0
        self._go_on()

    def _go_on(self) -> None:
        # Matches go to the engines just in time: all of them at once would fill the memory.
        while self._later and not self._luck_last and self._pool.outstanding < 2 * self._cores:
            rolls, key, engine_input = self._later.pop()
            if self.store.entry(key, self._first_id) is None:
                # Another run has analysed its luck and removed the first answer.
                self.store.here(key, self.analysis_id)
                self.done += 1
                self._rolls_done += rolls
                continue
            self._start({"task": "analyse", **json.loads(engine_input), "part": LUCK})

    def take(self, *, wait: bool = False) -> int:
        """Keep the finished analyses, or with `wait` the next one too; return their number.

        Raises EngineError if no engine can be started, StoreError if an analysis was removed
        meanwhile.
        """
        count = 0
        for task, answer in self._pool.answers(wait=wait):
            self._keep(task, answer)
            self.done += 1
            self._rolls_done += task.rolls
            count += 1
            self._go_on()
            if wait:
                break
        return count

    def seconds_left(self) -> float | None:
        """Return how long the rest takes at the pace so far; None before the first answer."""
        if not self._rolls_done:
            return None
        return (time.monotonic() - self._started) * (self._rolls / self._rolls_done - 1)

    def found(self, key: str, *, luck: bool = True) -> Entry:
        """Return the analysis of a match without a problem, without `luck` perhaps only of its
        plays and cube.

        Raises StoreError if another command removed it.
        """
        first = None if luck else self.store.entry(key, self._first_id)
        return first or self.store.here(key, self.analysis_id)

    def close(self) -> None:
        self._pool.close()

    def _keep(self, task: Task, answer: Json) -> None:
        key = task.key
        part = task.request.get("part")
        if problem := _problem(answer):
            self.problems[key] = escape_controls(problem)
            if "machine" in answer or answer.get("ended") in {
                "EngineKilledError",
                "EngineTimeoutError",
            }:
                self.failed_here.add(key)
            return
        # Imports Arrow, which takes long and which a wrong request does not need.
        from bgrating.decisions.decision_table import packed, with_luck  # noqa: PLC0415

        rows = answer["rows"]
        decided = answer["decisions"]
        if part == LUCK:
            first = self.store.entry(key, self._first_id)
            if first is None:
                # Another command has analysed its luck and removed the first answer.
                self.store.here(key, self.analysis_id)
                return
            rows = [row | luck for row, luck in zip(first.value["rows"], rows, strict=True)]
            decisions = with_luck(first.decisions, decided)
        else:
            decisions = packed(decided)
        about = answer["about"]
        value = {
            "rows": rows,
            "engine": {name: about[name] for name in ("version", "checksums", "package")},
            "opening_evaluation": about["opening_evaluation"],
        }
        analysis_id = self._first_id if part == PLAYS_AND_CUBE else self.analysis_id
        self.store.put(key, analysis_id, Entry(value, decisions))
        if part == LUCK:
            self.store.forget(key, self._first_id)


def _problem(answer: Json) -> str:
    """Return why an answer (pool.py) has no analysis; empty if it has one."""
    if "machine" in answer:
        return f"{NOT_ANALYSED}: {answer['machine']}: run again when there is room"
    if "problem" in answer:
        return str(answer["problem"])
    if "failed" in answer:
        return f"its figures cannot be read ({answer['failed']}): please report this file"
    return {
        "": "",
        "EngineKilledError": f"{KILLED}: {answer.get('reason')}; run again",
        "EngineTimeoutError": f"{NOT_ANALYSED}: {answer.get('reason')}; run again",
    }.get(answer.get("ended", ""), str(answer.get("reason")))
