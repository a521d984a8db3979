"""What match texts say, found by another way than the reader's, and in what two readings differ."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from bgmatch import read_matches
from bgmatch.headers import match_length
from bgmatch.model import CubeAction, Match, Roll
from bgmatch.sections import MatchTextError, lines_of

DIFFERENCES = ("length", "games", "scores", "rolls", "plays", "cube", "results", "headers")
DIFFERENCES += ("figures",)
"""What a change has changed, the first that differs."""

_WORDS = {"t": "take", "a": "take", "d": "drop", "p": "drop"}
_TOKEN = re.compile(
    r"(?<![\d/])(?P<roll>[1-6][1-6]):|\b(?P<double>(?:re)?doubles?|beavers?|raccoons?)\b"
    r"|\b(?P<answer>takes?|accepts?|drops?|pass(?:es)?)\b|\bwins?\b",
    re.IGNORECASE,
)


def difference(before: Sequence[Match], after: Sequence[Match]) -> str:
    """Return the first of DIFFERENCES in which two readings differ; empty for equal ones."""
    for name, one, other in zip(DIFFERENCES, _said(before), _said(after), strict=False):
        if one != other:
            return name
    return ""


def _said(matches: Sequence[Match]) -> list[Any]:
    games = [game for match in matches for game in match.games]
    actions = [(number, one) for number, game in enumerate(games) for one in game.actions]
    rolls = [(number, one) for number, one in actions if isinstance(one, Roll)]
    cube = [(number, one) for number, one in actions if isinstance(one, CubeAction)]
    return [
        [match.match_length for match in matches],
        [len(match.games) for match in matches],
        [game.score for game in games],
        [(number, roll.side, sorted(roll.dice)) for number, roll in rolls],
        [(number, sorted(roll.hops)) for number, roll in rolls],
        [(number, one.side, one.kind, one.value) for number, one in cube],
        [(game.result.winner, game.result.points) for game in games],
        [(match.players, match.date) for match in matches],
    ]


def tokens_of_text(data: bytes) -> list[str]:
    """Return every roll, cube word and win of a text in order, without a board or comments."""
    lines = (line for line in lines_of(data)[0] if not line.lstrip().startswith((";", "#")))
    return [_token(found) for line in lines for found in _TOKEN.finditer(line)]


def _token(found: "re.Match[str]") -> str:
    if found["roll"]:
        return found["roll"]
    if found["double"]:
        return found["double"].lower()[0].replace("r", "d")
    return _WORDS[found["answer"].lower()[0]] if found["answer"] else "wins"


def tokens_of_matches(matches: Iterable[Match]) -> list[str]:
    """Return what ``tokens_of_text`` must find for matches that were read whole."""
    out: list[str] = []
    for game in (game for match in matches for game in match.games):
        for action in game.actions:
            if isinstance(action, Roll):
                out.append(f"{action.dice[0]}{action.dice[1]}")
            else:
                word = str(action.kind)
                out.append(word if word in {"take", "drop"} else word[0].replace("r", "d"))
        out += ["wins"] * (game.result.stated_points is not None)
    return out


def is_sound(data: bytes) -> bool:
    """Tell whether a text has no finding, and both ways find the same rolls, cubes and wins."""
    try:
        matches = read_matches(data).matches
    except MatchTextError:
        return False
    has_findings = any(match.findings for match in matches)
    return not has_findings and tokens_of_text(data) == tokens_of_matches(matches)


def lost_rows(data: bytes) -> int:
    """Return the number of rows of a text that are lost; a refused text loses none."""
    try:
        matches = read_matches(data).matches
    except MatchTextError:
        return 0
    lines = lines_of(data)[0]
    named = {finding.line for match in matches for finding in match.findings}
    for finding in matches[0].findings:
        if finding.code == "before-length" and finding.line:
            is_length = [match_length(line) is not None for line in lines]
            named.update(range(finding.line, is_length.index(True) + 1))
    actions = [one for match in matches for game in match.games for one in game.actions]
    held = Counter(one.line for one in actions if isinstance(one, Roll))
    lost = 0
    for number, line in enumerate(lines, 1):
        if number not in named and not line.lstrip().startswith((";", "#")):
            rolls = [found for found in _TOKEN.finditer(line) if found["roll"]]
            lost += len(rolls) > held[number]
    return lost
