"""The rows of a game: the actions in each column, without the board."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bgmatch.model import LEFT, RIGHT, Board, Dice, Hop, Hops, Names, Score

_ROW = re.compile(r"\s*\(?(\d{1,4})(?:\)|\.(?=\s))")
_GLUED_ROW = re.compile(r"(?<=\s)\d{1,4}\)(?=\s)")
_ACTION = re.compile(
    r"(?i)(?P<roll>(?<!\d)[0-6][0-6]|(?<=\d)[1-6][1-6]):(?P<snowie>\s*illegal play\s*\([^)]*\)?)?"
    r"|\b(?P<double>(?:re)?doubles?)\b|\b(?P<beaver>beavers?)\b|\b(?P<raccoon>raccoons?)\b"
    r"|\b(?P<take>takes?|accepts?)\b|\b(?P<drop>drops?|pass(?:es)?|rejects?|refuses?)\b"
    r"|\b(?P<wins>wins?)\b|\b(?P<loses>loss?es|lost)\b"
    r"|\b(?P<concedes>concedes?|resign(?:s|ed)?|forfeits?)\b"
)
_LEFT_SCORE = (re.compile(r":\s*(\d{1,5})\s{2,}"), re.compile(r":\s*(\d{1,5})\s+"))
_RIGHT_SCORE = re.compile(r"\d{1,5}")
_NUMBER = re.compile(r"-?\d{1,9}")
_POINTS = re.compile(r"(?i)0*[1-9]\d*\s+points?(\s+and the match)?\.?(\s*\([^()]*\))?")
_CONCEDED = re.compile(r"(?i)(?:the )?(?:single )?(?:game|match|gammon|backgammon)?\.?")
_STEP = re.compile(
    r"((?:bar|b|\d{1,2})\*?(?:/(?:off|o|\d{1,2})\*?)+)(?:\((\d)\))?(\*?)(?:[\s,]+|$)"
)
_STATION = re.compile(r"(\w+)(\*?)")
_CUBE_KINDS = {"double", "beaver", "raccoon", "take", "drop"}
_CUBE_TEXT = re.compile(r"\W*(?:(?:to|at)\W*)?\d*\W*")
_LEFT_MARGIN = 8  # a right cell begins at least this far after the row number
_RIGHT_COLUMN = 20  # and a line without a row number this far from the margin
_COLUMN_GAP = 3  # "31: Concedes" with fewer blanks is one cell
_INDENT = 3  # a line of the left column keeps at least this much
_POINT = {"bar": 25, "b": 25, "off": 0, "o": 0}


@dataclass(frozen=True, slots=True)
class PlayText:
    """A play as written: ``moves`` from the mover's side, ``hits`` the points with a hit star.

    ``kind`` is ``moves``, ``none`` (no text), ``cannot`` (no legal play by the text), ``unknown``
    (``????``), ``position`` (the text gives the position after an illegal play) or ``garbled``.
    """

    kind: str
    moves: Hops = ()
    hits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedState:
    """What a file states of a roll: position and cube before it, the position after if known."""

    before: Board
    cube: int
    after: Board | None = None


@dataclass(frozen=True, slots=True)
class SideAction:
    """One action of one side.

    ``kind`` is a group of the action pattern, ``lost``, ``unread`` or ``position``. A position was
    set by hand; capital letters are chequers of the side. A roll of a program's file may have the
    ``position`` after an illegal play instead of a text. ``recorded`` is the state in that file.
    """

    side: int
    kind: str
    text: str = ""
    line: int = 0
    dice: Dice = (0, 0)
    position: Board | None = None
    recorded: RecordedState | None = None

    @property
    def rolled(self) -> str:
        return f"{self.dice[0]}{self.dice[1]}"


Cells = Sequence[SideAction]
"""The actions of a game, in both columns."""


def score_line(line: str) -> tuple[Names, Score] | None:
    """Return the names and the score, left and right, of a game's first line; else None."""
    rest, colon, score = line.strip().rpartition(":")
    if not colon or not _RIGHT_SCORE.fullmatch(score.strip()):
        return None
    left = _LEFT_SCORE[0].search(rest + " ") or _LEFT_SCORE[1].search(rest + " ")
    if not left:
        return None
    names = rest[: left.start()].strip(), rest[left.end() :].strip()
    return names, (int(left[1]), int(score))


def row_number(line: str) -> int | None:
    row = _ROW.match(line)
    return int(row[1]) if row else None


def has_roll(line: str) -> bool:
    return any(action["roll"] for action in _ACTION.finditer(line))


def cells(line: str, number: int) -> list[SideAction]:
    """Return the actions of one line of a game, left to right; empty for a line without actions."""
    row = _ROW.match(line)
    if not row:
        unplaced = _cells(line, 0, _RIGHT_COLUMN, number)
        if _is_note(unplaced):
            return [SideAction(LEFT, "unread", line.strip(), number)]
        return [_unplaced(cell, line) for cell in unplaced]
    rows = [row, *_GLUED_ROW.finditer(line, row.end())]
    actions: list[SideAction] = []
    for row, following in itertools.zip_longest(rows, rows[1:]):
        piece = line[: following.start()] if following else line
        actions += _cells(piece, row.end(), row.end() + _LEFT_MARGIN, number)
    return actions


def _is_note(actions: Cells) -> bool:
    """Return whether a line without a row number is a note.

    In a note words stand before the actions, or after a cube action.
    """
    if len(actions) > 1 and actions[0].kind == "unread":
        return True
    return any(cell.kind in _CUBE_KINDS and not _CUBE_TEXT.fullmatch(cell.text) for cell in actions)


def _cells(line: str, start: int, right_from: int, number: int) -> list[SideAction]:
    actions = list(_ACTION.finditer(line, start))
    bounds = [*(action.start() for action in actions), len(line)]
    side_actions: list[SideAction] = []
    unread = line[start : bounds[0]].strip()
    if unread:
        side_actions.append(SideAction(LEFT, "unread", unread, number))
    side = RIGHT if bounds[0] >= right_from else LEFT
    before = 0
    for action, end in zip(actions, bounds[1:], strict=True):
        kind = "roll" if action["roll"] else action.lastgroup or ""
        text = (action["snowie"] or "") + line[action.end() : end]
        gap = line[before : action.start()]
        if (
            before
            and kind == "drop"
            and side_actions[-1].kind == "roll"
            and not side_actions[-1].text
        ):
            # no answer to a double follows a roll
            side_actions[-1] = replace(side_actions[-1], text=line[action.start() : end].strip())
            continue
        if before and not (kind == "concedes" and not gap.strip() and len(gap) < _COLUMN_GAP):
            side = RIGHT
        first, second = map(int, action["roll"] or "00")
        side_actions.append(SideAction(side, kind, text.strip(), number, (first, second)))
        before = action.end()
    return side_actions


def _unplaced(cell: SideAction, line: str) -> SideAction:
    """Mark the column of a loser's line as unknown if the line lost its indent."""
    lost_indent = cell.kind == "loses" and len(line) - len(line.lstrip()) < _INDENT
    return replace(cell, kind="lost") if lost_indent else cell


def number_in(text: str) -> int | None:
    """Return the first whole number of a cell's text (points, cube value), or None."""
    digits = _NUMBER.search(text)
    return int(digits[0]) if digits else None


def gives_points(result: SideAction) -> bool:
    """Return whether a result's cell gives points and nothing else.

    A concession may lack points.
    """
    is_conceded = result.kind == "concedes" and _CONCEDED.fullmatch(result.text)
    return bool(is_conceded or _POINTS.fullmatch(result.text))


@lru_cache(maxsize=50_000)
def play_text(text: str) -> PlayText:
    """Read the text of a play.

    It has numbers or words, and maybe multipliers ``(n)``, hit stars and chains ``24/18*/15``.
    """
    lowered = text.lower().strip()
    moves: list[Hop] = []
    hits: list[int] = []
    at = 0
    while at < len(lowered):
        step = _STEP.match(lowered, at)
        if not step:
            return PlayText(_kind_of_words(lowered))
        chain = _STATION.findall(step[1] + step[3])
        stations = [int(_POINT.get(point, point)) for point, _ in chain]
        if max(stations) > 25:
            return PlayText("garbled")
        hits += [station for station, (_, star) in zip(stations, chain, strict=True) if star]
        hops = [hop for hop in itertools.pairwise(stations) if hop[0] != hop[1]]
        moves += hops * int(step[2] or 1)
        at = step.end()
    if not moves:
        return PlayText("none")
    return PlayText("moves", tuple(sorted(moves, reverse=True)), tuple(hits))


def _kind_of_words(text: str) -> str:
    if text.startswith("??"):
        return "unknown"
    if text.startswith("illegal play"):
        return "position"
    if text.startswith(("cannot", "can't", "no play", "no move", "dance", "fan")):
        return "cannot"
    return "garbled"
