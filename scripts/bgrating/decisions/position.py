"""A position with its cube, score and dice, and its names in gnubg's and eXtreme Gammon's notation.

Sources: gnubg's positionid.c and matchid.c ("A technical description of the Position ID", "… of the Match ID" in its
manual), and the description of XGID in eXtreme Gammon's help. All are read back by the engine in the tests.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

OFF, BAR = 0, 25
CENTRE, OWN, OTHER = "centre", "own", "other"

_OPENING_PLACES = {6: 5, 8: 3, 13: 5, 24: 2}
_OPENING_MOVES = 8
"""Chequers that have left their first places in what still counts as the opening."""


@dataclass(frozen=True)
class Position:
    """A position as the player who decides sees it.

    `own` and `other` are chequers on 26 points, each as its player counts them (25 the bar, 0 off). `score` and
    `other_score` are points won before the game, `length` is 0 for money. `owner` is whose cube it is: CENTRE, OWN or
    OTHER. `doubled` says that a double awaits its answer by the player who decides; `cube` is its value before that.
    """

    own: tuple[int, ...]
    other: tuple[int, ...]
    length: int
    score: int
    other_score: int
    cube: int = 1
    owner: str = CENTRE
    dice: tuple[int, int] | None = None
    doubled: bool = False
    crawford: bool = False
    jacoby: bool = False

    @property
    def pips(self) -> tuple[int, int]:
        """Return the pip counts, of the player who decides first."""
        return pips(self.own), pips(self.other)


def pips(chequers: Sequence[int]) -> int:
    """Return how many pips a side still has to move."""
    return sum(point * count for point, count in enumerate(chequers))


def theme(position: Position) -> str:
    """Return the phase of the game that a position shows: opening, contact, race or bearoff."""
    sides = (position.own, position.other)
    furthest = [max((point for point in range(1, 26) if side[point]), default=0) for side in sides]
    if sum(furthest) <= 25 - 1:
        return "bearoff" if max(furthest) <= 6 else "race"
    moved = sum(max(0, count - side[point]) for side in sides for point, count in _OPENING_PLACES.items())
    return "opening" if moved <= _OPENING_MOVES else "contact"


def position_id(position: Position) -> str:
    """Return gnubg's position ID; a position that awaits the answer to a double is named as the doubler sees it."""
    near, far = position.own, position.other
    if position.doubled:
        near, far = far, near
    bits = "".join("1" * side[point] + "0" for side in (far, near) for point in range(1, 26))
    return _packed(bits, 10)


def match_id(position: Position, seat: int) -> str:
    """Return gnubg's match ID; `seat` is the deciding player's, 0 (left) or 1 (right).

    The cube's owner, the player to move and to decide, the Crawford game, a game being played, a double offered, no
    resignation, the dice, length and score; the last bit says that the Jacoby rule does not hold.
    """
    owner = 3 if position.owner == CENTRE else seat if position.owner == OWN else 1 - seat
    scores = (position.score, position.other_score)
    first, second = scores if seat == 0 else scores[::-1]
    dice = position.dice or (0, 0)
    fields = (
        (position.cube.bit_length() - 1, 4), (owner, 2), (1 - seat if position.doubled else seat, 1),
        (position.crawford, 1), (1, 3), (seat, 1), (position.doubled, 1), (0, 2), (dice[0], 3), (dice[1], 3),
        (position.length, 15), (first, 15), (second, 15), (not position.jacoby, 1),
    )  # fmt: skip
    bits = "".join(f"{int(value):0{width}b}"[::-1] for value, width in fields)
    return _packed(bits, 9)


def xgid(position: Position) -> str:
    """Return the XGID, the player who decides at the bottom."""
    places = [_xg_letter(position.other[BAR], "a")]
    for point in range(1, 25):
        own, other = position.own[point], position.other[25 - point]
        places.append(_xg_letter(own, "A") if own else _xg_letter(other, "a"))
    places.append(_xg_letter(position.own[BAR], "A"))
    owner = {CENTRE: 0, OWN: 1, OTHER: -1}[position.owner]
    dice = "D" if position.doubled else "00" if position.dice is None else "{}{}".format(*position.dice)
    # A double is named with the doubler's turn; the answer is the other's.
    turn = -1 if position.doubled else 1
    rule = int(position.crawford) if position.length else int(position.jacoby)
    fields = (
        "".join(places), position.cube.bit_length() - 1, owner, turn, dice, position.score, position.other_score,
        rule, position.length, 10,
    )  # fmt: skip
    return "XGID=" + ":".join(map(str, fields))


def _xg_letter(count: int, first: str) -> str:
    return chr(ord(first) + count - 1) if count else "-"


def _packed(bits: str, size: int) -> str:
    """Return bits, the lowest of each byte first, in base 64 without its filling."""
    padded = bits.ljust(8 * size, "0")
    data = bytes(int(padded[start : start + 8][::-1], 2) for start in range(0, 8 * size, 8))
    return base64.b64encode(data).decode("ascii").rstrip("=")
