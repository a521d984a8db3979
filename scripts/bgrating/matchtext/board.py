"""The board: whether a written play is legal, its hops, and all legal plays.

A side's chequers are a list of 26 numbers from its own point of view (25 the bar, 0 borne off). The
functions take the mover's list and the opponent's; point p of the mover is point 25 - p of the opponent.
"""

from collections.abc import Sequence

from bgrating.matchtext.model import Hop, Hops

Chequers = list[int]
Moves = tuple[Hop, ...]
BAR = 25
OFF = 0


class CannotMoveError(Exception):
    """A written move has no chequer to move or lands on a point the opponent holds."""


def start() -> tuple[Chequers, Chequers]:
    side = [0] * 26
    side[6], side[8], side[13], side[24] = 5, 3, 5, 2
    return side, side.copy()


def make(chequers: Chequers, opponent: Chequers, hops: Sequence[Sequence[int]]) -> None:
    """Move the chequers in place, hitting single ones, whatever the dice allow; chequers must be where hops begin."""
    for source, target in hops:
        chequers[source] -= 1
        chequers[target] += 1
        if target and opponent[25 - target] == 1:
            opponent[25 - target] = 0
            opponent[BAR] += 1


def can_hop(chequers: Chequers, opponent: Chequers, source: int, die: int) -> bool:
    """Return whether the rules allow to move one chequer from a point by a die."""
    if chequers[source] == 0 or (chequers[BAR] and source != BAR):
        return False
    target = source - die
    if target > 0:
        return opponent[25 - target] < 2
    return not any(chequers[7:26]) and (target == 0 or not any(chequers[source + 1 : 7]))


def can_use(chequers: Chequers, opponent: Chequers, die: int) -> bool:
    if chequers[BAR]:
        return opponent[die] < 2
    return any(chequers[source] and can_hop(chequers, opponent, source, die) for source in range(24, 0, -1))


def settle(chequers: Chequers, opponent: Chequers, dice: tuple[int, int], moves: Moves) -> Hops | None:
    """Return the hops, each by one die, of a written play; None if the rules forbid it.

    ``moves`` are sorted from the highest point down and may span several hops. Of several ways to the same position
    the one without a hit on the way is taken.
    """
    hops = _double(dice[0], moves) if dice[0] == dice[1] else _two_dice(chequers, opponent, dice, moves)
    if hops is None:
        return _by_result(chequers, opponent, dice, moves)
    after, against = chequers.copy(), opponent.copy()
    if not _allowed(after, against, dice, hops):
        return _by_result(chequers, opponent, dice, moves)
    if len(hops) == (4 if dice[0] == dice[1] else 2) or after[OFF] == 15:
        return hops
    if after[BAR] and len(hops) == 1 and chequers[BAR] > 1 and opponent[dice[0] + dice[1] - (BAR - hops[0][1])] > 1:
        return hops  # another chequer is still on the bar, and the other die does not enter it
    same = (play[0] for play in plays(chequers, opponent, dice) if play[1] == after and play[2] == against)
    return next(same, None)


def force(chequers: Chequers, opponent: Chequers, moves: Moves) -> None:
    """Make moves in place whatever the dice allow; CannotMoveError if chequers or points forbid it."""
    for source, target in moves:
        if (
            source == OFF
            or chequers[source] == 0
            or (OFF < target < BAR and opponent[25 - target] > 1)
            or target == BAR
        ):
            raise CannotMoveError(f"{source}/{target}")
        make(chequers, opponent, ((source, target),))


def gammon(loser: Chequers) -> int:
    """Return the multiplier of the cube when the winner has borne off all: 2 for a gammon, 3 for a backgammon."""
    if loser[OFF]:
        return 1
    return 3 if any(loser[19:26]) else 2


def plays(chequers: Chequers, opponent: Chequers, dice: tuple[int, int]) -> list[tuple[Hops, Chequers, Chequers]]:
    """Return every legal play once per resulting position: hops, mover's and opponent's chequers after it.

    Empty if nothing can be played. As many dice as possible are used, and the higher one if only
    one of two can be.
    """
    legal: dict[tuple[bytes, bytes], tuple[Hops, Chequers, Chequers]] = {}
    double = dice[0] == dice[1]
    orders: list[tuple[int, ...]] = [(dice[0],) * 4] if double else [dice, dice[::-1]]
    most = 0
    for order in orders:
        for hops, after, against in _sequences(chequers, opponent, order, double):
            if len(hops) < most:
                continue
            if len(hops) > most:
                most = len(hops)
                legal.clear()
            legal.setdefault((bytes(after), bytes(against)), (hops, after, against))
    if most == 1 and not double:
        higher = [play for play in legal.values() if _uses(chequers, play[0][0], max(dice))]
        if higher:
            return higher
    return list(legal.values()) if most else []


def _uses(chequers: Chequers, hop: Hop, die: int) -> bool:
    source, target = hop
    return source - target == die or (target == OFF and source < die and not any(chequers[source + 1 :]))


def _sequences(
    chequers: Chequers, opponent: Chequers, dice: tuple[int, ...], falling: bool, highest: int = BAR
) -> list[tuple[Hops, Chequers, Chequers]]:
    """Return hop sequences by the dice in order that cannot be continued; the empty one if none starts."""
    out: list[tuple[Hops, Chequers, Chequers]] = []
    if dice:
        for source in range(highest, 0, -1):
            if not can_hop(chequers, opponent, source, dice[0]):
                continue
            moved, opposed = chequers.copy(), opponent.copy()
            hop = (source, max(source - dice[0], OFF))
            make(moved, opposed, (hop,))
            for rest, after, against in _sequences(moved, opposed, dice[1:], falling, source if falling else BAR):
                out.append(((hop, *rest), after, against))
    return out or [((), chequers, opponent)]


def _double(die: int, moves: Moves) -> Hops | None:
    hops: list[Hop] = []
    for source, target in moves:
        while source - target > die:
            hops.append((source, source - die))
            source -= die  # noqa: PLW2901 - walking down the board is the point
        if source - target != die and target != OFF:
            return None
        hops.append((source, target))
        if len(hops) > 4:
            return None
    hops.sort(reverse=True)
    return tuple(hops)


def _two_dice(chequers: Chequers, opponent: Chequers, dice: tuple[int, int], moves: Moves) -> Hops | None:
    if len(moves) == 2:
        return moves
    if len(moves) != 1:
        return None
    source, target = moves[0]
    way = source - target
    if way > max(dice):
        middles = [source - die for die in sorted(dice, reverse=True) if source - die > target]
        for middle in sorted(middles, key=lambda point: opponent[25 - point]):  # what hits nothing first
            hops = ((source, middle), (middle, target))
            if _allowed(chequers.copy(), opponent.copy(), dice, hops):
                return hops
        return None
    return moves


def _allowed(chequers: Chequers, opponent: Chequers, dice: tuple[int, int], hops: Hops) -> bool:
    """Make the hops in place; False as soon as one is not a legal hop by a die that is left."""
    left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
    for source, target in hops:
        way = source - target
        if way in left:
            die = way
        elif target == OFF and left and max(left) > way:
            die = max(left)
        else:
            return False
        if not can_hop(chequers, opponent, source, die):
            return False
        left.remove(die)
        make(chequers, opponent, ((source, target),))
    return True


def _by_result(chequers: Chequers, opponent: Chequers, dice: tuple[int, int], moves: Moves) -> Hops | None:
    """Find a legal play with the same result as the written one, whatever its hops."""
    after, against = chequers.copy(), opponent.copy()
    make(after, against, moves)
    same = [play for play in plays(chequers, opponent, dice) if play[1] == after]
    exact = [play for play in same if play[2] == against]
    return (exact or same)[0][0] if same else None
