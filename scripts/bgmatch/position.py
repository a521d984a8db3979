"""A position with its cube, score and dice, and its names in gnubg's and eXtreme Gammon's notation.

Sources: gnubg's positionid.c, and the help of eXtreme Gammon. In the tests the engine reads both
names back.
"""

import base64
import operator
import re
from collections.abc import Iterable
from typing import NamedTuple

from bgmatch.board import BAR, OFF, OPENING, Points, points_of, seen_from
from bgmatch.errors import BgmatchError
from bgmatch.model import Board, Dice, Side

CENTRE = "centre"
OWN = "own"
OTHER = "other"

# Number of the cube's owner in an XGID.
_OWNERS = {CENTRE: 0, OWN: 1, OTHER: -1}
# Most chequers that have left their starting points in the opening.
_OPENING_MOVES = 8

_on_opening_points = operator.itemgetter(*OPENING)
_ID = re.compile(r"[A-Za-z0-9+/]{14}")
_XGID = re.compile(
    r"(XGID=)?[-A-Oa-o]{26}:\d\d?:-?[01]:-?1:(00|D|[1-6]{2}):\d{1,5}:\d{1,5}:[0-3]:\d{1,5}:\d+"
)
# Letters of an XGID for 15 chequers of the opponent on a point, for 14 and so on to 15 own ones.
_LETTERS = "onmlkjihgfedcba-ABCDEFGHIJKLMNO"


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
    for point in range(BAR, OFF, -1):
        if side[point]:
            return point
    return OFF


def _moved(side: Points) -> int:
    """Return how many chequers have left their starting points."""
    return 15 - int(sum(map(min, _on_opening_points(side), OPENING.values())))


def position_id(position: Position) -> str:
    """Return gnubg's position ID.

    While a double is to be answered, the doubler counts as the player to move.
    """
    sides = [position.opponent[1:], position.player[1:]]
    if position.doubled:
        sides.reverse()
    bits = "".join(["1" * count + "0" for count in (*sides[0], *sides[1])])
    number = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(number).decode("ascii").rstrip("=")


def read_position_id(name: str) -> Board | None:
    """Return the chequers of the player to move and of the other side; None for another text.

    A side with more than 15 chequers has a negative number of them off.
    """
    if not _ID.fullmatch(name):
        return None
    bits = "".join([f"{byte:08b}"[::-1] for byte in base64.b64decode(f"{name}==")])
    counts = [len(ones) for ones in bits.split("0")]
    if len(counts) < 50 or max(counts) > 15:
        return None
    other = counts[:25]
    player = counts[25:50]
    return (15 - sum(player), *player), (15 - sum(other), *other)


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
    sides = read_position_id(position.partition(":")[0])
    if sides is None:
        return "XGID=" + re.escape(position.removeprefix("XGID="))
    board = _letters(points_of(*sides))
    # gnubg names the position before an answer (-1) as the doubler sees it.
    mirrored = board[::-1].swapcase()
    return rf"XGID=({board}:\d+:-?\d:1|{mirrored}:\d+:-?\d:-1):"


def read_xgid(text: str) -> Position:
    """Return the position of an XGID as the player to decide sees it.

    Raises BgmatchError for any other text, and for a beaver or a raccoon that awaits an answer.
    """
    if not _XGID.fullmatch(text):
        raise BgmatchError(
            "not an XGID such as XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10:"
            f" {text[:100]!r}"
        )
    points, cube, owner, turn, rolled, *numbers = text.removeprefix("XGID=").split(":")
    score, opponent_score, rule, length, _ = map(int, numbers)
    bottom, top = read_letters(points)
    if min(bottom + top) < 0:
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
    if position.doubled != (turn == "1"):
        return position
    return position._replace(  # the player at the top decides
        player=top,
        opponent=bottom,
        score=opponent_score,
        opponent_score=score,
        owner=(CENTRE, OTHER, OWN)[int(owner)],
    )


def read_letters(letters: str) -> Board:
    """Return the chequers of the side with capitals, and of the other, of an XGID's letters."""
    return seen_from([_LETTERS.index(letter) - 15 for letter in letters])


def _letters(points: Iterable[int]) -> str:
    return "".join([_LETTERS[15 + count] for count in points])
