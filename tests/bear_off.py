"""What is right in a bear-off, by a recursion over every roll, play and cube, apart from any engine."""

from functools import cache

from bgrating.engine.cube_decisions import Table, match_winning_chance, normalised

Home = tuple[int, ...]
"""A side's chequers on its six points, the ace point first; the others are borne off."""
ROLLS = [(first, second, 1 + (first > second)) for first in range(1, 7) for second in range(1, first + 1)]


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
    """A match where so many points are missing to each side, before and without a Crawford game."""

    def __init__(self, away: tuple[int, int], table: Table) -> None:
        self._away, self._table = away, table
        self._roll = cache(self._rolled)

    def cube(self, mine: Home, theirs: Home) -> tuple[float, float]:
        """Return the equities without a double and with one that is taken, of side 0 with the cube in the middle."""
        win, lose = self._end(0, 1), 1.0 - self._end(1, 1)
        no_double, taken = self._roll(0, mine, theirs, 1, None), self._roll(0, mine, theirs, 2, 1)
        return normalised(no_double, win, lose), normalised(taken, win, lose)

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
