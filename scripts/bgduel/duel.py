"""Play two sides against each other until a test decides whether the first is stronger.

A round is one shard of each seat; the test looks at the results after every round. Workers play
shards in their order. Matches beyond the deciding look do not count, so the answer does not depend
on the number of workers.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from bgduel.decision import (
    COLUMNS,
    FIRST_LOOK,
    UNDECIDED,
    answers,
    saved_by_luck,
    with_difference,
)
from bgduel.plan import Plan
from bgduel.shard import FORFEITS, SEATS, VOID, ShardFiles
from bgmatch.records import Json
from bgrating.engine.process import end_all
from bgrating.rating.fibs_formula import Floats
from bgrating.tables.folder import locked
from bgrating.tables.table_files import read_table

INVALID = "invalid"
MOST_FORFEITS = 0.02
FEW_FORFEITS = 2
"""A verdict is invalid if a side forfeited more than this share of the matches, and more than this
number."""
MOST_VOIDS = 0.01
FEW_VOIDS = 2
"""A verdict is invalid if more than this share of the matches are void, and at least this number.

A side may stall when it is behind, and void matches are left out.
"""
_POLL = 0.5  # seconds

Show = Callable[[pd.DataFrame], None]


@dataclass
class Outcome:
    """The sequential test of a duel so far: verdict, looks, records of the shards, their results.

    `results` has those of the function `results` for all shards. `invalid` is FORFEITS or VOID if
    there are too many. `saved` is the factor by which luck reduces the number of matches, by the
    first look. `less_luck` tells whether the test subtracts luck. It is None before that look.
    """

    plan: Plan
    decision: str = UNDECIDED
    invalid: str = ""
    table: pd.DataFrame = field(default_factory=partial(pd.DataFrame, columns=COLUMNS))
    less_luck: bool | None = None
    saved: float | None = None
    records: list[Json] = field(default_factory=list)
    results: Floats = field(default_factory=partial(np.empty, (3, 0)))

    def notes(self, kind: str) -> list[Json]:
        """Return the notes of a kind in the records of all shards (`ShardFiles.record`)."""
        return list(chain.from_iterable(record[kind] for record in self.records))

    def add(self, files: ShardFiles) -> None:
        """Add the next shard, and look at the matches after both seats of a round."""
        record = files.record()
        self.records.append(record)
        self.results = np.hstack([self.results, results(files, record, self.plan.players[0])])
        won, luck, forfeited = self.results
        if self.less_luck is None and len(won) >= FIRST_LOOK:
            self.saved = saved_by_luck(won, luck)
            self.less_luck = self.saved > self.plan.player.luck_price
        self.invalid = record["given_up"] or self._too_many(len(won))
        if self.invalid:
            self.decision = INVALID
        elif not len(self.records) % 2:  # both seats
            luck = luck if self.less_luck else np.zeros_like(luck)
            self.table = answers(self.plan.question, won, luck, forfeited)
            if len(self.table):
                self.decision = self.table["decision"].iloc[-1]

    def _too_many(self, matches: int) -> str:
        """Return VOID or FORFEITS if there are too many beside `matches` with a result."""
        if too_many_void(len(self.notes(VOID)), matches):
            return VOID
        counts = Counter(forfeit["player"] for forfeit in self.notes(FORFEITS))
        most = max(FEW_FORFEITS, MOST_FORFEITS * matches)
        return FORFEITS if max(counts.values(), default=0) > most else ""


def too_many_void(void: Any, matches: Any) -> Any:
    """Return whether so many void matches beside `matches` with a result make a test invalid."""
    return (void >= FEW_VOIDS) & (void > MOST_VOIDS * (matches + void))


def decide(plan: Plan, workers: int, show: Show) -> Outcome:
    """Play until the test decides, or to its last match; `show` often receives the looks so far.

    Raises the errors of `play`; finished shards stay, and the next run continues from them. Raises
    SettingsError if another run keeps playing the same matches.
    """
    outcome = Outcome(plan, less_luck=None if plan.level.luck else False)
    try:
        with (
            locked(plan.matches),
            ThreadPoolExecutor(workers) as pool,
            closing(_finished(outcome, pool, workers, show)) as shards,
        ):
            for files in shards:
                outcome.add(files)
                show(outcome.table)
                if outcome.decision != UNDECIDED:
                    break
    finally:
        plan.player.close()
    less_luck = bool(outcome.less_luck)
    outcome.table = with_difference(plan.question, outcome.table, less_luck=less_luck)
    return outcome


def _finished(
    outcome: Outcome, pool: ThreadPoolExecutor, workers: int, show: Show
) -> Generator[ShardFiles]:
    """Yield finished shards in their order; in play are at most two for each worker.

    Earlier shards may decide. So stored ones at the beginning come before any is played, and an
    error of `play` is raised in its shard's turn. At its end the shards in play are ended.
    """
    plan = outcome.plan
    waiting = plan.shard_files()
    ahead: deque[tuple[ShardFiles, Future[None]]] = deque()
    try:
        for files in waiting:
            if not files.is_stored():
                waiting = chain([files], waiting)
                break
            yield files
        while True:
            running = [future for _, future in ahead if not future.done()]
            free = min(workers - len(running), 2 * workers - len(ahead))
            for files in islice(waiting, max(free, 0)):
                with_luck = outcome.less_luck is not False
                running.append(pool.submit(plan.play, files, with_luck=with_luck))
                ahead.append((files, running[-1]))
            if not ahead:
                return
            files, future = ahead[0]
            if future.done():
                future.result()
                ahead.popleft()
                yield files
            else:
                wait(running, _POLL, FIRST_COMPLETED)
                show(outcome.table)
    finally:
        plan.player.conditions.stop.set()
        pending = {future for _, future in ahead if not future.cancel()}
        while pending:  # a worker may be about to start its analysis
            end_all()
            pending = wait(pending, timeout=0.1).not_done


def results(files: ShardFiles, record: Json, player: str) -> Floats:
    """Return three rows over the matches of a shard: result, net luck, and 1 for a forfeit.

    The result is 1 if the player won, else 0; in money games it is the points won or lost. A
    forfeit is a loss, of 1 point, with the luck of the moves played. Void matches are left out.
    Raises ProvenanceError.
    """
    table = read_table(files.table)
    left, right = (table[table["side"] == side].set_index("match") for side in SEATS)
    # The margin is that of the left seat; where gnubg played alone there are no scores.
    margins: dict[Any, float] = left["actual_result"].to_dict()
    margins |= {match: points - opponents for match, points, opponents in record["scores"]}
    luck = (left["luck_mwc"] - right["luck_mwc"]).to_dict()
    lost = {forfeit["match"]: forfeit["side"] for forfeit in record[FORFEITS]}
    for match, side in lost.items():
        margins[match] = 1.0 if side == "right" else -1.0
        luck.setdefault(match, 0.0)
    matches = sorted(margins)
    rows = [(margins[match], luck.get(match, math.nan), match in lost) for match in matches]
    matrix = np.array(rows, dtype=float).reshape(-1, 3).T
    matrix[:2] *= 1.0 if files.cell.player == player else -1.0
    if files.cell.match_length:
        matrix[0] = matrix[0] > 0
    return matrix
