"""Read matches of FIBS: a line for each action, in order.

The clients JavaFIBS (.match) and Gibbon (.gmd) save them, and FIBS itself writes them at the
command oldmoves. All number the points as FIBS does, so one side may move upwards. JavaFIBS calls
its user "You"; the lines with scores give the user's name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from bgmatch.board import BAR, OFF
from bgmatch.formats.program_file import Saved, SavedGame, headers_of, reading, roll, unreadable
from bgmatch.model import LEFT, RIGHT, Hop, Score
from bgmatch.rows import SideAction
from bgmatch.sections import lines_of

_SCORE_IS = r"(?i:Score is (\d{1,5})-(\d{1,5}) in an? (?:(\d{1,5}) point|unlimited) match)"
_OLDMOVES = re.compile(_SCORE_IS)
STARTS = {
    ".match": re.compile(rb"(\xef\xbb\xbf)?JavaFIBS internal match representation"),
    ".gmd": re.compile(rb"(\xef\xbb\xbf)?GMD-\d"),
    ".oldmoves": re.compile(rb"(\xef\xbb\xbf)?\s*" + _SCORE_IS.encode()),
}
"""First bytes by the suffix of their format."""
_OLD_NAMES = re.compile(r"(\S+) is X - (\S+) is O")
_OLD_ACTION = re.compile(
    r"(?P<side>[XO]): (?:\((?P<dice>\d \d)\) )?(?P<play>(?P<word>[^\s.]*)\D*(?P<points>\d*).*)"
)
_OLD_KINDS = {
    "doubles": "double",
    "accepts": "take",
    "rejects": "drop",
    "wants": "resign",
    "resigns": "resign",
    "wins": "win",
}
_UNLIMITED = 9999
_SIDES = {"W": LEFT, "B": RIGHT, "X": LEFT, "O": RIGHT}
# Kind of a line of JavaFIBS, by its number.
_KINDS = {
    "0": "roll",
    "1": "move",
    "2": "double",
    "3": "resign",
    "4": "take",
    "5": "drop",
    "6": "names",
    "7": "win",
    "8": "length",
    "9": "end",
    "11": "roll",
    "12": "reject",
    "13": "game",
    "14": "score",
    "15": "move",
}
# A hop with its points, without the bar and off.
_HOP = re.compile(r"(?:bar|([1-9]|1[0-9]|2[0-4]))[-/](?:off|([1-9]|1[0-9]|2[0-4]))")
_MIDDLE = 12

Action = tuple[str, int, str]
"""Kind of an action, its side, and the rest of its line."""


def read_fibs(data: bytes, suffix: str) -> Saved:
    """Return the match of a file. Raises SavedError."""
    if not STARTS[suffix].match(data):
        raise unreadable(f"this {suffix} file is not from JavaFIBS or Gibbon")
    all_lines, decoded = lines_of(data)
    lines = [line.strip() for line in all_lines if line.strip()]
    with reading(suffix):
        if suffix == ".oldmoves":
            saved = _oldmoves(lines)
        else:
            saved = _java_fibs(lines) if suffix == ".match" else _gibbon(lines)
    saved.decoded = decoded
    return saved


def _java_fibs(lines: Sequence[str]) -> Saved:
    fields = [[*line.split(":", 2), "", ""][:3] for line in lines[1:]]
    _, opponent, length = next(line for line in fields if line[0] == "8")
    user = "You"
    games = _games((_KINDS[code], int(name != user), value) for code, name, value in fields)
    scores: list[Score] = []
    for code, name, value in fields:
        if code == "14":
            points = dict([_name_and_points(name), _name_and_points(value)])
            (user,) = points.keys() - {opponent}
            scores.append((points[user], points[opponent]))
    for game, score in zip(games, [(0, 0), *scores], strict=False):
        game.score = score
    final = scores[-1] if len(scores) == len(games) else None
    declared = 0 if int(length) == _UNLIMITED else int(length)
    return Saved(declared, (user, opponent), {}, games, final=final)


def _oldmoves(lines: Sequence[str]) -> Saved:
    heads = list(filter(None, map(_OLDMOVES.match, lines)))
    names = next(filter(None, map(_OLD_NAMES.match, lines)))
    games = _games(_old_actions(lines))
    for game, head in zip(games, heads, strict=True):
        game.score = (int(head[1]), int(head[2]))
    return Saved(int(heads[0][3] or 0), (names[1], names[2]), {}, games)


def _old_actions(lines: Iterable[str]) -> Iterator[Action]:
    for line in lines:
        action = _OLD_ACTION.match(line)
        if _OLDMOVES.match(line):
            yield "game", LEFT, ""
        elif action:
            side = _SIDES[action["side"]]
            if not action["dice"]:
                yield _OLD_KINDS[action["word"]], side, action["points"]
            else:
                yield "roll", side, action["dice"]
                if action["word"] != "can't":
                    yield "move", side, action["play"]


def _name_and_points(text: str) -> tuple[str, int]:
    name, _, points = text.strip().rpartition("-")
    return name, int(points)


def _gibbon(lines: Sequence[str]) -> Saved:
    begun = (index for index, line in enumerate(lines) if line.startswith("Game:"))
    start = next(begun, len(lines))
    fields = [re.split(r":\s*", line, maxsplit=1) for line in lines[:start] if ":" in line]
    names = {value[0]: value[2:] for key, value in fields if key == "Player"}
    headers = {key.casefold(): value for key, value in fields}
    headers |= headers_of([value for key, value in fields if key == "Rule"])
    return Saved(
        int(headers["length"]),
        (names["W"], names["B"]),
        headers,
        _games(_gibbon_actions(lines[start:])),
    )


def _gibbon_actions(lines: Iterable[str]) -> Iterator[Action]:
    for line in lines:
        key, side, value = [*line.split(":", 2), "", ""][:3]
        if side == "-":  # the opening roll: White's die comes first
            first, second = value.split()
            side = "W" if first > second else "B"
        yield key.lower(), _SIDES.get(side, LEFT), value


def _games(actions: Iterable[Action]) -> list[SavedGame]:
    games: list[SavedGame] = []
    offered = 0
    for kind, side, value in actions:
        if kind == "game":
            games.append(SavedGame(is_resigned=False))
        elif kind == "roll":
            games[-1].cells.append(roll(side, [*map(int, value.split())], ()))
        elif kind == "move":
            rolled = games[-1].cells.pop()
            games[-1].cells.append(roll(side, rolled.dice, map(_own_hop, value.split())))
        elif kind in {"double", "take", "drop"}:
            games[-1].cells.append(SideAction(side, kind))
        elif kind == "resign":
            offered = int(value or 0)
            games[-1].is_resigned = True
        elif kind in {"accept", "win"}:
            games[-1].winner = side
            games[-1].points = int(value or offered)
        elif kind not in {"names", "length", "end", "reject", "score"}:
            raise ValueError(f"a line of the kind {kind[:40]}")
    return games


def _own_hop(text: str) -> Hop:
    """Return a hop by the mover's own points.

    Bar and off are the end of the board nearest to the other point. Where the hop begins and ends
    shows whether the mover moves upwards.
    """
    hop = _HOP.fullmatch(text)
    if not hop:
        raise ValueError(f"the move {text[:40]}")
    points = [int(point) for point in hop.groups() if point]
    nearest = BAR if max(points) > _MIDDLE else OFF
    start, end = (int(point or nearest) for point in hop.groups())
    return (start, end) if start > end else (BAR - start, BAR - end)
