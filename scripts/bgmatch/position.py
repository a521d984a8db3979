"""A position with its cube, score and dice, and its names in gnubg's and eXtreme Gammon's notation.

Sources: gnubg's positionid.c, and the help of eXtreme Gammon. In the tests the engine reads both
names back.
"""

import base64
import re
from collections.abc import Iterable
from typing import NamedTuple

from bgmatch.board import BAR, OFF, OPENING, Points, points_of, seen_from
from bgmatch.errors import BgmatchError
from bgmatch.model import Dice, Side

CENTRE = "centre"
OWN = "own"
OTHER = "other"

# Number of the cube's owner in an XGID.
_OWNERS = {CENTRE: 0, OWN: 1, OTHER: -1}
# Most chequers that have left their starting points in the opening.
_OPENING_MOVES = 8

_ID = re.compile(r"[A-Za-z0-9+/]{14}")
_XGID = re.compile(
    r"(XGID=)?[-A-Oa-o]{26}:\d\d?:-?[01]:-?1:(00|D|[1-6]{2}):\d{1,5}:\d{1,5}:[0-3]:\d{1,5}:\d+"
)
_EXAMPLE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
# The bits of a position ID by the number of chequers on a point.
_UNARY = tuple("1" * count + "0" for count in range(16))
LETTERS = dict(enumerate("onmlkjihgfedcba-ABCDEFGHIJKLMNO", -15))
"""Letter of an XGID by the number of chequers on a point, negative for the opponent's."""
COUNTS = {letter: count for count, letter in LETTERS.items()}
"""The number of chequers by its letter."""


class Position(NamedTuple):
    """A position as seen by the player to decide.

    `player` and `opponent` are the chequers of both on 26 points, each numbered from that player's
    side (25 the bar, 0 off). `score` and `opponent_score` are points won before the game, `length`
    is 0 for money. `owner` of the cube is CENTRE, OWN (the player) or OTHER (the opponent).
    `doubled`: the player has to answer a double, and `cube` is the value before.
    """

    player: Side
    opponent: Side
    length: int
    score: int
    opponent_score: int
    cube: int = 1
    owner: str = CENTRE
    dice: Dice | None = None
    doubled: bool = False
    crawford: bool = False
    jacoby: bool = False


def theme(position: Position) -> str:
    """Return the phase of the game: opening, contact, race or bearoff."""
    furthest = [_furthest(position.player), _furthest(position.opponent)]
    if sum(furthest) < BAR:
        return "bearoff" if max(furthest) <= 6 else "race"
    moved = _moved(position.player) + _moved(position.opponent)
    return "opening" if moved <= _OPENING_MOVES else "contact"


def _furthest(side: Points) -> int:
    point = BAR
    while point > OFF and not side[point]:
        point -= 1
    return point


def _moved(side: Points) -> int:
    """Return how many chequers have left their starting points."""
    return 15 - sum(map(min, [side[point] for point in OPENING], OPENING.values()))


def position_id(position: Position) -> str:
    """Return gnubg's position ID.

    While a double is to be answered, the doubler counts as the player to move.
    """
    sides = [position.opponent[1:], position.player[1:]]
    if position.doubled:
        sides.reverse()
    bits = "".join([_UNARY[count] for count in (*sides[0], *sides[1])])
    number = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(number).decode("ascii").rstrip("=")


def read_position_id(name: str) -> list[int] | None:
    """Return the points that gnubg's position ID names (`seen_from`); None for another text."""
    if not _ID.fullmatch(name):
        return None
    bits = "".join([f"{byte:08b}"[::-1] for byte in base64.b64decode(f"{name}==")])
    counts = [len(ones) for ones in bits.split("0")]
    if len(counts) < 50 or max(counts) > 15:
        return None
    return points_of([0, *counts[25:50]], [0, *counts[:25]])


def xgid(position: Position) -> str:
    """Return the XGID with the player to decide at the bottom."""
    points = _letters(points_of(position.player, position.opponent))
    first, second = position.dice or (0, 0)
    dice = f"{first}{second}"
    turn = 1
    if position.doubled:
        dice = "D"
        turn = -1  # the doubler's, until the double is answered
    rule = int(position.crawford if position.length else position.jacoby)
    cube = f"{position.cube.bit_length() - 1}:{_OWNERS[position.owner]}"
    score = f"{position.score}:{position.opponent_score}:{rule}:{position.length}"
    return f"XGID={points}:{cube}:{turn}:{dice}:{score}:10"


def xgid_pattern(position: str) -> str:
    """Return the pattern of the XGIDs with a beginning, or of the position of gnubg's ID."""
    points = read_position_id(position.partition(":")[0])
    if points is None:
        return "XGID=" + re.escape(position.removeprefix("XGID="))
    board = _letters(points)
    # gnubg names the position before an answer (-1) as the doubler sees it.
    mirrored = board[::-1].swapcase()
    return rf"XGID=({board}:\d+:-?\d:1|{mirrored}:\d+:-?\d:-1):"


def read_xgid(text: str) -> Position:
    """Return the position of an XGID as the player to decide sees it.

    Raises BgmatchError for any other text, and for a beaver or a raccoon that awaits an answer.
    """
    if not _XGID.fullmatch(text):
        raise BgmatchError(f"not an XGID such as {_EXAMPLE}: {text[:100]!r}")
    points, cube, owner, turn, rolled, *numbers = text.removeprefix("XGID=").split(":")
    score, opponent_score, rule, length, _ = map(int, numbers)
    bottom, top = seen_from([COUNTS[letter] for letter in points])
    if bottom[OFF] < 0 or top[OFF] < 0:
        raise BgmatchError(f"a side of this XGID has more than 15 chequers: {text!r}")
    position = Position(
        bottom,
        top,
        length,
        score,
        opponent_score,
        cube=2 ** int(cube),
        owner=(CENTRE, OWN, OTHER)[int(owner)],
        dice=None if rolled in {"00", "D"} else (int(rolled[0]), int(rolled[1])),
        doubled=rolled == "D",
        crawford=length > 0 and rule == 1,
        jacoby=length == 0 and rule % 2 == 1,  # 2 is for beavers
    )
    return _turned(position) if position.doubled == (turn == "1") else position


def _turned(position: Position) -> Position:
    """Return a position as the opponent sees it."""
    return position._replace(
        player=position.opponent,
        opponent=position.player,
        score=position.opponent_score,
        opponent_score=position.score,
        owner={OWN: OTHER, OTHER: OWN}.get(position.owner, CENTRE),
    )


def _letters(points: Iterable[int]) -> str:
    return "".join(map(LETTERS.__getitem__, points))
