"""Which rows of a list are rated, with what result, or why not.

Byes, forfeits, matches that were given up and contradictory rows are not rated.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bgleague.games import length_of, name_of, safe_line
from bgmatch.days import ZEROS, impossible
from bgrating.suggestion import without_marks

SHOWN = 40  # letters of a cell that a reason quotes
BYE = re.compile(
    r"\W*(bye|freilos|spielfrei|exempt|descanso|riposo|oversidder|no"
    r" opponent|n/a|tb[ad])\W*\d*\W*|[-–—?.*_/]+",
    re.IGNORECASE,
)
FORFEIT = re.compile(
    r"forfeit|forfait|walk[\s-]?over|kampflos|not?[\s-]?show|nicht"
    r" angetreten|\bdefault|\bw[\s./]*o\b|\bff\b|\bdq\b|^\s*\+|"
    r"^\s*-\s*[-:–]\s*[-+]\s*$(?<!-:-)",
    re.IGNORECASE,
)
_NOT_PLAYED = {
    "a forfeit: not rated": FORFEIT,
    "a match that was given up (retired): not rated": re.compile(
        r"\b(?:ret|retd|rtd|abd|aband|dnf|inj)\b|retire|abandon|aufgegeben|aufgabe|abgebrochen|"
        r"given up|gave up|conceded|unfinished|incomplete|abbandon|retirad|opgivet|opgegeven",
        re.IGNORECASE,
    ),
}
NO_SCORE = {"", "-", "–", "—", "?", ":", "-:-"}
_LONGEST = 99
_LENGTH = re.compile(
    r"(?:(?:race[\s_]+)?to[\s_]+)?(\d{1,9})(?:[.,]0+)?"
    r"(?:[\s-]*(?:p|pt|pts|points?|pkt|punkte?)\.?)?"
)
_MADE_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-.]\s?[A-Za-zä]{3,4}\.?")

Points = tuple[int, int]
"""The points of both players."""
ScoreByWord = Mapping[str, float]
"""The first player's score by words of results, or by what stands for winners."""


@dataclass
class Match:
    """A row of a list: its players, its cells by the meaning of their columns, and what they say.

    `scores` are the cells of both players' points and of the result.
    `points` are those of both players, None without a score, and `declared` those of a column of
    results alone. `word` is the result as a word. `day` is None if the cell is no date; `moment`
    has the time, too. `decide` sets the last three: the reason why it is not rated, or the first
    player's score and the match length.
    """

    number: int
    fields: Sequence[str]
    first: str
    second: str
    scores: list[str]
    word: str
    remark: str
    day: str | None
    moment: str
    points: Points | None
    declared: Points | None
    winner: str = ""
    length: str = ""
    id: str = ""
    date: str = ""
    handicap: str = ""
    target1: str = ""
    target2: str = ""
    reason: str = ""
    result: float = math.nan
    played_length: float = math.nan


Matches = Sequence[Match]


@dataclass(frozen=True)
class Reading:
    """How the cells of a list are read.

    `letters` has the first player's score by words of results, `winners` by what stands for
    winners. The flags tell whether the list names the winner first, and whether it has scores.
    """

    letters: ScoreByWord
    winners: ScoreByWord
    is_winner_first: bool
    has_scores: bool
    today: date


def decide(match: Match, reading: Reading) -> None:
    """Set why a match is not rated; or its first player's score and its length (NaN if unknown)."""
    match.reason = next(filter(None, _reasons(match, reading)), "")
    if match.reason:
        return
    match.played_length = length_in(match.length) or length_of(*(match.points or (0, 0)))
    score = score_of(match.points) if match.points else declared_score(match, reading)
    assert score is not None  # a row without a score and a winner has a reason
    match.result = score


def _reasons(match: Match, reading: Reading) -> Iterator[str]:
    """Yield why a row is not rated, the reason that counts first."""
    if any(map(BYE.fullmatch, (match.first, match.second))):
        yield "a bye: not rated"
    yield why_not_played(*match.scores, match.remark, match.winner, match.word)
    if match.target1 != match.target2 or match.handicap not in {"", "0", "-"}:
        yield "a match with a handicap: not rated"
    length = length_in(match.length)
    if length is None:
        shown = safe_line([match.length], SHOWN)
        yield f"not a length: {shown} (write 1 to {_LONGEST}, or nothing)"
    winner = declared_score(match, reading)
    letter = reading.letters.get(match.word)
    if winner is not None and math.isnan(winner):
        yield "the winner is neither of the players"
    if letter not in (None, winner):
        yield "the result contradicts the winner"
    if match.points and match.declared and score_of(match.points) != score_of(match.declared):
        yield "the score contradicts the result"
    if not match.points and letter is None:
        yield _without_score(match, reading, winner)
    if match.day is None:
        yield f"not a date: {safe_line([match.date], SHOWN)} (write 2026-03-14)"
    elif match.day not in ZEROS:
        yield impossible(match.day, reading.today)
    if match.points:
        yield _contradiction(match.points, length or 0, winner)


def why_not_played(*cells: str) -> str:
    """Return why a match does not count as played, by cells of its row; else an empty text."""
    return next((why for why, sign in _NOT_PLAYED.items() if any(map(sign.search, cells))), "")


def _without_score(match: Match, reading: Reading, winner: float | None) -> str:
    scores = [score for score in match.scores if score not in NO_SCORE]
    if any(map(_MADE_DATE.fullmatch, scores)):
        return "a spreadsheet made a date of the score: write it as 7:4"
    if winner is not None:
        return "no score, while other rows have one: not rated" if reading.has_scores else ""
    if scores:
        return f"not a score: {safe_line(scores, SHOWN)} (write 7-4)"
    if match.word in NO_SCORE:
        return "no result"
    return f"not a result: {safe_line([match.word], SHOWN)} (write W or L)"


def _contradiction(points: Points, length: int, winner: float | None) -> str:
    if winner not in (None, score_of(points)):
        return "the score contradicts the winner"
    if not any(points):
        return "nobody has a point: not rated"
    if not length:
        return ""
    if points[0] == points[1]:
        return "a tie: a match has a winner"
    if max(points) < length:
        return f"neither player has the {length} points of the match"
    return f"both players have the {length} points of the match" if min(points) >= length else ""


def declared_score(match: Match, reading: Reading) -> float | None:
    """Return the first player's score by the name or number of the winner, or by a word.

    It is NaN for another name.
    """
    if reading.is_winner_first:
        return 1.0
    if not match.winner:
        return reading.letters.get(match.word)
    score = score_by_name(match)
    return reading.winners.get(plain_word(match.winner), math.nan) if score is None else score


def score_by_name(match: Match) -> float | None:
    """Return the first player's score by the name of the winner, None if it is neither player's
    name.
    """
    names = (name_of(match.winner), match.first, match.second)
    winner, first, second = map(str.casefold, names)
    if first == second:
        winner, first, second = names
    return {second: 0.0, first: 1.0}.get(winner)


def score_of(points: tuple[float, float]) -> float:
    """Return the first player's score by the points of both."""
    return 0.5 if points[0] == points[1] else float(points[0] > points[1])


def plain_word(text: str) -> str:
    return "".join(without_marks(text.replace("½", "0.5").lower()).split())


def length_in(text: str) -> int | None:
    """Return a match length; 0 for an empty cell, None if the cell is no match length."""
    number = _LENGTH.fullmatch(text.lower())
    length = int(number[1]) if number else 0
    return length if 0 < length <= _LONGEST or not text else None
