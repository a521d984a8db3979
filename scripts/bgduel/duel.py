"""Play two sides against each other until a test decides whether the first is stronger.

A round is one shard of each seat; the test looks at the results after every round. Workers play
shards in their order. Matches beyond the deciding look do not count, so the answer does not depend
on the number of workers.
"""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
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
from bgduel.plan import Part, Plan
from bgduel.shard import GivenUpError
from bgmatch.records import Json
from bgrating.engine.process import end_all
from bgrating.rating.fibs import Floats
from bgrating.settings import SettingsError
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


def _no_looks() -> pd.DataFrame:
    return pd.DataFrame(columns=COLUMNS)


def _no_results() -> Floats:
    return np.empty((3, 0))


@dataclass
class Outcome:
    """The sequential test of a duel so far: verdict, looks, shards with their results.

    `results` has those of the function `results` for all shards. `void` are the matches that are
    left out. `saved` is the factor by which luck reduces the number of matches, by the first look.
    """

    plan: Plan
    decision: str = UNDECIDED
    table: pd.DataFrame = field(default_factory=_no_looks)
    saved: float | None = None
    parts: list[Part] = field(default_factory=list)
    forfeits: list[Json] = field(default_factory=list)
    void: list[Json] = field(default_factory=list)
    results: Floats = field(default_factory=_no_results)

    def add(self, part: Part) -> None:
        """Add the next shard, and look at the matches after both seats of a round."""
        self.parts.append(part)
        record = part.record()
        self.forfeits += record.get("forfeits", [])
        for note in record.get("void", []):
            seats = {"left": part.cell.player, "right": part.cell.opponent}
            self.void.append({**seats, "shard": part.shard.number, **note})
        self.results = np.hstack([self.results, results(part, self.plan.players[0])])
        won, luck, _ = self.results
        if self.saved is None and self.plan.luck_price and len(won) >= FIRST_LOOK:
            self.saved = saved_by_luck(won, luck)
        if self.is_invalid():
            self.decision = INVALID
        elif not len(self.parts) % 2:  # both seats
            self._look(part)

    def _look(self, part: Part) -> None:
        """Look at the matches so far. Raises SettingsError if a shard lacks its luck."""
        won, luck, forfeited = self.results
        if not self.is_less_luck():
            luck = np.zeros_like(luck)
        if np.isnan(luck).any():
            remedy = "give another --name, or remove it"
            raise SettingsError(f"{part.table} was judged without luck; {remedy}")
        self.table = answers(self.plan.question, won, luck, forfeited)
        if len(self.table):
            self.decision = self.table["decision"].iloc[-1]

    def is_invalid(self) -> bool:
        """Return whether too many matches were forfeited by one side, or are void."""
        counts = Counter(forfeit["player"] for forfeit in self.forfeits)
        most = max(FEW_FORFEITS, MOST_FORFEITS * self.results.shape[1])
        return self.is_void() or max(counts.values(), default=0) > most

    def is_void(self) -> bool:
        """Return whether too many matches have no end."""
        return bool(too_many_void(len(self.void), self.results.shape[1]))

    def is_less_luck(self) -> bool:
        """Return whether the test subtracts luck, by its price and the matches that it saves."""
        price = self.plan.luck_price
        return price is not None and self.saved is not None and self.saved > price

    def needs_luck(self) -> bool:
        """Return whether the luck of the next shards is analysed: up to the first look it is."""
        return self.is_less_luck() or (self.plan.luck_price is not None and self.saved is None)


def too_many_void(void: Any, matches: Any) -> Any:
    """Return whether so many void matches beside `matches` with a result make a test invalid."""
    return (void >= FEW_VOIDS) & (void > MOST_VOIDS * (matches + void))


def decide(plan: Plan, workers: int, show: Show) -> Outcome:
    """Play until the test decides, or to its last match; `show` often receives the looks so far.

    Raises the errors of `play`; finished shards stay, and the next run continues from them. Raises
    SettingsError if another run keeps playing the same matches.
    """
    outcome = Outcome(plan)
    with locked(plan.matches), ThreadPoolExecutor(workers) as pool:
        ahead = _Ahead(outcome, pool, workers, show)
        try:
            for part in ahead.finished():
                outcome.add(part)
                show(outcome.table)
                if outcome.decision != UNDECIDED:
                    break
        except GivenUpError as given_up:
            outcome.forfeits += given_up.forfeits
            outcome.decision = INVALID
        finally:
            plan.player.stop()
            ahead.end()
            plan.player.close()
    less_luck = outcome.is_less_luck()
    outcome.table = with_difference(plan.question, outcome.table, less_luck=less_luck)
    return outcome


class _Ahead:
    """The next shards of a duel, in play or finished: at most two for each worker."""

    def __init__(
        self,
        outcome: Outcome,
        pool: ThreadPoolExecutor,
        workers: int,
        show: Show,
    ) -> None:
        self._outcome = outcome
        self._pool = pool
        self._workers = workers
        self._show = show
        self._waiting = outcome.plan.parts()
        self._parts: deque[tuple[Part, Future[None]]] = deque()

    def finished(self) -> Iterator[Part]:
        """Yield finished shards in their order.

        Raises the errors of `play`. A shard that was given up counts only if the shards before it
        do not decide.
        """
        self._fill()
        while self._parts:
            self._raise_errors()
            part, first = self._parts[0]
            if first.done():
                first.result()
                self._parts.popleft()
                yield part
            else:
                wait(self._running(), _POLL, FIRST_COMPLETED)
                self._show(self._outcome.table)
            self._fill()

    def end(self) -> None:
        """End the shards in play, and wait for their workers."""
        running = {future for _, future in self._parts if not future.cancel()}
        while running:  # a worker may be about to start its analysis
            end_all()
            running = wait(running, timeout=0.1).not_done

    def _running(self) -> list["Future[None]"]:
        return [future for _, future in self._parts if not future.done()]

    def _fill(self) -> None:
        """Give the next shards to free workers."""
        player = self._outcome.plan.player
        while len(self._running()) < self._workers and len(self._parts) < 2 * self._workers:
            part = next(self._waiting, None)
            if part is None:
                return
            future: Future[None] = Future()
            if part.is_kept():
                future.set_result(None)
            else:
                with_luck = self._outcome.needs_luck()
                future = self._pool.submit(player.play, part, with_luck=with_luck)
            self._parts.append((part, future))

    def _raise_errors(self) -> None:
        for _, future in self._parts:
            if future.done() and not isinstance(future.exception(), GivenUpError):
                future.result()


def results(part: Part, player: str) -> tuple[Floats, Floats, Floats]:
    """Return for each match of a shard the result, net luck, and 1 for a forfeit.

    The result is 1 if the player won, else 0; in money games it is the points won or lost. A
    forfeit is a loss, of 1 point, with the luck of the moves played. Void matches are left out.
    Raises ProvenanceError.
    """
    table = read_table(part.table)
    record = part.record()
    left = table[table["side"] == "left"].set_index("match")
    right = table[table["side"] == "right"].set_index("match")
    # Points or results of the left seat, less those of the right one; a forfeit counts 1 point.
    if "scores" in record:
        margins = {match: own - other for match, own, other in record["scores"]}
    else:  # gnubg played its levels alone
        margins = left["actual_result"].to_dict()
    lost = {row["match"]: row["side"] for row in record.get("forfeits", [])}
    margins |= {match: 1.0 if side == "right" else -1.0 for match, side in lost.items()}
    luck = dict.fromkeys(lost, 0.0) | (left["luck_mwc"] - right["luck_mwc"]).to_dict()
    sign = 1.0 if part.cell.player == player else -1.0
    matches = sorted(margins)
    gain = sign * np.array([margins[match] for match in matches], dtype=float)
    return (
        (gain > 0).astype(float) if part.cell.match_length else gain,
        sign * np.array([luck.get(match, math.nan) for match in matches]),
        np.array([match in lost for match in matches], dtype=float),
    )
