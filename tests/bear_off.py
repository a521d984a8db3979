"""Bear-offs: what is right by a recursion over every roll and play, and a match whose last game comes to one of them."""

import random
from collections.abc import Iterator
from functools import cache

from bgrating.engine.cube_decisions import Table, match_winning_chance, normalised
from bgrating.matchtext.board import Chequers, plays, start
from bgrating.matchtext.model import Hops

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
        """Return the side's match-winning chance when it wins the cube."""
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


def match(xgid: str, last: tuple[str, str]) -> str:
    """Return a match whose left side comes to a position with the cube in the middle, and then acts as `last` says."""
    fields = xgid.split(":")
    score, length = [int(fields[5]), int(fields[6])], fields[8]
    text, at = [f" {length} point match\n"], [0, 0]
    for winner in (0,) * score[0] + (1,) * score[1]:
        text.append(_game(len(text), at, [("31: 8/5 6/5", "42: 8/4 6/4")], _dropped(winner)))
        at[winner] += 1
    text.append(_game(len(text), at, _turns(*homes(xgid)), [last]))
    return "\n".join(text)


def _dropped(winner: int) -> list[tuple[str, str]]:
    return [("Doubles => 2", "Drops"), ("Wins 1 point", "")] if winner == 0 else \
        [("63: 24/15", "Doubles => 2"), ("Drops", "Wins 1 point")]


def _game(number: int, at: list[int], turns: list[tuple[str, str]], end: list[tuple[str, str]]) -> str:
    lines = [f" Game {number}", f" {f'ann : {at[0]}':<38}bob : {at[1]}"]
    for turn, (left, right) in enumerate([*turns, *end], 1):
        lines.append(("     " if "Wins" in left else f"{turn:3}) ") + f"{left:<34}{right}")
    return "\n".join(lines) + "\n"


def _turns(mine: Home, theirs: Home) -> list[tuple[str, str]]:
    """Return plays that come to the homes, of dice that suit both sides."""
    chance = random.Random(1)
    goals = [_far(mine), _far(theirs)]
    while True:
        sides, out = list(start()), list[str]()
        while not _parted(sides) and len(out) < 60:
            mover, other = sides[len(out) % 2], sides[1 - len(out) % 2]
            found = [one for one in _legal(mover, other, goals[len(out) % 2], chance) if one[3] == other]
            if not found:
                break
            dice, hops, now, _ = min(found[:40], key=lambda one: _pips(one[2]) + 3 * one[2].count(1))
            sides[len(out) % 2] = now
            out.append(_words(dice, hops))
        if not _parted(sides) or len(out) % 2:
            continue
        for turns in range(4, 16):
            ends = [_down(side, goal, turns, chance, set()) for side, goal in zip(sides, goals, strict=True)]
            if ends[0] and ends[1]:
                both = [*zip(out[::2], out[1::2], strict=True), *zip(ends[0], ends[1], strict=True)]
                return both


def _down(side: Chequers, goal: list[int], turns: int, chance: random.Random, seen: set[bytes]) -> list[str] | None:
    """Return that many plays without contact which come to the goal; None where there are none."""
    if not turns:
        return [] if _sorted(side) == goal else None
    key = bytes([turns, *side])
    if key in seen or not 3 * turns <= _pips(side) - sum(goal) + 12 or _pips(side) - sum(goal) > 24 * turns:
        return None
    seen.add(key)
    if len(seen) > 3000:
        return None
    for dice, hops, now, _ in _legal(side, [0] * 26, goal, chance):
        rest = _down(now, goal, turns - 1, chance, seen)
        if rest is not None:
            return [_words(dice, hops), *rest]
    return None


def _legal(
    mover: Chequers, other: Chequers, goal: list[int], chance: random.Random
) -> Iterator[tuple[tuple[int, int], Hops, Chequers, Chequers]]:
    """Yield plays that leave every chequer short of its place in the goal, or there."""
    rolls = [(first, second) for first, second, _ in ROLLS]
    for dice in chance.sample(rolls, len(rolls)):
        for hops, now, against in plays(mover, other, dice):
            if all(place >= least for place, least in zip(_sorted(now), goal, strict=True)):
                yield dice, hops, now, against


def _far(home: Home) -> list[int]:
    return sorted([point for point, count in enumerate(home, 1) for _ in range(count)] + [0] * (15 - sum(home)))


def _sorted(side: Chequers) -> list[int]:
    return [point for point, count in enumerate(side) for _ in range(count)]


def _pips(side: Chequers) -> int:
    return sum(_sorted(side))


def _parted(sides: list[Chequers]) -> bool:
    return _sorted(sides[0])[-1] < 25 - _sorted(sides[1])[-1]


def _words(dice: tuple[int, int], hops: Hops) -> str:
    return f"{dice[0]}{dice[1]}: " + " ".join(f"{source}/{target or 'off'}" for source, target in hops)
