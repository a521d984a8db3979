"""The board: whether a written play is legal, its hops, and all legal plays.

A side's chequers are a list of 26 numbers from its own point of view (25 the bar, 0 borne off). The
functions take the mover's list and the opponent's; point p of the mover is point 25 - p of the
opponent.
"""

import itertools
import operator
from collections.abc import Iterator, Sequence

from bgmatch.model import Board, Dice, Hop, Hops, Side

Points = Sequence[int]
Chequers = list[int]
Sides = tuple[Chequers, Chequers]
Play = tuple[Hops, Chequers, Chequers]
"""Hops, and the mover's and the opponent's chequers after them."""

BAR = 25
OFF = 0
OPENING = {6: 5, 8: 3, 13: 5, 24: 2}
"""A side's chequers by point at the start of a game."""


def start() -> Sides:
    """Return the chequers of both sides at the start of a game."""
    side = [OPENING.get(point, 0) for point in range(BAR + 1)]
    return side, side.copy()


def position(sides: Sequence[Points]) -> Board:
    return tuple(sides[0]), tuple(sides[1])


def chequers(sides: Sequence[Points]) -> Sides:
    return list(sides[0]), list(sides[1])


def blots_of(opponents: Points) -> frozenset[int]:
    """Return the points of the opponent's blots, in the numbers of the player to move."""
    return frozenset([point for point in range(1, BAR) if opponents[BAR - point] == 1])


def seen_from(points: Points) -> Board:
    """Return the chequers of the side whose view `points` is, and of the other side.

    The 26 numbers are positive for the side's own chequers. Index 25 is its bar, index 0 the other
    side's. Chequers that are missing have been borne off.
    """
    return _own(points), _own([-count for count in reversed(points)])


def _own(points: Points) -> Side:
    on_board = *(max(count, 0) for count in points[1:BAR]), abs(points[BAR])
    return 15 - sum(on_board), *on_board


def points_of(near: Points, far: Points) -> list[int]:
    """Return the points of both sides' chequers as the near side sees them (`seen_from`)."""
    return list(map(operator.sub, (0, *near[1:]), (*far[:0:-1], 0)))


def make(chequers: Chequers, opponent: Chequers, hops: Sequence[Points]) -> None:
    """Move chequers in place and hit blots, whatever the dice allow.

    A chequer must stand where each hop begins.
    """
    for source, target in hops:
        chequers[source] -= 1
        chequers[target] += 1
        if target and opponent[25 - target] == 1:
            opponent[25 - target] = 0
            opponent[BAR] += 1


def can_hop(chequers: Chequers, opponent: Chequers, source: int, die: int) -> bool:
    """Return whether the rules allow a chequer to move from a point by a die."""
    if chequers[source] == 0 or (chequers[BAR] and source != BAR):
        return False
    target = source - die
    if target > 0:
        return opponent[25 - target] < 2
    return not any(chequers[7:26]) and (target == 0 or not any(chequers[source + 1 : 7]))


def settle(chequers: Chequers, opponent: Chequers, dice: Dice, moves: Hops) -> Hops | None:
    """Return the hops, each by one die, of a written play; None if the rules forbid it.

    ``moves`` are sorted from the highest point down, and each may combine several hops. If several
    ways lead to the same position, the way without a hit in between counts.
    """
    remaining = _dice_to_play(dice)
    hops = _by_dice(chequers, opponent, remaining, moves)
    after = chequers.copy()
    against = opponent.copy()
    make(after, against, moves if hops is None else hops)
    if hops is not None and (len(hops) == len(remaining) or after[OFF] == 15):
        return hops
    ways = [play for play in plays(chequers, opponent, dice) if play[1] == after]
    return min(ways, key=lambda play: play[2] != against)[0] if ways else None


def is_begun(chequers: Chequers, opponent: Chequers, dice: Dice, moves: Hops) -> bool:
    """Return whether moves begin a legal play: each of their hops is by a remaining die."""
    return _by_dice(chequers, opponent, _dice_to_play(dice), moves) is not None


def force(chequers: Chequers, opponent: Chequers, moves: Hops) -> Hop | None:
    """Make moves in place whatever the dice allow, and return None.

    The first move without a chequer to move, or to a point that the opponent holds, is returned.
    """
    for source, target in moves:
        if (
            source == OFF
            or chequers[source] == 0
            or (OFF < target < BAR and opponent[25 - target] > 1)
            or target == BAR
        ):
            return source, target
        make(chequers, opponent, ((source, target),))
    return None


def gammon(loser: Chequers) -> int:
    """Return the points of a game at cube 1 when the winner has borne off.

    A gammon counts 2, a backgammon 3, any other game 1.
    """
    if loser[OFF]:
        return 1
    return 3 if any(loser[19:26]) else 2


def plays(chequers: Chequers, opponent: Chequers, dice: Dice) -> list[Play]:
    """Return a legal play for every position that can result; empty if no play is legal.

    A play uses as many dice as possible, and the higher one if only one of two can be used.
    """
    orders = [dice * 2] if dice[0] == dice[1] else [dice, dice[::-1]]
    ways = [list(_sequences(chequers, opponent, order)) for order in orders]
    every = list(itertools.chain.from_iterable(ways))
    most = max(len(play[0]) for play in every)
    by_higher = ways[dice[0] < dice[1]]
    if most == 1 and by_higher[0][0]:
        every = by_higher
    legal: dict[tuple[bytes, bytes], Play] = {}
    for play in every:
        hops, after, against = play
        if hops and len(hops) == most:
            legal.setdefault((bytes(after), bytes(against)), play)
    return list(legal.values())


def finishing(chequers: Chequers, opponent: Chequers) -> int:
    """Return how many of the 36 rolls bear off all remaining chequers."""
    if chequers[OFF] < 11:
        return 0
    count = 0
    for roll in itertools.product(range(1, 7), range(1, 7)):
        count += any(after[OFF] == 15 for _, after, _ in plays(chequers, opponent, roll))
    return count


def _sequences(
    chequers: Chequers, opponent: Chequers, dice: tuple[int, ...], highest: int = BAR
) -> Iterator[Play]:
    """Yield the sequences of hops, by the dice in this order, that no hop can extend.

    Hops by equal dice begin at the highest point. If no hop is legal, the only sequence is empty.
    """
    is_over = True
    for source in range(highest, 0, -1):
        if dice and can_hop(chequers, opponent, source, dice[0]):
            is_over = False
            moved = chequers.copy()
            opposed = opponent.copy()
            hop = (source, max(source - dice[0], OFF))
            make(moved, opposed, (hop,))
            next_highest = source if dice[:1] == dice[1:2] else BAR
            for hops, after, against in _sequences(moved, opposed, dice[1:], next_highest):
                yield (hop, *hops), after, against
    if is_over:
        yield (), chequers, opponent


def _dice_to_play(dice: Dice) -> list[int]:
    return [dice[0]] * 4 if dice[0] == dice[1] else sorted(dice, reverse=True)


def _by_dice(
    chequers: Chequers, opponent: Chequers, remaining: list[int], moves: Sequence[Hop]
) -> Hops | None:
    """Return the hops of moves, the highest point first; None if the rules forbid them.

    Each hop is by a remaining die.
    """
    if not moves:
        return ()
    (source, target), *later = moves

    def hits(die: int) -> bool:
        return die < source and opponent[BAR - source + die] == 1

    for die in sorted(dict.fromkeys(remaining), key=hits):
        point = max(source - die, OFF)
        if point < target or not can_hop(chequers, opponent, source, die):
            continue
        after = chequers.copy()
        against = opponent.copy()
        rest = remaining.copy()
        make(after, against, [(source, point)])
        rest.remove(die)
        onward = [] if point == target else [(point, target)]
        hops = _by_dice(after, against, rest, sorted([*onward, *later], reverse=True))
        if hops is not None:
            return ((source, point), *hops)
    return None
