"""The second look: what pages show as an error is judged again at 2-ply, so that no page teaches what 2-ply refutes.

Then the boards of quizzes are judged at 3-ply. It is no nearer to 4-ply than 2-ply is, but where both agree 4-ply
agrees too (people-depth/quiz.csv): such a verdict is called 3-ply, and quizzes ask no other.

It comes after ratings and tables, whose level it leaves alone. What it finds is kept match by match in the store.
"""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from bgrating.analysis.analyst import WORKER, code_version, judge_of
from bgrating.analysis.store import Entry, Kept
from bgrating.decisions.files import CHECKED, Costliest, unpacked
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.pages.positions import ASKED, CHECKED_PLIES, COSTLY, NO_CONTACT, QUIZ_PLIES
from bgrating.tables.csv_safety import escape_controls

Json = dict[str, Any]
Place = tuple[int, int, str]
"""A decision of a match: game, ply and kind, as in the table of decisions."""

NAME, DEEP = f"{CHECKED_PLIES}-ply", f"{QUIZ_PLIES}-ply"
NONE, SHOWN, ALL = "none", "shown", "all"
SUMMARY = "summary"
"""What is judged again: nothing, whatever is shown as an error, everything; of many matches, quizzes and summaries."""
MOST_MATCHES = 50
"""Matches up to which SHOWN is every error: about ten seconds of one core each among strong players."""
QUIZ = 50
"""Decisions of a player that are judged again for a quiz of 25: a third of strong players' errors is acquitted."""
BOARDS = 35
"""Decisions of a player that are judged at 3-ply for a quiz of 25, in about 0.8 seconds of one core each."""
STABLE = 0.03
"""Most by which losses at 2-ply and 3-ply may differ (EMG) where both agree."""
DECIDED = 3
"""Errors of the loser that the summary of a match names."""


class SecondLook:
    """What of a collection's matches is to be judged again, and what was found.

    `matches` are the two rows of each, with `key`; `decisions` gives those of a key, packed. `beside` has what other
    programs' files say of the decisions of a match (its file and number).
    """

    def __init__(
        self, engine: Engine, kept: Kept, matches: pd.DataFrame, decisions: Callable[[str], bytes],
        beside: Mapping[tuple[str, int], Mapping[Place, Json]],
    ) -> None:  # fmt: skip
        self._engine, self._kept, self._matches, self._decisions = engine, kept, matches, decisions
        self._beside = beside
        self._levels = {name: levels.analysis(f"{name}{levels.NO_LUCK}") for name in (NAME, DEEP)}
        self._judges = {name: f"check {judge_of(engine, level)}" for name, level in self._levels.items()}
        self._name = NAME
        self._boards = dict[str, list[Place]]()
        self.scope, self.pending = NONE, dict[str, list[Place]]()
        self._failed = False

    def plan(self, check: str, level: levels.Analysis) -> str:
        """Find what is to be judged; return what the user is to know of that."""
        if check == NONE or level.cubedecision.plies >= CHECKED_PLIES:
            return ""
        left = self._left()
        many = check == SHOWN and len(left) > MOST_MATCHES
        self.scope = SUMMARY if many else check
        wanted = self._summaries(left) if many else self._errors(left, everything=check == ALL)
        self._want(wanted)
        if not self.pending:
            self._deepen()
        return (
            f"{len(left)} matches are more than {MOST_MATCHES}: only what quizzes and summaries of matches show is "
            f"judged again at {NAME}; --check {ALL} judges everything"
        ) * many  # fmt: skip

    @property
    def is_unfinished(self) -> bool:
        """Whether something is still to be judged, or could not be."""
        return self._failed or bool(self.pending)

    def _left(self) -> pd.DataFrame:
        return self._matches[self._matches["side"] == "left"]

    def _want(self, wanted: Iterable[tuple[str, Iterable[Place]]]) -> None:
        for key, places in wanted:
            asked = self._found(key, self._name)["asked"]
            if rest := sorted(set(places) - set(map(tuple, asked))):
                self.pending[key] = rest

    def _deepen(self) -> None:
        """Find the boards of every player's quiz, by what 2-ply found.

        The tables take 3-ply verdicts of these alone: an earlier run that had found less may have judged others.
        """
        costliest, wanted = Costliest(BOARDS), dict[str, list[Place]]()
        for key, player, opponent in self._left()[["key", "player", "opponent"]].itertuples(index=False):
            # Two runs at once, or one that was stopped, leave rows twice or in another order; equal losses go by it.
            found = {_place(row): row for row in self._found(key, NAME)["checked"]}
            if errors := [found[place] for place in sorted(found) if found[place]["loss_emg"] >= ASKED]:
                names = {"left": player, "right": opponent}
                sides = {_place(row): row["side"] for row in _rows(unpacked(self._decisions(key)))}
                costliest.add(row | {"player": names[sides[_place(row)]], "key": key} for row in errors)
        for name in pd.unique(self._matches["player"]):
            for error in costliest.of(name):
                wanted.setdefault(error["key"], []).append(_place(error))
        self._name, self._boards = DEEP, wanted
        self._want(wanted.items())

    def _errors(self, left: pd.DataFrame, *, everything: bool) -> Iterator[tuple[str, list[Place]]]:
        """Yield the decisions of every match that are errors by any judge, and the cube without contact."""
        for key, file, number in left[["key", "file", "match"]].itertuples(index=False):
            batch = unpacked(self._decisions(key))
            is_cube = pc.not_equal(batch["kind"], "play")
            shown = pc.or_(
                pc.greater_equal(batch["loss_emg"], COSTLY),
                pc.and_(is_cube, pc.is_in(batch["theme"], pa.array(list(NO_CONTACT)))),
            )
            chosen = batch.filter(batch["unforced"] if everything else shown)
            others = self._beside.get((file, number), {}).items()
            wrong = {place for place, row in others if row["xg_loss_emg"] >= COSTLY}
            # Another program may judge a decision that is none for our first judge: no table has a row for it.
            yield key, [*map(_place, _rows(chosen)), *(wrong and wrong.intersection(map(_place, _rows(batch))))]

    def _summaries(self, left: pd.DataFrame) -> Iterator[tuple[str, list[Place]]]:
        """Yield the costliest decisions of every player, and those that decided a match."""
        costliest, wanted = Costliest(QUIZ), dict[str, set[Place]]()
        for key, player, opponent, won in left[["key", "player", "opponent", "won"]].itertuples(index=False):
            names = {"left": player, "right": opponent}
            batch = unpacked(self._decisions(key))
            chosen = batch.filter(pc.greater_equal(batch["loss_emg"], COSTLY))
            errors = [error | {"player": names[error["side"]], "key": key} for error in _rows(chosen)]
            costliest.add(errors)
            loser = {1.0: "right", 0.0: "left"}.get(won)
            of_loser = [error for error in errors if loser in {None, error["side"]}]
            decided = sorted(of_loser, key=lambda error: -error["loss_mwc"])[:DECIDED]
            wanted[key] = set(map(_place, decided))
        for name in pd.unique(self._matches["player"]):
            for error in costliest.of(name):
                wanted[error["key"]].add(_place(error))
        return ((key, list(places)) for key, places in wanted.items())

    def _found(self, key: str, name: str) -> Json:
        entry = self._kept.entry(key, self._judges[name], code_version())
        return entry.value if entry else {"asked": [], "checked": []}

    def of(self, file: str, number: int, key: str) -> dict[Place, Json]:
        """Return what the tables say beside our first judge of the decisions of a match."""
        beside = {place: dict(row) for place, row in self._beside.get((file, number), {}).items()}
        for by in (NAME, DEEP) if self.scope != NONE else ():
            for row in self._found(key, by)["checked"]:
                before = beside.get(_place(row), {}).get("checked_loss_emg", math.inf)
                is_board = _place(row) in self._boards.get(key, ())
                if by == DEEP and not (is_board and abs(row["loss_emg"] - before) <= STABLE):
                    continue
                values = {f"checked_{name}": row[name] for name in CHECKED} | {"checked_by": by}
                beside.setdefault(_place(row), {}).update(values)
        return beside

    def run(self, contents: Iterable[Json], cores: int, step: Callable[..., None]) -> str:
        """Judge what is pending, of contents as worker.py takes them; return what came of it in a sentence.

        Each match is kept as soon as it is done. Afterwards the boards of quizzes are pending, or nothing. Raises
        EngineError, StoreError.
        """
        total = sum(map(len, self.pending.values()))
        started, done, acquitted = time.monotonic(), 0, 0
        problems = list[str]()

        name = self._name
        what = f"decisions judged again at {name}"
        with closing(Pool(self._engine, self._levels[name], cores, WORKER)) as pool:
            step(what, 0, total)
            for content in contents:
                places = self.pending[content["key"]]
                pool.submit(Task(content["key"], len(places), json.dumps({**content, "check": places}).encode()))
            for task, answer in pool.answers(wait=True):
                if "checked" in answer:
                    acquitted += self._keep(task.key, answer["checked"])
                else:
                    why = next(answer[name] for name in ("reason", "failed", "machine", "problem") if name in answer)
                    problems.append(escape_controls(str(why)))
                done += task.rolls
                step(what, done, total, (time.monotonic() - started) * (total / done - 1))
        failed = f"; not judged: {len(self.pending)} matches ({problems[0]})" if problems else ""
        self._failed |= bool(self.pending)
        self.pending.clear()
        if name == NAME:
            self._deepen()
        return f"Judged again at {name}: {done:,} decisions ({acquitted:,} are no errors there){failed}"

    def _keep(self, key: str, rows: list[Json]) -> int:
        """Keep what was found of a match; return how many of its errors are none."""
        before, places = self._found(key, self._name), self.pending.pop(key)
        found = [{name: row[name] for name in ("game", "ply", "kind", *CHECKED)} for row in rows]
        value = {"asked": [*before["asked"], *places], "checked": [*before["checked"], *found]}
        self._kept.put(key, self._judges[self._name], Entry(code_version(), value, b"", b""))
        first = {_place(row): row["loss_emg"] for row in _rows(unpacked(self._decisions(key)))}
        return sum(first[_place(row)] >= COSTLY > row["loss_emg"] for row in rows)


def _place(row: Mapping[str, Any]) -> Place:
    return row["game"], row["ply"], row["kind"]


def _rows(batch: pa.RecordBatch) -> list[Json]:
    rows: list[Json] = batch.select(["game", "ply", "kind", "side", "loss_emg", "loss_mwc"]).to_pylist()
    return rows
