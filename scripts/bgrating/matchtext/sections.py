"""Cut the lines of a file into matches and games; nothing is interpreted beyond that."""

import re
from dataclasses import dataclass, field

from bgrating.matchtext.headers import match_length, tag
from bgrating.matchtext.model import LEFT, RIGHT, Finding
from bgrating.matchtext.rows import Cell, cells, score_line

_GAME = re.compile(r"\s*game\s+(\d{1,5})\s*$", re.IGNORECASE)
_SET_POSITION = re.compile(r";\s*set pos\s*=", re.IGNORECASE)


@dataclass(slots=True)
class RawGame:
    """A game's cells; ``names`` and ``score`` are None without a score line."""

    number: int
    line: int
    names: tuple[str, str] | None = None
    score: tuple[int, int] | None = None
    cells: list[Cell] = field(default_factory=list)
    set_position: bool = False


@dataclass(slots=True)
class RawMatch:
    """A match's headers, games and comments, and the first and last line it came from."""

    length: int
    headers: list[tuple[str, str]]
    comments: list[str]
    line: int
    games: list[RawGame] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def sections(lines: list[str]) -> list[RawMatch]:
    """Return the matches of a file in order; empty if no line declares a match length.

    A second ``Game 1`` without a length of its own begins a further match of the same length.
    """
    found: list[RawMatch] = []
    headers: list[tuple[str, str]] = []
    comments: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        match = found[-1] if found else None
        game = match.games[-1] if match and match.games else None
        if game and game.names is None and not game.cells and _take_score(game, line):
            continue
        if line.lstrip()[0] in ";#":
            _note(line, game, headers, comments)
            continue
        length = match_length(line)
        if length is not None:
            found.append(RawMatch(length, headers, comments, number))
            headers, comments = [], []
            continue
        if match is None:
            continue  # whatever stands above the first match
        new_game = _GAME.match(line)
        if new_game:
            if game and new_game[1] == "1":
                found.append(RawMatch(match.length, headers or match.headers, comments, number))
                headers, comments = [], []
            found[-1].games.append(RawGame(int(new_game[1]), number))
        elif game:
            game.cells += cells(line, number)
        else:
            match.findings.append(Finding("unread", f"not understood: {line.strip()[:80]!r}", None, number))
    if found:
        found[-1].headers += headers
        found[-1].comments += comments
    return found


def _take_score(game: RawGame, line: str) -> bool:
    score = score_line(line)
    if score:
        game.names, game.score = (score[0], score[2]), (score[1], score[3])
    return score is not None


def _note(line: str, game: RawGame | None, headers: list[tuple[str, str]], comments: list[str]) -> None:
    pair = tag(line)
    if pair:
        headers.append(pair)
    elif _SET_POSITION.match(line.strip()) and game:
        game.set_position = True
    else:
        text = line.strip().lstrip(";# ").strip()
        if text:
            comments.append(text)


def swap_columns(game: RawGame) -> None:
    """Exchange the columns of a game in place."""
    if game.names and game.score:
        game.names, game.score = game.names[::-1], game.score[::-1]
    game.cells = [
        Cell(LEFT if cell.side == RIGHT else RIGHT, cell.kind, cell.text, cell.line, cell.dice) for cell in game.cells
    ]
