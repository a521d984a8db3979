"""The second look: what pages show as an error is judged again at 2-ply, so that no page teaches what 2-ply refutes.

It comes after ratings and tables, whose level it leaves alone. What it finds is kept match by match in the store.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from bgrating.collection.analysis import WORKER, code_version, judge_of
from bgrating.collection.store import Entry, Kept
from bgrating.decisions.files import CHECKED, Costliest, unpacked
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.pool import Pool, Task
from bgrating.pages.positions import CHECKED_PLIES, COSTLY, NO_CONTACT
from bgrating.tables.csv_safety import escape_controls

Json = dict[str, Any]
Place = tuple[int, int, str]
"""A decision of a match: game, ply and kind, as in the table of decisions."""

NAME = f"{CHECKED_PLIES}-ply"
NONE, SHOWN, ALL = "none", "shown", "all"
SUMMARY = "summary"
"""What is judged again: nothing, whatever is shown as an error, everything; of many matches, quizzes and summaries."""
MOST_MATCHES = 50
"""Matches up to which SHOWN is every error: about ten seconds of one core each among strong players."""
QUIZ = 50
"""Decisions of a player that are judged again for a quiz of 25: a third of strong players' errors is acquitted."""
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
        self._level = levels.analysis(f"{NAME}{levels.NO_LUCK}")
        self._judge = f"check {judge_of(engine, self._level)}"
        self.scope, self.pending = NONE, dict[str, list[Place]]()

    def plan(self, check: str, level: levels.Analysis, readable: set[str]) -> str:
        """Find what is to be judged; return what the user is to know of that. Other keys are not `readable`."""
        if check == NONE or level.cubedecision.plies >= CHECKED_PLIES:
            return ""
        left = self._matches[self._matches["side"] == "left"]
        many = check == SHOWN and len(left) > MOST_MATCHES
        self.scope = SUMMARY if many else check
        wanted = self._summaries(left) if many else self._errors(left, everything=check == ALL)
        for key, places in wanted:
            asked = self._found(key)["asked"] if key in readable else places
            if rest := sorted(set(places) - set(map(tuple, asked))):
                self.pending[key] = rest
        return (
            f"{len(left)} matches are more than {MOST_MATCHES}: only what quizzes and summaries of matches show is "
            f"judged again at {NAME}; --check {ALL} judges everything"
        ) * many  # fmt: skip

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
            yield key, [*map(_place, _rows(chosen)), *(place for place, row in others if row["xg_loss_emg"] >= COSTLY)]

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

    def _found(self, key: str) -> Json:
        entry = self._kept.entry(key, self._judge, code_version())
        return entry.value if entry else {"asked": [], "checked": []}

    def of(self, file: str, number: int, key: str) -> dict[Place, Json]:
        """Return what the tables say beside our first judge of the decisions of a match."""
        beside = {place: dict(row) for place, row in self._beside.get((file, number), {}).items()}
        for row in self._found(key)["checked"] if self.scope != NONE else ():
            values = {f"checked_{name}": row[name] for name in CHECKED} | {"checked_by": NAME}
            beside.setdefault(_place(row), {}).update(values)
        return beside

    def run(self, contents: Iterable[Json], cores: int, step: Callable[..., None]) -> str:
        """Judge what is pending, of contents as worker.py takes them; return what came of it in a sentence.

        Each match is kept as soon as it is done. Raises EngineError, StoreError.
        """
        total = sum(map(len, self.pending.values()))
        started, done, acquitted = time.monotonic(), 0, 0
        problems = list[str]()

        what = f"decisions judged again at {NAME}"
        with closing(Pool(self._engine, self._level, cores, WORKER)) as pool:
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
        return f"Judged again at {NAME}: {done:,} decisions ({acquitted:,} are no errors there){failed}"

    def _keep(self, key: str, rows: list[Json]) -> int:
        """Keep what was found of a match; return how many of its errors are none."""
        before, places = self._found(key), self.pending.pop(key)
        found = [{name: row[name] for name in ("game", "ply", "kind", *CHECKED)} for row in rows]
        value = {"asked": [*before["asked"], *places], "checked": [*before["checked"], *found]}
        self._kept.put(key, self._judge, Entry(code_version(), value, b"", b""))
        first = {_place(row): row["loss_emg"] for row in _rows(unpacked(self._decisions(key)))}
        return sum(first[_place(row)] >= COSTLY > row["loss_emg"] for row in rows)


def _place(row: Mapping[str, Any]) -> Place:
    return row["game"], row["ply"], row["kind"]


def _rows(batch: pa.RecordBatch) -> list[Json]:
    rows: list[Json] = batch.select(["game", "ply", "kind", "side", "loss_emg", "loss_mwc"]).to_pylist()
    return rows
