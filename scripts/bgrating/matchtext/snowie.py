"""Snowie's one-line positions, which GamesGrid and Snowie wrote after an illegal play.

Semicolons separate the fields: match length, Jacoby rule, two unused, side on roll (0 right, 1 left). Then the names of
the side on roll and of the other, Crawford game, their scores, cube value, cube owner. Then 26 points and the dice.
The points are seen from the side on roll: its chequers positive, index 0 the other side's bar, index 25 its bar.
"""

from bgrating.matchtext.model import LEFT, Position

_BOARD = 12


def read_position(text: str, mover: int) -> Position | None:
    """Return the position after a play of ``mover`` from ``illegal play (…)``, None if it is no position."""
    fields = text[text.find("(") + 1 :].rstrip(") ").split(";")
    try:
        points = [int(field) for field in fields[_BOARD : _BOARD + 26]]
    except ValueError:
        return None
    if len(points) < 26:
        return None
    on_roll = [max(count, 0) for count in points]
    other = [max(-points[25 - index], 0) for index in range(26)]
    on_roll[0] = 15 - sum(on_roll[1:])
    other[25] = abs(points[0])
    other[0] = 15 - sum(other[1:])
    if on_roll[0] < 0 or other[0] < 0:
        return None
    return (tuple(other), tuple(on_roll)) if mover == LEFT else (tuple(on_roll), tuple(other))


def write_position(
    position: Position, mover: int, length: int, names: tuple[str, str], score: tuple[int, int], cube: int
) -> str:
    """Return ``Illegal play (…)`` for the position after an illegal play of ``mover``."""
    on_roll = 1 - mover
    near, far = position[on_roll], position[mover]
    points = [-far[25], *(near[point] - far[25 - point] for point in range(1, 25)), near[25]]
    fields = [length, 0, 1, 0, 1 if on_roll == LEFT else 0, names[on_roll], names[mover], 0]
    fields += [score[on_roll], score[mover], cube, 0, *points, 0, 0]
    return f"Illegal play ({';'.join(str(field) for field in fields)};)"
