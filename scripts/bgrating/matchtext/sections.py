"""From the bytes of a file to lines of text, and from these to matches and games."""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bgrating import BgratingError
from bgrating.matchtext.headers import match_length, tag
from bgrating.matchtext.model import LEFT, RIGHT, Finding
from bgrating.matchtext.rows import SideAction, cells, row_number, score_line

# Writers add what kind of game it is: "Game 5 (Crawford)", "Game 1:", "Game 3 of 9".
_GAME = re.compile(r"\s*game\s+#?(\d{1,5})(?![\d)])(?!.*\b[1-6][1-6]:).{0,60}$", re.IGNORECASE)
_SET_POSITION = re.compile(r";\s*set pos\s*=\s*(.*)", re.IGNORECASE)
MAX_BYTES = 16 * 1024 * 1024
"""Largest text that is read, in bytes; a match of 25 points takes about 30 kB."""

MAX_LINE = 10_000
"""Longest line that is read, in characters; the longest lines of the programs have about 300."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x19\x1b-\x1f\x7f]")


@dataclass(slots=True)
class RawGame:
    """A game's cells; ``names`` and ``score`` are None without a score line."""

    number: int
    line: int
    names: tuple[str, str] | None = None
    score: tuple[int, int] | None = None
    cells: list[SideAction] = field(default_factory=list)
    row: int = 0
    """Number of the last row."""
    row_begins: int = 0
    """How many cells there were before the last row."""


@dataclass(slots=True)
class RawMatch:
    """A match's headers and games, and the first line it came from."""

    length: int
    headers: list[tuple[str, str]]
    line: int
    games: list[RawGame] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def sections(lines: list[str]) -> list[RawMatch]:
    """Return the matches of a file in order; empty if no line declares a match length.

    A second ``Game 1`` without a length of its own begins a further match of the same length. Lines of games above the
    first length become a finding of the first match: their length line must be lost.
    """
    matches: list[RawMatch] = []
    above: list[tuple[int, str]] = []
    headers: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        match = matches[-1] if matches else None
        game = match.games[-1] if match and match.games else None
        if game and game.names is None and not game.cells and _take_score(game, line):
            continue
        if line.lstrip()[0] in ";#":
            _note(line, number, game, headers)
            continue
        length = match_length(line)
        if length is not None:
            matches.append(RawMatch(length, headers, number))
            headers = []
            if any(cell.kind == "roll" for cell in cells(line, number)):
                matches[-1].findings.append(_unread(line, number))
            continue
        if match is None:
            above.append((number, line))
            continue
        new_game = _GAME.match(line)
        if new_game:
            if game and new_game[1] == "1":
                matches.append(RawMatch(match.length, headers or match.headers, number))
                headers = []
            matches[-1].games.append(_next_game(matches[-1], int(new_game[1]), number))
        elif game:
            match.findings += _row_lost(game, line, number)
            game.cells += cells(line, number)
        else:
            match.findings.append(_unread(line, number))
    if matches:
        matches[-1].headers += headers
        matches[0].findings += _unread_above(above)
    return matches


def _unread(line: str, number: int) -> Finding:
    return Finding("unread", f"not understood: {line.strip()[:80]!r}", None, number)


def _unread_above(above: list[tuple[int, str]]) -> list[Finding]:
    """Return a finding for the lines above the first length, if there is one of a game among them."""
    at = next((index for index, (number, line) in enumerate(above) if _of_a_game(line, number)), None)
    if at is None:
        return []
    number, first = above[at]
    message = f"{len(above) - at} lines before the first match length are not read, from {first.strip()[:60]!r}"
    return [Finding("before-length", message, None, number)]


def _of_a_game(line: str, number: int) -> bool:
    return bool(_GAME.match(line) or score_line(line) or any(cell.kind == "roll" for cell in cells(line, number)))


def _next_game(match: RawMatch, game: int, line: int) -> RawGame:
    if match.games and game != match.games[-1].number + 1:
        message = f"game {game} follows game {match.games[-1].number}"
        match.findings.append(Finding("game-number", message, game, line))
    return RawGame(game, line)


def _row_lost(game: RawGame, line: str, number: int) -> list[Finding]:
    """Return a finding if a row's number is not the next, or the row before it is empty: a row may be lost.

    Some programs end a game with an empty row.
    """
    row, before, held = row_number(line), game.row, game.row_begins
    if row is None:
        return []
    game.row, game.row_begins = row, len(game.cells)
    if row != before + 1:
        return [Finding("row-number", f"row {row} follows row {before}", game.number, number)]
    if before and held == len(game.cells):
        return [Finding("row-number", f"row {before} is empty", game.number, number - 1)]
    return []


def _take_score(game: RawGame, line: str) -> bool:
    score = score_line(line)
    if score:
        game.names, game.score = (score[0], score[2]), (score[1], score[3])
    return score is not None


def _note(line: str, number: int, game: RawGame | None, headers: list[tuple[str, str]]) -> None:
    pair = tag(line)
    if pair:
        headers.append(pair)
        return
    position = _SET_POSITION.match(line.strip())
    if position and game:
        game.cells.append(SideAction(LEFT, "position", position[1], number))


def swap_columns(game: RawGame) -> None:
    if game.names and game.score:
        game.names, game.score = game.names[::-1], game.score[::-1]
    game.cells = [replace(cell, side=LEFT if cell.side == RIGHT else RIGHT) for cell in game.cells]


class MatchTextError(BgratingError):
    """The bytes are not a match text; the message gives the reason in one line."""


def decode(data: bytes) -> list[str]:
    """Return the lines of a match file: UTF-8 or UTF-16 with a byte-order mark, UTF-8, Windows or Latin-1.

    Raises MatchTextError for an empty, a binary or a huge file.
    """
    if len(data) > MAX_BYTES:
        raise MatchTextError(f"too large for a match text: more than {MAX_BYTES} bytes")
    text = _text(data).rstrip("\x1a")  # the end-of-file mark of DOS
    if not text.strip():
        raise MatchTextError("empty file")
    if _CONTROL.search(text):
        raise MatchTextError("binary file, not a match text")
    lines = _LINE_END.split(text)
    longest = max(len(line) for line in lines)
    if longest > MAX_LINE:
        raise MatchTextError(f"not a match text: a line of {longest} characters")
    return lines


def _text(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        raise MatchTextError("binary file, not a match text")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    try:
        return data.decode("cp1252")  # as Latin-1 where that has letters
    except UnicodeDecodeError:
        raise MatchTextError("binary file, not a match text") from None
