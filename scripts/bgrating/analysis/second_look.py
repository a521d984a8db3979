"""The second look.

Judge errors, and cube decisions without contact, again at 2-ply within a budget of time.

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

from bgmatch.records import Json
from bgrating.analysis.analyst import analysis_id
from bgrating.analysis.store import AnalysisStore, Entry
from bgrating.decisions.decision_rows import Place
from bgrating.decisions.decision_table import CHECKED, unpacked
from bgrating.decisions.flagged import Flagged, Same, flagged, place_of
from bgrating.decisions.thresholds import ASKED, CHECKED_PLIES, COSTLY, NONE, QUIZ_PLIES
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.tables.csv_safety import escape_controls

NAME = f"{CHECKED_PLIES}-ply"
DEEP = f"{QUIZ_PLIES}-ply"
STABLE = 0.03
"""Largest difference of the losses at 2-ply and 3-ply (EMG) that counts as agreement."""
BOARDS = 25
"""Boards of a quiz that 3-ply confirms."""
TOGETHER = 12
"""Decisions of a task, about a second of work: a kill loses no more."""

Equal = list[tuple[str, Flagged]]
"""Equal decisions, each with the key of its match."""
EngineInputs = Callable[[str], Json | None]
"""Returns a match for the engine by its key (collection/readings.py), or None if its file has
changed."""
_PLACE = ("game", "ply", "kind")


class SecondLook:
    """The decisions of a collection to judge again, and their verdicts.

    `decisions` returns the packed decisions of a match by its key. `level` is that of the first
    judge: below 2-ply errors are judged again, unless `check` is NONE.
    """

    def __init__(
        self,
        engine: Engine,
        store: AnalysisStore,
        decisions: Callable[[str], bytes],
        level: levels.Analysis,
        check: str,
    ) -> None:
        self._engine = engine
        self._store = store
        self._decisions = decisions
        self._levels = {name: levels.analysis(f"{name}-screened") for name in (NAME, DEEP)}
        self._analysis_ids = {
            name: f"check {analysis_id(engine, deeper)}" for name, deeper in self._levels.items()
        }
        self.is_asked = check != NONE and level.cubedecision.plies < CHECKED_PLIES
        self.flagged = dict[str, list[Flagged]]()
        self._verdicts = dict[str, dict[Place, Json]]()
        self._confirmed = set[tuple[str, Place]]()
        self.pending = dict[str, set[Place]]()
        self.judged = self.acquitted = 0
        self.gone = set[str]()
        self._problems = list[str]()

    def plan(self, keys: Iterable[str]) -> None:
        """Select the decisions of these matches to judge again, and load earlier verdicts."""
        for key in keys if self.is_asked else ():
            self.flagged[key] = flagged(unpacked(self._decisions(key)), key)
            found = self._found(key, NAME)
            self._verdicts[key] = {place_of(row): row for row in found["checked"]}
            if pending := {decision.place for decision in self.flagged[key]} - set(found["asked"]):
                self.pending[key] = pending

    def only(self, keys: Iterable[str]) -> None:
        """Keep these matches only; the others are duplicates."""
        for key in self.flagged.keys() - keys:
            del self.flagged[key], self._verdicts[key]
            self.pending.pop(key, None)

    def is_checked(self, key: str) -> bool:
        """Return whether all selected decisions of a match are judged."""
        return key in self.flagged and key not in self.pending

    def verdicts(self, key: str) -> Mapping[Place, Json]:
        """Return the verdicts on a checked match; none for another one."""
        return self._verdicts[key] if self.is_checked(key) else {}

    def verdict_columns(self, key: str) -> dict[Place, Json]:
        """Return the verdicts on a checked match as columns of the table of decisions."""
        return {
            place: (
                {f"checked_{name}": row[name] for name in CHECKED}
                | {
                    "checked_by": NAME,
                    "confirmed_by": DEEP if (key, place) in self._confirmed else None,
                }
            )
            for place, row in self.verdicts(key).items()
        }

    def run(
        self,
        order: Sequence[str],
        engine_inputs: EngineInputs,
        cores: int,
        deadline: float,
        step: Callable[..., None],
    ) -> None:
        """Judge pending decisions, match by match in this order.

        After the `deadline` (time.monotonic) no task begins. `step` receives the progress. Raises
        EngineError, StoreError.
        """
        waiting = dict[Same, Equal]()
        left = self.left
        for key in order:
            for decision in self.flagged.get(key, ()):
                if decision.place in left.get(key, ()):
                    waiting.setdefault(decision.same, []).append((key, decision))
        self._problems.clear()
        self._keep(self._judged_elsewhere(waiting))
        total = len(order)
        started = time.monotonic()
        before = self.judged
        count = sum(map(len, waiting.values()))
        work = self._tasks(waiting, engine_inputs)
        with closing(Pool(self._engine, self._levels[NAME], cores)) as pool:

            def submit() -> None:
                while time.monotonic() < deadline and pool.outstanding < 2 * cores:
                    if (task := next(work, None)) is None:
                        return
                    pool.submit(task)

            submit()
            step("matches checked", total - len(self.pending), total)
            for task, answer in pool.answers(wait=True):
                if "checked" in answer:
                    same = {decision.place: decision.same for decision in self.flagged[task.key]}
                    rows = {place_of(row): row for row in answer["checked"]}
                    self._keep(
                        [(waiting[same[place]], rows.get(place)) for place in task.request["check"]]
                    )
                else:
                    why = next(
                        answer[name]
                        for name in ("reason", "failed", "machine", "problem")
                        if name in answer
                    )
                    self._problems.append(escape_controls(str(why)))
                judged = self.judged - before
                seconds_left = (
                    (time.monotonic() - started) * (count / judged - 1) if judged else None
                )
                step("matches checked", total - len(self.pending), total, seconds_left)
                submit()

    def _tasks(self, waiting: Mapping[Same, Equal], engine_inputs: EngineInputs) -> Iterator[Task]:
        """Yield tasks of at most TOGETHER decisions of a match, the costliest first, equal ones
        once.
        """
        by_key = dict[str, list[Flagged]]()
        for (key, decision), *_ in waiting.values():
            by_key.setdefault(key, []).append(decision)
        for key, own in by_key.items():
            if (engine_input := engine_inputs(key)) is None:
                self.gone.add(key)
                continue
            places = [
                decision.place for decision in sorted(own, key=lambda decision: -decision.loss_emg)
            ]
            for start in range(0, len(places), TOGETHER):
                yield Task(
                    key,
                    TOGETHER,
                    {"task": "judge", **engine_input, "check": places[start : start + TOGETHER]},
                )

    def _judged_elsewhere(self, waiting: dict[Same, Equal]) -> list[tuple[Equal, Json | None]]:
        """Remove waiting decisions that an equal one of another match answers.

        Return them with its verdict.
        """
        return [
            (waiting.pop(decision.same), verdicts[decision.place])
            for key, verdicts in self._verdicts.items()
            for decision in self.flagged[key]
            if decision.place in verdicts and decision.same in waiting
        ]

    def summary(self) -> str:
        """Return a sentence on the decisions that this run judged, and on failures."""
        failed = (
            f" Not checked: {len(self.pending)} matches ({self._problems[0]})."
            if self._problems
            else ""
        )
        if self.gone:
            failed += f" Matches whose files have gone or were changed: {len(self.gone)}."
        return (
            f"Checked {self.judged:,} errors at {NAME}: {self.acquitted:,} of them are none."
            f"{failed}"
        )

    def count(self) -> int:
        """Return the number of pending decisions of these matches."""
        return sum(map(len, self.left.values()))

    @property
    def left(self) -> dict[str, set[Place]]:
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
        cores: int,
        deadline: float,
    ) -> None:
        """Judge decisions at 3-ply in their order, until BOARDS of them are confirmed or the time
        is over.
        """
        with closing(Pool(self._engine, self._levels[DEEP], cores)) as pool:
            while candidates and len(self._confirmed) < BOARDS:
                now = candidates[:cores]
                candidates = candidates[cores:]
                for key, place in now:
                    if place in self._found(key, DEEP)["asked"] or time.monotonic() >= deadline:
                        continue
                    if engine_input := engine_inputs(key):
                        pool.submit(
                            Task(key, TOGETHER, {"task": "judge", **engine_input, "check": [place]})
                        )
                for task, answer in pool.answers(wait=True):
                    if "checked" in answer:
                        self._put(task.key, DEEP, task.request["check"], answer["checked"])
                for key, place in now:
                    rows = [
                        row for row in self._found(key, DEEP)["checked"] if place_of(row) == place
                    ]
                    second = self._verdicts[key][place]["loss_emg"]
                    if rows and abs(rows[0]["loss_emg"] - second) <= STABLE:
                        self._confirmed.add((key, place))

    def boards(self, keys_and_sides: Iterable[tuple[str, str]]) -> list[tuple[str, Place]]:
        """Return the errors of a player that a quiz may ask, worst first, by the player's sides of
        matches.
        """
        found = []
        for key, side in keys_and_sides:
            sides = {decision.place: decision.side for decision in self.flagged.get(key, ())}
            found += [
                (-row["loss_emg"], key, place)
                for place, row in self.verdicts(key).items()
                if sides.get(place) == side and row["loss_emg"] >= ASKED
            ]
        return [(key, place) for _, key, place in sorted(found)]

    def _found(self, key: str, name: str) -> Json:
        """Return the stored verdicts of a match: the places `asked` for, and the rows `checked`."""
        entry = self._store.entry(key, self._analysis_ids[name])
        if entry is None:
            return {"asked": [], "checked": []}
        return entry.value | {"asked": list(map(tuple, entry.value["asked"]))}

    def _put(self, key: str, name: str, places: Iterable[Place], rows: Iterable[Json]) -> None:
        before = self._found(key, name)
        verdicts = [{column: row[column] for column in (*_PLACE, *CHECKED)} for row in rows]
        value = {"asked": [*before["asked"], *places], "checked": [*before["checked"], *verdicts]}
        self._store.put(key, self._analysis_ids[name], Entry(value))

    def _keep(self, found: Iterable[tuple[Equal, Json | None]]) -> None:
        """Keep the verdicts on equal decisions, match by match; None.

        The engine cannot judge them.
        """
        by_key = dict[str, list[tuple[Flagged, Json | None]]]()
        for equal, row in found:
            for key, decision in equal:
                by_key.setdefault(key, []).append((decision, row))
        for key, own in by_key.items():
            places = [decision.place for decision, _ in own]
            rows = {
                decision.place: row | dict(zip(_PLACE, decision.place, strict=True))
                for decision, row in own
                if row
            }
            self._put(key, NAME, places, rows.values())
            self._verdicts[key] |= rows
            self.pending[key] -= set(places)
            if not self.pending[key]:
                del self.pending[key]
            self.judged += len(own)
            self.acquitted += sum(
                decision.loss_emg >= COSTLY > row["loss_emg"] for decision, row in own if row
            )
