"""Bear-offs whose cube 0-ply misjudges by more than 0.05: pages say what exact play says."""

from functools import cache
from pathlib import Path

import pytest
from gvformat import met

import browser
from bgrating.analysis import second_look
from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.decisions.decision_table import with_second_look
from bgrating.decisions.thresholds import DIFFERENCE
from bgrating.engine.cube_decisions import Table, match_winning_chance, normalised_equities
from bgrating.pages.positions import verdict, with_depth
from bgrating.site.addresses import match_pages

pytestmark = pytest.mark.slow
MATCHES = Path(__file__).parents[3] / "bear_offs.mat"
"""Each was played by chance to a bear-off, the first to one that a page taught wrongly; it ends
with what is right.

The positions were chosen because gain by a double at 0-ply and by Exact differ by more than 0.05.
"""


KAZAROSS = (met.KR_XG2_MET, met.POST_CRAWFORD, met.POST_CRAWFORD)
"""The match-equity table as gnubg gives it."""
Home = tuple[int, ...]
"""A side's chequers on its six points, the ace point first; the others are borne off."""
ROLLS = [
    (first, second, 1 + (first > second)) for first in range(1, 7) for second in range(1, first + 1)
]


@cache
def after(home: Home, dice: tuple[int, ...]) -> set[Home]:
    if not dice or not any(home):
        return {home}
    die, *rest = dice
    highest = max(point for point in range(1, 7) if home[point - 1])
    found = set[Home]()
    for point in range(1, 7):
        if home[point - 1] and (point >= die or point == highest):
            left = list(home)
            left[point - 1] -= 1
            if point > die:
                left[point - die - 1] += 1
            found |= after(tuple(left), tuple(rest))
    return found


class Exact:
    """What is right in a bear-off, by a recursion over every roll, play and cube, apart from any
    engine.

    A match where so many points are missing to each side, before and without a Crawford game.
    """

    def __init__(self, away: tuple[int, int], table: Table) -> None:
        self._away, self._table = away, table
        self._roll = cache(self._rolled)

    def cube(self, mine: Home, theirs: Home) -> tuple[float, float]:
        """Return side 0's equities with a centred cube: no double, and a double that is taken."""
        win, lose = self._end(0, 1), 1.0 - self._end(1, 1)
        no_double, taken = self._roll(0, mine, theirs, 1, None), self._roll(0, mine, theirs, 2, 1)
        return normalised_equities({"no_double": no_double, "double_take": taken}, (win, lose))

    def _end(self, side: int, cube: int) -> float:
        away = [self._away[0], self._away[1]]
        away[side] -= cube
        chance = match_winning_chance(self._table, (away[0], away[1]), post_crawford=False)
        return 1.0 - chance if side else chance

    def _turn(self, side: int, mine: Home, theirs: Home, cube: int, owner: int | None) -> float:
        chance = self._roll(side, mine, theirs, cube, owner)
        if owner == 1 - side or cube >= self._away[side]:
            return chance
        taken = self._roll(side, mine, theirs, 2 * cube, 1 - side)
        return max(chance, min(taken, self._end(side, cube)))

    def _rolled(self, side: int, mine: Home, theirs: Home, cube: int, owner: int | None) -> float:
        total = 0.0
        for first, second, weight in ROLLS:
            orders = [(first,) * 4] if first == second else [(first, second), (second, first)]
            best = 0.0
            for left in set().union(*(after(mine, dice) for dice in orders)):
                if not any(left):
                    best = self._end(side, cube)
                    break
                best = max(best, 1.0 - self._turn(1 - side, theirs, left, cube, owner))
            total += weight * best
        return total / 36.0


def homes(xgid: str) -> tuple[Home, Home]:
    """Return the chequers of the mover and of the other side."""
    points = xgid.removeprefix("XGID=").split(":")[0]
    mine = [max(0, ord(points[at]) - 64) if points[at].isupper() else 0 for at in range(1, 7)]
    theirs = [ord(points[25 - at]) - 96 if points[25 - at].islower() else 0 for at in range(1, 7)]
    return tuple(mine), tuple(theirs)


def test_pages_show_the_verdict_of_exact_play_with_its_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        second_look, "COSTLY", 9.0
    )  # cube decisions without contact alone are judged again
    request = RateRequest(
        (MATCHES,),
        luck=False,
        store=tmp_path / "s",
        cores=1,
        check="errors",
        results=tmp_path / "r",
    )
    result = rate(request)
    assert result.folder
    rated = result.decisions
    cubes = with_second_look(rated).assign(
        first_take=rated["double_take"], first_wait=rated["no_double"]
    )
    cubes = cubes[
        (cubes["side"] == "left") & (cubes["kind"] == "double") & (cubes["theme"] == "bearoff")
    ]
    last = cubes.groupby("match").tail(1)
    assert len(last) == 12
    for row in last.to_dict("records"):
        _, _, _, _, _, own_score, other_score, _, length, _ = row["xgid"].split(":")
        away = int(length) - int(own_score), int(length) - int(other_score)
        no_double, double_take = Exact(away, KAZAROSS).cube(*homes(row["xgid"]))
        gain = min(double_take, 1.0) - no_double
        assert abs(min(row["first_take"], 1.0) - row["first_wait"] - gain) > DIFFERENCE
        assert (gain > 0.0) is (row["played"] == "double")
        assert verdict(row) == verdict(
            row | {"no_double": no_double, "double_take": double_take, "loss_emg": 0.0}
        )
        assert row["loss_emg"] == 0.0
        assert with_depth(row, 0)["by"] == "2-ply"
    assert (last["first_loss_emg"] > DIFFERENCE).sum() == 6
    # The same on the pages, as a browser shows them.
    places = rated.groupby(["file", "match"]).cumcount()
    pages = match_pages(result.matches)
    addresses = [
        f"{pages[MATCHES.name, match]}#d{places[at]}" for at, match in last["match"].items()
    ]
    shown = []
    for address in addresses:
        with browser.opened(f"{result.folder.as_uri()}/{address}") as page:
            shown.append(page.ask("document.querySelector('.verdict').textContent"))
    assert [text.partition(" 0-ply")[0] for text in shown] == [
        f"{verdict(row)} ({row['checked_by']})" for row in last.to_dict("records")
    ]
    assert (
        shown[0] == "Not good enough to double. (2-ply) 0-ply: costs 0.290."
    )  # which a page taught as the verdict
