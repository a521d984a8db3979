"""A position with its cube, score and dice, and its names in gnubg's and eXtreme Gammon's notation.

Sources: gnubg's positionid.c and matchid.c, and the "technical description" of both IDs in its manual. The help of
eXtreme Gammon describes the XGID. In the tests the engine reads all of them back.
"""

import base64
from collections.abc import Sequence
from typing import NamedTuple

OFF, BAR = 0, 25
CENTRE, OWN, OTHER = "centre", "own", "other"

_OPENING_PLACES = {6: 5, 8: 3, 13: 5, 24: 2}
_OPENING_MOVES = 8
"""At most so many chequers have left their first places in the opening."""

# The number of chequers on a point: in a position ID, and in an XGID.
_UNARY = tuple("1" * count + "0" for count in range(16))
_OWN, _OTHER = "-ABCDEFGHIJKLMNO", "-abcdefghijklmno"


class Position(NamedTuple):
    """A position as the player who decides sees it.

    `own` and `other` are the chequers of this player and the opponent on 26 points. Each player counts from his side
    (25 the bar, 0 off). `score` and `other_score` are points won before the game, `length` is 0 for money. `owner` of
    the cube is CENTRE, OWN or OTHER. `doubled`: a double awaits this player's answer; `cube` is its value before that.
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


def theme(position: Position) -> str:
    """Return the phase of the game: opening, contact, race or bearoff."""
    sides = (position.own, position.other)
    furthest = [_furthest(side) for side in sides]
    if sum(furthest) < 25:
        return "bearoff" if max(furthest) <= 6 else "race"
    moved = sum(max(0, count - side[point]) for side in sides for point, count in _OPENING_PLACES.items())
    return "opening" if moved <= _OPENING_MOVES else "contact"


def _furthest(chequers: Sequence[int]) -> int:
    point = 25
    while point and not chequers[point]:
        point -= 1
    return point


def position_id(position: Position) -> str:
    """Return gnubg's position ID; a position that awaits the answer to a double is named as the doubler sees it."""
    near, far = position.own, position.other
    if position.doubled:
        near, far = far, near
    bits = "".join([_UNARY[count] for count in (*far[1:], *near[1:])])
    return _named(int(bits[::-1], 2), 10)


def match_id(position: Position, seat: int) -> str:
    """Return gnubg's match ID; `seat` is the deciding player's, 0 (left) or 1 (right).

    Its fields, the last one first, are the cube, its owner, the player to move, the Crawford game, the state of the
    game (1: it goes on). Then the player to decide, a double, no resignation, the dice, length, scores, and 1 without
    the Jacoby rule.
    """
    owner = 3 if position.owner == CENTRE else seat if position.owner == OWN else 1 - seat
    scores = (position.score, position.other_score)
    first, second = scores if seat == 0 else scores[::-1]
    one, other = position.dice or (0, 0)
    turn = 1 - seat if position.doubled else seat
    rules = f"{not position.jacoby:b}{second:015b}{first:015b}{position.length:015b}"
    roll = f"{other:03b}{one:03b}00{position.doubled:b}{seat:b}"
    cube = f"001{position.crawford:b}{turn:b}{owner:02b}{position.cube.bit_length() - 1:04b}"
    return _named(int(rules + roll + cube, 2), 9)


def xgid(position: Position) -> str:
    """Return the XGID, the player who decides at the bottom."""
    # In an XGID place 0 is the opponent's bar; in a Position it holds the player's chequers that are off.
    pairs = zip((0, *position.own[1:]), (0, *position.other[1:])[::-1], strict=True)
    places = "".join([_OWN[near] if near else _OTHER[far] for near, far in pairs])
    owner = {CENTRE: 0, OWN: 1, OTHER: -1}[position.owner]
    dice = "D" if position.doubled else "00" if position.dice is None else "{}{}".format(*position.dice)
    # A double has the doubler's turn, although the opponent decides.
    turn = -1 if position.doubled else 1
    rule = int(position.crawford) if position.length else int(position.jacoby)
    cube = position.cube.bit_length() - 1
    score = f"{position.score}:{position.other_score}:{rule}:{position.length}"
    return f"XGID={places}:{cube}:{owner}:{turn}:{dice}:{score}:10"


def read_xgid(text: str) -> Position:
    """Return the position of an XGID that `xgid` wrote: the player who decides is at the bottom."""
    places, cube, owner, turn, rolled, score, other_score, rule, length, _ = text.removeprefix("XGID=").split(":")
    near = [0, *(max(_OWN.find(letter), 0) for letter in places[1:])]
    far = [0, *(max(_OTHER.find(letter), 0) for letter in places[-2::-1])]
    near[OFF], far[OFF] = 15 - sum(near), 15 - sum(far)
    dice = (int(rolled[0]), int(rolled[1])) if rolled.isdigit() and rolled != "00" else None
    cube_owner = {"0": CENTRE, "1": OWN, "-1": OTHER}[owner]
    is_match = length != "0"
    return Position(
        tuple(near),
        tuple(far),
        int(length),
        int(score),
        int(other_score),
        2 ** int(cube),
        cube_owner,
        dice,
        turn == "-1",
        is_match and rule == "1",
        not is_match and rule == "1",
    )


def _named(number: int, size: int) -> str:
    return base64.b64encode(number.to_bytes(size, "little")).decode("ascii").rstrip("=")
