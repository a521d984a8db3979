"""Read positions in one line.

Snowie and GamesGrid wrote a position after an illegal play; others were set by hand.

Semicolons separate the fields of Snowie's: match length, Jacoby rule, two unused, side on roll (0
right, 1 left). Then the names of the side on roll and of the other, Crawford game, their scores,
cube value, cube owner. Then 26 points and the dice. The points are seen from the side on roll: its
chequers positive, index 0 the other side's bar, index 25 its bar.
"""

import re

from bgmatch.board import points_of, seen_from
from bgmatch.model import LEFT, Board, Names, Score
from bgmatch.position import read_letters, read_position_id

_BOARD = 12
_ID = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{14}(?![\w+/])")
_SET = re.compile(r"(?<![\w-])([a-oA-O-]{26})(?:/0)?(?![\w/-])")


def read_position(text: str, mover: int) -> Board | None:
    """Return the position after a play of ``mover`` from ``illegal play (…)``; else None."""
    fields = text[text.find("(") + 1 :].rstrip(") ").split(";")
    try:
        points = [int(field) for field in fields[_BOARD : _BOARD + 26]]
    except ValueError:
        return None
    if len(points) < 26:
        return None
    return _left_first(seen_from(points), 1 - mover)


def read_set_position(text: str, capital: int, on_roll: int) -> Board | None:
    """Return the position of a line with letters or with gnubg's position ID; else None.

    The 26 letters (``Set Pos=-b----E-C---eE---c-e----B-/0``) are the points of the side with
    capitals. They go from 0 (the other side's bar) to 25 (its own bar). A is one chequer. The ID is
    that of the side on roll.
    """
    letters = _SET.search(text)
    if letters:
        return _left_first(read_letters(letters[1]), capital)
    position_id = _ID.search(text)
    sides = read_position_id(position_id[0]) if position_id else None
    return _left_first(sides, on_roll) if sides else None


def _left_first(sides: Board, first: int) -> Board | None:
    """Return the position whose first side is given; None if one has more than 15 chequers."""
    if min(sides[0] + sides[1]) < 0:
        return None
    return sides if first == LEFT else sides[::-1]


def write_position(
    position: Board, mover: int, length: int, names: Names, score: Score, cube: int
) -> str:
    """Return ``Illegal play (…)`` for the position after an illegal play of ``mover``."""
    on_roll = 1 - mover
    points = points_of(position[on_roll], position[mover])
    players = [names[on_roll], names[mover], 0, score[on_roll], score[mover]]
    fields = [length, 0, 1, 0, int(on_roll == LEFT), *players, cube, 0, *points, 0, 0]
    return f"Illegal play ({';'.join(map(str, fields))};)"
