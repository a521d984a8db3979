"""Judge the errors of a collection again at 2-ply, within a budget of time.

Cube decisions without contact are judged again too.

Each decision is selected by itself, so the figures of a match do not depend on the other matches. A
1-ply search keeps few candidates for 2-ply, and always the play that was made: a verdict may miss
an error, but never invents one. Verdicts go into the store a few at a time. Those of a match count
when all of its decisions are judged.

Then the quiz boards of one player are judged at 3-ply. Where 2-ply and 3-ply agree, 4-ply agrees
too (people-depth/quiz.csv).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from bgmatch.records import Json
from bgrating.analysis.analyst import Analyst, analysis_id, reason_of
from bgrating.analysis.store import Entry
from bgrating.decisions.decision_rows import Place
from bgrating.decisions.decision_table import CHECKED, unpacked
from bgrating.decisions.flagged import Flagged, flagged, place_of
from bgrating.decisions.thresholds import ASKED, CHECKED_PLIES, COSTLY, NONE, QUIZ_PLIES
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
class _Judged:
    """The decisions of a match that a deeper judge was asked for, and its verdicts (rows)."""

    asked: set[Place]
    rows: dict[Place, Json]


class SecondLook:
    """The decisions of a collection to judge again, and their verdicts.

    The `analyst` is the first judge: below 2-ply errors are judged again, unless `check` is NONE.
    `pending` has the decisions still to judge, by match. `judged` counts those that this run
    judged, `acquitted` those of them that are no errors. `gone` are matches whose files are gone.
    """

    def __init__(self, analyst: Analyst, check: str) -> None:
        self._analyst = analyst
        self._levels = {name: levels.analysis(f"{name}-screened") for name in (NAME, DEEP)}
        self._analysis_ids = {
            name: f"check {analysis_id(analyst.engine, level)}"
            for name, level in self._levels.items()
        }
        self.is_asked = check != NONE and analyst.level.cubedecision.plies < CHECKED_PLIES
        self.flagged: dict[str, list[Flagged]] = {}
        self.pending: dict[str, set[Place]] = {}
        self.judged = 0
        self.acquitted = 0
        self.gone: set[str] = set()
        self._judged: dict[tuple[str, str], _Judged] = {}
        self._confirmed: set[tuple[str, Place]] = set()
        self._problems: list[str] = []

    def plan(self, keys: Iterable[str]) -> None:
        """Select the decisions of these matches to judge again, and load earlier verdicts."""
        for key in keys if self.is_asked else ():
            self.flagged[key] = flagged(unpacked(self._analyst.decisions(key)))
            pending = {decision.place for decision in self.flagged[key]} - self._of(NAME, key).asked
            if pending:
                self.pending[key] = pending

    def only(self, keys: Iterable[str]) -> None:
        """Keep these matches only; the others are duplicates."""
        for key in self.flagged.keys() - keys:
            del self.flagged[key]
            self.pending.pop(key, None)

    def is_checked(self, key: str) -> bool:
        """Return whether all selected decisions of a match are judged."""
        return key in self.flagged and key not in self.pending

    def verdicts(self, key: str) -> Mapping[Place, Json]:
        """Return the verdicts on a checked match; none for another one."""
        return self._of(NAME, key).rows if self.is_checked(key) else {}

    def verdict_columns(self, key: str) -> dict[Place, Json]:
        """Return the verdicts on a checked match as columns of the table of decisions."""
        columns = {}
        for place, row in self.verdicts(key).items():
            columns[place] = {f"checked_{name}": row[name] for name in CHECKED}
            columns[place]["checked_by"] = NAME
            columns[place]["confirmed_by"] = DEEP if (key, place) in self._confirmed else None
        return columns

    def run(
        self, order: Sequence[str], engine_inputs: EngineInputs, deadline: float, step: Step
    ) -> None:
        """Judge pending decisions, match by match in this order.

        After the `deadline` (time.monotonic) no task begins. `step` receives the progress. Raises
        EngineError, StoreError.
        """
        self._problems.clear()
        tasks = self._tasks(order, engine_inputs)
        count = self.count()
        began = time.monotonic()
        before = self.judged
        seconds_left = None
        with closing(self._pool(NAME)) as pool:
            while True:
                while time.monotonic() < deadline and pool.outstanding < 2 * self._analyst.cores:
                    task = next(tasks, None)
                    if task is None:
                        break
                    pool.submit(task)
                done = len(order) - len(self.pending)
                step("matches checked", done, len(order), seconds_left)
                task, answer = next(pool.answers(wait=True), (None, {}))
                if task is None:
                    return
                if "checked" in answer:
                    self._keep(task.key, task.request["check"], answer["checked"])
                    pace = (time.monotonic() - began) / (self.judged - before)
                    seconds_left = pace * (count - self.judged + before)
                else:
                    self._problems.append(reason_of(answer))

    def _pool(self, name: str) -> Pool:
        return Pool(self._analyst.engine, self._levels[name], self._analyst.cores)

    def _tasks(self, order: Sequence[str], engine_inputs: EngineInputs) -> Iterator[Task]:
        """Yield tasks of at most TOGETHER decisions of a match, the costliest first."""
        remaining = self.remaining
        for key in order:
            if key not in remaining:
                continue
            engine_input = engine_inputs(key)
            if engine_input is None:
                self.gone.add(key)
                continue
            own = [decision for decision in self.flagged[key] if decision.place in remaining[key]]
            own.sort(key=lambda decision: -decision.loss_emg)
            for start in range(0, len(own), TOGETHER):
                places = [decision.place for decision in own[start : start + TOGETHER]]
                yield _task(engine_input, places)

    def summary(self) -> str:
        """Return a sentence on the decisions that this run judged, and on failures."""
        failed = ""
        if self._problems:
            failed = f" Not checked: {len(self.pending)} matches ({self._problems[0]})."
        if self.gone:
            failed += f" Matches whose files have gone or were changed: {len(self.gone)}."
        return (
            f"Checked {self.judged:,} errors at {NAME}: {self.acquitted:,} of them are none."
            f"{failed}"
        )

    def count(self) -> int:
        """Return the number of pending decisions of matches whose files are still there."""
        return sum(map(len, self.remaining.values()))

    @property
    def remaining(self) -> dict[str, set[Place]]:
        """Return the pending decisions of matches whose files are still there."""
        return {key: self.pending[key] for key in self.pending.keys() - self.gone}

    @property
    def is_failing(self) -> bool:
        """Return whether the last attempt had a problem, which another attempt of this run would
        have too.
        """
        return bool(self._problems)

    def confirm(
        self,
        candidates: Sequence[tuple[str, Place]],
        engine_inputs: EngineInputs,
        deadline: float,
        step: Step,
    ) -> None:
        """Judge decisions at 3-ply in their order, until BOARDS of them are confirmed or the time
        is over. `step` receives the progress.
        """
        cores = self._analyst.cores
        with closing(self._pool(DEEP)) as pool:
            for start in range(0, len(candidates), cores):
                if len(self._confirmed) >= BOARDS:
                    return
                step("errors judged again at 3-ply", start, len(candidates), None)
                boards = candidates[start : start + cores]
                for key, place in boards:
                    if place in self._of(DEEP, key).asked or time.monotonic() >= deadline:
                        continue
                    engine_input = engine_inputs(key)
                    if engine_input:
                        pool.submit(_task(engine_input, [place]))
                for task, answer in pool.answers(wait=True):
                    if "checked" in answer:
                        self._add(DEEP, task.key, task.request["check"], answer["checked"])
                for key, place in boards:
                    third = self._of(DEEP, key).rows.get(place)
                    second = self._of(NAME, key).rows[place]
                    if third and abs(third["loss_emg"] - second["loss_emg"]) <= STABLE:
                        self._confirmed.add((key, place))

    def boards(self, keys_and_sides: Iterable[tuple[str, str]]) -> list[tuple[str, Place]]:
        """Return the errors of a player that a quiz may ask, worst first, by the player's sides of
        matches.
        """
        found = []
        for key, side in keys_and_sides:
            verdicts = self.verdicts(key)
            for decision in self.flagged.get(key, ()):
                loss = verdicts.get(decision.place, {}).get("loss_emg", 0.0)
                if decision.side == side and loss >= ASKED:
                    found.append((-loss, key, decision.place))
        return [(key, place) for _, key, place in sorted(found)]

    def _of(self, name: str, key: str) -> _Judged:
        """Return what a judge was asked about a match and its verdicts, at first from the store."""
        if (name, key) not in self._judged:
            entry = self._analyst.store.entry(key, self._analysis_ids[name])
            held = entry.value if entry else {"asked": [], "checked": []}
            rows = {place_of(row): row for row in held["checked"]}
            self._judged[name, key] = _Judged(set(map(tuple, held["asked"])), rows)
        return self._judged[name, key]

    def _add(self, name: str, key: str, places: Iterable[Place], rows: Iterable[Json]) -> None:
        """Add verdicts to those of a match, and keep all of them in the store."""
        judged = self._of(name, key)
        judged.asked |= set(places)
        for row in rows:
            judged.rows[place_of(row)] = {column: row[column] for column in _COLUMNS}
        value = {"asked": sorted(judged.asked), "checked": list(judged.rows.values())}
        self._analyst.store.put(key, self._analysis_ids[name], Entry(value))

    def _keep(self, key: str, places: Sequence[Place], rows: Iterable[Json]) -> None:
        """Keep the verdicts on decisions; the engine cannot judge those without a row."""
        self._add(NAME, key, places, rows)
        self.pending[key] -= set(places)
        if not self.pending[key]:
            del self.pending[key]
        self.judged += len(places)
        verdicts = self._of(NAME, key).rows
        for decision in self.flagged[key]:
            if decision.place in places and decision.place in verdicts:
                loss = verdicts[decision.place]["loss_emg"]
                self.acquitted += decision.loss_emg >= COSTLY > loss


def _task(engine_input: Json, places: Sequence[Place]) -> Task:
    request = {"task": "judge", **engine_input, "check": places}
    return Task(engine_input["key"], TOGETHER, request)
