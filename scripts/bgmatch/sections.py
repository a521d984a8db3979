"""Cut the text of a file into lines, and group these into matches and games."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bgmatch.decoder import Decoded, decoded
from bgmatch.errors import MatchTextError
from bgmatch.headers import Headers, add_header, match_length
from bgmatch.model import LEFT, Finding, Findings, Names, Score
from bgmatch.rows import SideAction, cells, has_roll, row_number, score_line

# Some programs add the kind of game: "Game 5 (Crawford)", "Game 1:", "Game 3 of 9".
_GAME = re.compile(r"(?i)\s*game\s+#?(\d{1,5})(?![\d)])(?!.*\b[1-6][1-6]:).{0,60}$")
_SET_POSITION = re.compile(
    r"(?i)[\s;#]*(?:set[ -]*(?:pos|position|board|up)|setup|start(?:ing)? position|xgid)\b"
)
# A position in letters or as gnubg's ID; within a game it is the one that is there anyway.
_FIRST_POSITION = re.compile(
    r"(?i).*\b(?:xgid|gnu ?id|position(?:[ -]?id)?)\W+(?:[A-Z0-9+/]{14}(?![\w+/])|[a-o-]{26})"
)
MAX_BYTES = 16 * 1024 * 1024
"""Largest text that is read, in bytes; a match of 25 points takes about 30 kB."""

MAX_LINE = 10_000
"""Longest line that is read, in characters; the longest lines of the programs have about 300."""

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(slots=True)
class RawGame:
    """A game's cells; ``names`` and ``score`` are None without a score line."""

    number: int = 0
    line: int = 0
    names: Names | None = None
    score: Score | None = None
    cells: list[SideAction] = field(default_factory=list)
    row: int = 0
    """Number of the last row."""
    row_begins: int = 0
    """Number of cells before the last row."""


@dataclass(slots=True)
class RawMatch:
    """A match's headers by their names in small letters, its games, and the lines after its first.

    The lines are those of the text that belong to no later match.
    """

    length: int
    headers: Headers
    games: list[RawGame] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    lines: list[str] = field(default_factory=list)


def sections(lines: list[str]) -> list[RawMatch]:
    """Return the matches of a file in order; empty if no line declares a match length.

    A second ``Game 1`` without a length of its own begins another match of the same length. Lines
    of games above the first length become a finding of the first match, since the file must have
    lost their length line.
    """
    matches: list[RawMatch] = []
    above: list[tuple[int, str]] = []
    headers: Headers = {}
    for number, line in enumerate(lines, 1):
        match = matches[-1] if matches else None
        game = match.games[-1] if match and match.games else None
        if match:
            match.lines.append(line)
        if not line.strip() or (game and _is_begin(game, line, number)):
            continue
        if line.lstrip()[0] in ";#":
            add_header(line, headers)
            continue
        length = match_length(line)
        new_game = _GAME.match(line)
        if length is not None:
            match = RawMatch(length, headers)
            matches.append(match)
            headers = {}
            if has_roll(line):
                match.findings.append(_unread(line, number))
        elif match is None:
            above.append((number, line))
        elif new_game:
            if game and new_game[1] == "1":
                match = RawMatch(match.length, headers or match.headers)
                matches.append(match)
                headers = {}
            match.games.append(_next_game(match, int(new_game[1]), number))
        elif game:
            _add_row(match, game, line, number)
        else:
            match.findings.append(_unread(line, number))
    if matches:
        matches[-1].headers = headers | matches[-1].headers
        matches[0].findings += _unread_above(above)
    return matches


def _is_begin(game: RawGame, line: str, number: int) -> bool:
    """Add names and score, or a position, to a game; return whether the line has them."""
    is_first = not game.cells
    names_and_score = score_line(line) if is_first and game.names is None else None
    if names_and_score:
        game.names, game.score = names_and_score
        return True
    is_position = bool(_SET_POSITION.match(line) or (is_first and _FIRST_POSITION.match(line)))
    if is_position:
        game.cells.append(SideAction(LEFT, "position", line, number))
    return is_position


def _unread(line: str, number: int) -> Finding:
    return Finding("unread", f"not understood: {line.strip()[:80]!r}", None, number)


def _unread_above(above: list[tuple[int, str]]) -> Iterator[Finding]:
    """Yield a finding for the lines above the first length, if one of them belongs to a game."""
    for index, (number, line) in enumerate(above):
        if _GAME.match(line) or score_line(line) or has_roll(line):
            yield Finding(
                "before-length",
                f"{len(above) - index} lines before the first match length are not read, from"
                f" {line.strip()[:60]!r}",
                None,
                number,
            )
            return


def _next_game(match: RawMatch, game: int, line: int) -> RawGame:
    if match.games and game != match.games[-1].number + 1:
        match.findings.add(
            "game-number", f"game {game} follows game {match.games[-1].number}", game, line
        )
    return RawGame(game, line)


def _add_row(match: RawMatch, game: RawGame, line: str, number: int) -> None:
    """Add a line to a game.

    A finding tells if its row is not the next one, stands twice, or follows an empty one. Some
    programs end a game with an empty row, so the last row may be empty.
    """
    added = cells(line, number)
    row = row_number(line)
    if row is not None:
        before = game.cells[game.row_begins :]
        if row == game.row and before and [replace(cell, line=number) for cell in before] == added:
            match.findings.add(
                "row-twice", f"row {row} stands twice: it was read once", game.number, number
            )
            return
        if row != game.row + 1:
            match.findings.add(
                "row-number", f"row {row} follows row {game.row}", game.number, number
            )
        elif game.row and not before:
            match.findings.add("row-number", f"row {game.row} is empty", game.number, number - 1)
        game.row = row
        game.row_begins = len(game.cells)
    game.cells += added


def swap_columns(game: RawGame) -> None:
    if game.names and game.score:
        game.names = game.names[::-1]
        game.score = game.score[::-1]
    game.cells = [replace(cell, side=1 - cell.side) for cell in game.cells]


def lines_of(data: bytes) -> tuple[list[str], Decoded]:
    """Return the lines of a match file without tabs, and how they were decoded.

    Raises MatchTextError for an empty, a binary or a huge file, and for a text in two encodings.
    """
    if len(data) > MAX_BYTES:
        raise MatchTextError(f"too large for a match text: more than {MAX_BYTES} bytes")
    text = decoded(data)
    if not text.text.strip():
        raise MatchTextError("empty file")
    lines = _LINE_END.split(text.text.expandtabs(8))
    longest = max(map(len, lines))
    if longest > MAX_LINE:
        raise MatchTextError(f"not a match text: a line of {longest} characters")
    return lines, text
