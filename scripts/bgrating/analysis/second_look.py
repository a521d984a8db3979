"""Check the errors of a collection: analyse them again at 2-ply, within a budget of time.

Cube decisions without contact are analysed again too.

Each decision is selected by itself, so the figures of a match do not depend on the other matches. A
1-ply search keeps few candidates for 2-ply, and always the play that was made. So a verdict may
miss an error, but never invents one. Verdicts go into the store a few at a time. Those of a match
count when all of its decisions are analysed.

Then the quiz boards of one player are analysed at 3-ply. Where 2-ply and 3-ply agree, 4-ply agrees
too (people-depth/quiz.csv).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile

from bgmatch.records import Json, Record
from bgrating.analysis.analyst import Analyst, analysis_id, reason_of
from bgrating.analysis.store import Entry
from bgrating.decisions.decision_rows import DecisionId
from bgrating.decisions.decision_table import CHECKED, unpacked
from bgrating.decisions.flagged import Flagged, decision_id_of, flagged
from bgrating.decisions.thresholds import CHECKED_PLIES, COSTLY, NONE, QUIZ_LOSS, QUIZ_PLIES
from bgrating.engine import levels
from bgrating.engine.pool import Pool, Task

NAME = f"{CHECKED_PLIES}-ply"
DEEP = f"{QUIZ_PLIES}-ply"
STABLE = 0.03
"""Largest difference of the losses at 2-ply and 3-ply (EMG) that counts as agreement."""
BOARDS = 25
"""Boards of a quiz that 3-ply confirms."""
TOGETHER = 12
"""Decisions of a task, about a second of work: a kill loses no more."""

EngineInputs = Callable[[str], Json | None]
"""Returns a match for the engine by its key (collection/readings.py), or None if its file has
changed."""
Step = Callable[[str, int, int, float | None], None]
_COLUMNS = ("game", "ply", "kind", *CHECKED)


@dataclass
class _Verdicts:
    """Decisions of a match requested of a deeper analysis, and its verdicts (rows)."""

    requested: set[DecisionId]
    rows: dict[DecisionId, Json]

    def add(self, answer: Record) -> None:
        """Add an answer of the engine, or what the store has kept."""
        self.requested |= set(map(tuple, answer["asked"]))
        for row in answer["checked"]:
            self.rows[decision_id_of(row)] = {column: row[column] for column in _COLUMNS}


class _DeeperAnalyst:
    """An engine at a deeper level, and its verdicts, which the store keeps."""

    def __init__(self, analyst: Analyst, name: str) -> None:
        self._analyst = analyst
        self._level = levels.analysis(f"{name}-screened")
        self._analysis_id = f"check {analysis_id(analyst.engine, self._level)}"
        self._verdicts: dict[str, _Verdicts] = {}

    def pool(self) -> Pool:
        return Pool(self._analyst.engine, self._level, self._analyst.cores)

    def of(self, key: str) -> _Verdicts:
        """Return what was requested about a match and the verdicts, at first from the store."""
        if key not in self._verdicts:
            self._verdicts[key] = _Verdicts(set(), {})
            entry = self._analyst.store.entry(key, self._analysis_id)
            if entry:
                self._verdicts[key].add(entry.value)
        return self._verdicts[key]

    def add(self, task: Task, answer: Json) -> None:
        """Add the verdicts of a task to those of its match, and keep all of them in the store."""
        verdicts = self.of(task.key)
        verdicts.add(answer)
        value = {"asked": sorted(verdicts.requested), "checked": list(verdicts.rows.values())}
        self._analyst.store.put(task.key, self._analysis_id, Entry(value))


class SecondLook:
    """The decisions of a collection to judge again, and their verdicts.

    The `analyst` is the first judge: below 2-ply errors are judged again, unless `check` is NONE.
    `pending` has the decisions still to judge, by match, of matches whose files are there; `gone`
    are the other matches. `judged` counts decisions that this run judged, `acquitted` those of them
    that are no errors.
    """

    def __init__(self, analyst: Analyst, check: str) -> None:
        self._analyst = analyst
        self._second = _DeeperAnalyst(analyst, NAME)
        self._third = _DeeperAnalyst(analyst, DEEP)
        self.is_requested = check != NONE and analyst.level.cubedecision.plies < CHECKED_PLIES
        self.flagged: dict[str, list[Flagged]] = {}
        self.pending: dict[str, list[Flagged]] = {}
        self.judged = 0
        self.acquitted = 0
        self.gone: set[str] = set()
        self._confirmed: set[tuple[str, DecisionId]] = set()
        self._problems: list[str] = []

    def plan(self, keys: Iterable[str]) -> None:
        """Select the decisions of these matches to judge again, and load earlier verdicts."""
        for key in keys if self.is_requested else ():
            self.flagged[key] = flagged(unpacked(self._analyst.decisions(key)))
            self._set_pending(key)

    def only(self, keys: Iterable[str]) -> None:
        """Keep these matches only; the others are duplicates."""
        for key in self.flagged.keys() - keys:
            del self.flagged[key]
            self.pending.pop(key, None)
            self.gone.discard(key)

    def is_checked(self, key: str) -> bool:
        """Return whether all selected decisions of a match are judged."""
        return key in self.flagged and key not in self.pending and key not in self.gone

    @property
    def checked_matches(self) -> int:
        """Return the number of checked matches."""
        return len(self.flagged) - len(self.pending) - len(self.gone)

    def verdicts(self, key: str) -> Mapping[DecisionId, Json]:
        """Return the verdicts on a checked match; none for another one."""
        return self._second.of(key).rows if self.is_checked(key) else {}

    def verdict_columns(self, key: str) -> dict[DecisionId, Json]:
        """Return the verdicts on a checked match as columns of the table of decisions."""
        columns = {}
        for decision_id, row in self.verdicts(key).items():
            columns[decision_id] = {f"checked_{name}": row[name] for name in CHECKED}
            columns[decision_id]["checked_by"] = NAME
            is_confirmed = (key, decision_id) in self._confirmed
            columns[decision_id]["confirmed_by"] = DEEP if is_confirmed else None
        return columns

    def run(
        self, order: Sequence[str], engine_inputs: EngineInputs, deadline: float, step: Step
    ) -> float | None:
        """Judge pending decisions, match by match in this order.

        After the `deadline` (time.monotonic) no task begins. `step` receives the progress. Return
        the seconds that the rest takes, None if no decision was judged. Raises EngineError,
        StoreError.
        """
        self._problems.clear()
        began = time.monotonic()
        before = self.judged
        seconds_left = None
        step("matches checked", self.checked_matches, len(order), seconds_left)
        tasks = takewhile(lambda _: time.monotonic() < deadline, self._tasks(order, engine_inputs))
        with closing(self._second.pool()) as pool:
            for task, answer in pool.run(tasks):
                if "checked" not in answer:
                    self._problems.append(reason_of(answer))
                    continue
                self._keep(task, answer)
                pace = (time.monotonic() - began) / (self.judged - before)
                seconds_left = pace * self.count()
                step("matches checked", self.checked_matches, len(order), seconds_left)
        return seconds_left

    def _tasks(self, order: Sequence[str], engine_inputs: EngineInputs) -> Iterator[Task]:
        """Yield tasks of at most TOGETHER decisions of a match, the costliest first."""
        for key in [key for key in order if key in self.pending]:
            engine_input = engine_inputs(key)
            if engine_input is None:
                self.gone.add(key)
                del self.pending[key]
                continue
            decisions = sorted(self.pending[key], key=lambda decision: -decision.loss_emg)
            for start in range(0, len(decisions), TOGETHER):
                decision_ids = [decision.id for decision in decisions[start : start + TOGETHER]]
                yield _task(engine_input, decision_ids)

    def summary(self) -> str:
        """Return a sentence on the decisions that this run judged, and on failures."""
        failed = ""
        if self._problems:
            failed = f" Not checked: {len(self.pending)} matches ({min(self._problems)})."
        if self.gone:
            failed += f" Matches whose files have gone or were changed: {len(self.gone)}."
        return (
            f"Checked {self.judged:,} errors at {NAME}: {self.acquitted:,} of them are none."
            f"{failed}"
        )

    def count(self) -> int:
        """Return the number of pending decisions."""
        return sum(map(len, self.pending.values()))

    @property
    def is_failing(self) -> bool:
        """Return whether the last attempt had a problem, which another attempt of this run would
        have too.
        """
        return bool(self._problems)

    def confirm(
        self,
        candidates: Sequence[tuple[str, DecisionId]],
        engine_inputs: EngineInputs,
        deadline: float,
        step: Step,
    ) -> None:
        """Judge decisions at 3-ply in their order, until BOARDS of them are confirmed or the time
        is over. `step` receives the progress.
        """
        cores = self._analyst.cores
        with closing(self._third.pool()) as pool:
            for start in range(0, len(candidates), cores):
                step("errors judged again at 3-ply", start, len(candidates), None)
                boards = candidates[start : start + cores]
                requested = [
                    (engine_inputs(key), decision_id)
                    for key, decision_id in boards
                    if decision_id not in self._third.of(key).requested
                    and time.monotonic() < deadline
                ]
                tasks = [_task(match, [decision_id]) for match, decision_id in requested if match]
                for task, answer in pool.run(iter(tasks)):
                    if "checked" in answer:
                        self._third.add(task, answer)
                for key, decision_id in boards:
                    third = self._third.of(key).rows.get(decision_id)
                    second = self._second.of(key).rows[decision_id]
                    if third and abs(third["loss_emg"] - second["loss_emg"]) <= STABLE:
                        self._confirmed.add((key, decision_id))
                    if len(self._confirmed) == BOARDS:  # a board more would depend on the cores
                        return

    def boards(self, keys_and_sides: Iterable[tuple[str, str]]) -> list[tuple[str, DecisionId]]:
        """Return the errors of a player that a quiz may ask, worst first, by the player's sides of
        matches.
        """
        errors = []
        for key, side in keys_and_sides:
            verdicts = self.verdicts(key)
            for decision in self.flagged.get(key, ()):
                loss = verdicts.get(decision.id, {}).get("loss_emg", 0.0)
                if decision.side == side and loss >= QUIZ_LOSS:
                    errors.append((-loss, key, decision.id))
        return [(key, decision_id) for _, key, decision_id in sorted(errors)]

    def _set_pending(self, key: str) -> None:
        """Note which decisions of a match are still to judge."""
        requested = self._second.of(key).requested
        pending = [decision for decision in self.flagged[key] if decision.id not in requested]
        if pending:
            self.pending[key] = pending
        else:
            self.pending.pop(key, None)

    def _keep(self, task: Task, answer: Json) -> None:
        """Keep the verdicts on decisions; the engine cannot judge those without a row."""
        self._second.add(task, answer)
        self._set_pending(task.key)
        self.judged += len(answer["asked"])
        rows = {decision_id_of(row): row for row in answer["checked"]}
        for decision in self.flagged[task.key]:
            if decision.id in rows:
                loss = rows[decision.id]["loss_emg"]
                self.acquitted += decision.loss_emg >= COSTLY > loss


def _task(engine_input: Json, decision_ids: Sequence[DecisionId]) -> Task:
    request = {"task": "judge", **engine_input, "check": decision_ids}
    return Task(engine_input["key"], TOGETHER, request)
