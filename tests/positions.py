"""Positions that tests are about."""

from bgmatch.position import Position

START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
OPENING = Position(tuple(START), tuple(START), 7, 0, 0, dice=(3, 1))


def side(**points: int) -> tuple[int, ...]:
    """Return the chequers of a side: p6=5 is five on its 6-point; the rest are off."""
    chequers = [0] * 26
    for name, count in points.items():
        chequers[25 if name == "bar" else int(name[1:])] = count
    chequers[0] = 15 - sum(chequers)
    return tuple(chequers)
