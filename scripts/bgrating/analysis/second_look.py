"""The second look: errors of the first judge, and cubes without contact, judged again at 2-ply within a budget of time.

The rule looks at a decision alone, so a match has the same figures whatever lies beside it. A 1-ply look keeps few
candidates for the 2-ply one: the play that was made is always among them, so a verdict may acquit wrongly and never
convict. Verdicts are kept in the store a few at a time. Those of a match count when all of its decisions are judged.

Then the quiz boards of one player are judged at 3-ply. Where 2-ply and 3-ply agree, 4-ply agrees too
(people-depth/quiz.csv).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from bgrating.analysis.analyst import judge_of
from bgrating.analysis.store import AnalysisStore, Entry
from bgrating.decisions.files import CHECKED, unpacked
from bgrating.decisions.flagged import Flagged, Place, Same, flagged, place_of
from bgrating.decisions.thresholds import ASKED, CHECKED_PLIES, COSTLY, QUIZ_PLIES
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.tables.csv_safety import escape_controls

Json = dict[str, Any]

NAME, DEEP = f"{CHECKED_PLIES}-ply", f"{QUIZ_PLIES}-ply"
NONE, ERRORS = "none", "errors"
STABLE = 0.03
"""Largest difference of the losses at 2-ply and 3-ply (EMG) where both agree."""
BOARDS = 25
"""Boards of a quiz that 3-ply confirms."""
TOGETHER = 12
"""Decisions that an engine judges before they are kept: most of what a kill loses, in about a second."""

Alike = tuple[list[tuple[str, Flagged]], Json | None]
"""Decisions of matches (by key) on equal positions, and what was found of them."""


class SecondLook:
    """What of a collection's matches is to be judged again, and what was found.

    `decisions` gives the decisions of a content's key, packed. `level` is that of the first judge: below 2-ply errors
    are judged again, unless `check` is NONE.
    """

    def __init__(
        self, engine: Engine, kept: AnalysisStore, decisions: Callable[[str], bytes], level: levels.Analysis, check: str
    ) -> None:
        self._engine, self._kept, self._decisions = engine, kept, decisions
        self._levels = {name: levels.analysis(f"{name}-screened") for name in (NAME, DEEP)}
        self._judges = {name: f"check {judge_of(engine, deeper)}" for name, deeper in self._levels.items()}
        self.is_asked = check != NONE and level.cubedecision.plies < CHECKED_PLIES
        self.flagged = dict[str, list[Flagged]]()
        self._verdicts = dict[str, dict[Place, Json]]()
        self._confirmed = dict[str, set[Place]]()
        self.pending = dict[str, set[Place]]()
        self.judged = self.acquitted = 0
        self.gone = set[str]()
        self._problems = list[str]()

    def plan(self, keys: Iterable[str]) -> None:
        """Find what is to be judged of the matches with these keys, and what was judged before."""
        for key in keys if self.is_asked else ():
            self.flagged[key] = flagged(unpacked(self._decisions(key)), key)
            found = self._found(key, NAME)
            self._verdicts[key] = {place_of(row): row for row in found["checked"]}
            if left := {one.place for one in self.flagged[key]} - {_tuple(place) for place in found["asked"]}:
                self.pending[key] = left

    def only(self, keys: Iterable[str]) -> None:
        """Leave out all other matches: copies, which no table shows."""
        for key in self.flagged.keys() - keys:
            del self.flagged[key], self._verdicts[key]
            self.pending.pop(key, None)

    def is_checked(self, key: str) -> bool:
        """Return whether all that can be judged of a match is judged."""
        return key in self.flagged and key not in self.pending

    def verdicts(self, key: str) -> Mapping[Place, Json]:
        """Return the rows that were found of a checked match; of another one nothing."""
        return self._verdicts[key] if self.is_checked(key) else {}

    def beside(self, key: str) -> dict[Place, Json]:
        """Return the columns of the table of decisions that hold the verdicts of a checked match."""
        confirmed = self._confirmed.get(key, ())
        return {
            place: {f"checked_{name}": row[name] for name in CHECKED}
            | {"checked_by": NAME, "confirmed_by": DEEP if place in confirmed else None}
            for place, row in self.verdicts(key).items()
        }

    def run(
        self,
        order: Sequence[str],
        contents: Callable[[str], Json | None],
        cores: int,
        deadline: float,
        step: Callable[..., None],
    ) -> None:
        """Judge what is pending, match by match in this order; `words` says what came of it.

        `contents` gives a content (collection/readings.py). After the `deadline` (time.monotonic) nothing is begun.
        `step` is told of matches. Raises EngineError, StoreError.
        """
        waiting = dict[Same, list[tuple[str, Flagged]]]()
        left = self.left
        for key in order:
            for one in self.flagged.get(key, ()):
                if one.place in left.get(key, ()):
                    waiting.setdefault(one.same, []).append((key, one))
        self._problems.clear()
        self._keep(self._known(waiting))
        total, started, before, wanted = len(order), time.monotonic(), self.judged, sum(map(len, waiting.values()))
        work = self._tasks(waiting, contents)
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
                    same = {one.place: one.same for one in self.flagged[task.key]}
                    rows = {place_of(row): row for row in answer["checked"]}
                    places = [_tuple(place) for place in task.request["check"]]
                    self._keep([(waiting[same[place]], rows.get(place)) for place in places])
                else:
                    why = next(answer[name] for name in ("reason", "failed", "machine", "problem") if name in answer)
                    self._problems.append(escape_controls(str(why)))
                judged = self.judged - before
                seconds_left = (time.monotonic() - started) * (wanted / judged - 1) if judged else None
                step("matches checked", total - len(self.pending), total, seconds_left)
                submit()

    def _tasks(
        self, waiting: Mapping[Same, list[tuple[str, Flagged]]], contents: Callable[[str], Json | None]
    ) -> Iterator[Task]:
        """Yield tasks of at most TOGETHER decisions of a match, the costliest first, equal positions once."""
        by_key = dict[str, list[Flagged]]()
        for (key, one), *_ in waiting.values():
            by_key.setdefault(key, []).append(one)
        for key, own in by_key.items():
            if (content := contents(key)) is None:
                self.gone.add(key)
                continue
            places = [one.place for one in sorted(own, key=lambda one: -one.loss_emg)]
            for start in range(0, len(places), TOGETHER):
                yield Task(key, TOGETHER, {"task": "judge", **content, "check": places[start : start + TOGETHER]})

    def _known(self, waiting: dict[Same, list[tuple[str, Flagged]]]) -> list[Alike]:
        """Take out of what waits the decisions whose position was judged in another match; return them with that."""
        return [
            (waiting.pop(one.same), verdicts[one.place])
            for key, verdicts in self._verdicts.items()
            for one in self.flagged[key]
            if one.place in verdicts and one.same in waiting
        ]

    def words(self) -> str:
        """Return in a sentence what was judged in this run, and why something was not."""
        failed = f"; not judged: {len(self.pending)} matches ({self._problems[0]})" if self._problems else ""
        if self.gone:
            failed += f"; matches whose files have gone or were changed: {len(self.gone)}"
        return f"Checked at {NAME}: {self.judged:,} decisions ({self.acquitted:,} are no errors there){failed}"

    @property
    def left(self) -> dict[str, set[Place]]:
        """Return what is pending of matches whose files are still there."""
        return {key: self.pending[key] for key in self.pending.keys() - self.gone}

    @property
    def is_failing(self) -> bool:
        """Return whether something could not be judged, which another attempt of this run would meet again."""
        return bool(self._problems)

    def confirm(
        self,
        candidates: Sequence[tuple[str, Place]],
        contents: Callable[[str], Json | None],
        cores: int,
        deadline: float,
    ) -> None:
        """Judge decisions at 3-ply, the first ones first, until BOARDS of them hold or time is over."""
        held = 0
        with closing(Pool(self._engine, self._levels[DEEP], cores)) as pool:
            while candidates and held < BOARDS:
                now, candidates = candidates[:cores], candidates[cores:]
                for key, place in now:
                    if list(place) in self._found(key, DEEP)["asked"] or time.monotonic() >= deadline:
                        continue
                    if content := contents(key):
                        pool.submit(Task(key, TOGETHER, {"task": "judge", **content, "check": [place]}))
                for task, answer in pool.answers(wait=True):
                    if "checked" in answer:
                        self._put(task.key, DEEP, [_tuple(place) for place in task.request["check"]], answer["checked"])
                for key, place in now:
                    rows = [row for row in self._found(key, DEEP)["checked"] if place_of(row) == place]
                    second = self._verdicts[key][place]["loss_emg"]
                    if rows and abs(rows[0]["loss_emg"] - second) <= STABLE:
                        self._confirmed.setdefault(key, set()).add(place)
                        held += 1

    def boards(self, keys_and_sides: Iterable[tuple[str, str]]) -> list[tuple[str, Place]]:
        """Return the errors of a player (keys of matches, and the player's side) that a quiz may ask, worst first."""
        found = [
            (-verdicts[one.place]["loss_emg"], key, one.place)
            for key, side in keys_and_sides
            if (verdicts := self.verdicts(key))
            for one in self.flagged[key]
            if one.side == side and one.place in verdicts and verdicts[one.place]["loss_emg"] >= ASKED
        ]
        return [(key, place) for _, key, place in sorted(found)]

    def _found(self, key: str, name: str) -> Json:
        entry = self._kept.entry(key, self._judges[name])
        return entry.value if entry else {"asked": [], "checked": []}

    def _put(self, key: str, name: str, places: Iterable[Place], rows: Iterable[Json]) -> None:
        before = self._found(key, name)
        kept = [{column: row[column] for column in ("game", "ply", "kind", *CHECKED)} for row in rows]
        value = {"asked": [*before["asked"], *places], "checked": [*before["checked"], *kept]}
        self._kept.put(key, self._judges[name], Entry(value))

    def _keep(self, found: Iterable[Alike]) -> None:
        """Keep what was found of equal positions, match by match."""
        by_key = dict[str, list[tuple[Flagged, Json | None]]]()
        for alike, row in found:
            for key, one in alike:
                by_key.setdefault(key, []).append((one, row))
        for key, own in by_key.items():
            rows = {one.place: _moved(row, one.place) for one, row in own if row}
            places = [one.place for one, _ in own]
            self._put(key, NAME, places, rows.values())
            self._verdicts[key] |= rows
            self.pending[key] -= set(places)
            if not self.pending[key]:
                del self.pending[key]
            self.judged += len(own)
            self.acquitted += sum(one.loss_emg >= COSTLY > row["loss_emg"] for one, row in own if row)


def _moved(row: Json, place: Place) -> Json:
    game, ply, kind = place
    return {**row, "game": game, "ply": ply, "kind": kind}


def _tuple(place: Sequence[Any]) -> Place:
    game, ply, kind = place
    return game, ply, kind


def deadline_after(minutes: float) -> float:
    """Return when so many minutes are over, as time.monotonic counts."""
    return time.monotonic() + 60 * minutes
