"""What the columns and words of a list mean: each is decided from all its cells, and has one
reading.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from bgleague.games import safe_line
from bgleague.headings import WORDS, plain
from bgleague.settings import RatingsError
from bgleague.verdicts import (
    FORFEIT,
    NO_SCORE,
    SHOWN,
    Match,
    Matches,
    Reading,
    ScoreByWord,
    declared_score,
    length_in,
    plain_word,
    score_by_name,
    score_of,
)


def scores_by_word(vocabulary: Mapping[str, str]) -> dict[str, float]:
    """Return the first player's score by the words of a language or of another way of writing."""
    scores = {"won": 1.0, "lost": 0.0, "tied": 0.5}
    return {word: scores[kind] for kind, words in vocabulary.items() for word in words.split()}


_LETTERS = [scores_by_word(vocabulary) for vocabulary in WORDS["results"]]
_WINNERS = [scores_by_word(vocabulary) for vocabulary in WORDS["winners"]]
_WINNER_WORDS = set().union(*_WINNERS)
MANY = 10  # exceptions are one row, or at most one of so many
_SHORTEST = 3
_DATED = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d).*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d).*")
_NO_DATE = re.compile(r"\d{1,2}[:.]\d\d([:.]\d\d)?|\d{3,4}")


def reading_of(matches: Matches, columns: dict[str, int], today: date, notes: list[str]) -> Reading:
    """Return how the cells of a list are read; correct its matches by it, and add notes.

    Columns of points that are no result are taken out of `columns`.
    """
    if "score1" in columns and _result_decides(matches):
        for match in matches:
            match.points = match.declared
            match.scores = match.scores[2:]
        del columns["score1"], columns["score2"]
    has_scores = any(match.points for match in matches)
    reason = _no_lengths(matches, has_scores, "winner" in columns)
    if reason:
        notes.append(f"the column of points was taken for {reason}")
        for match in matches:
            match.length = ""
    names = columns.keys()
    is_winner_first = not {"player1", "player2"} <= names and {"winner", "loser"} <= names
    letters = _letters(matches, "outcome" in columns)
    winners = {} if is_winner_first else _winners(matches)
    reading = Reading(letters, winners, is_winner_first, has_scores, today)
    if _turn_scores(matches, reading):
        notes.append(
            "scores were read with the winner's points first, also where the second player won"
        )
    return reading


def date_column(
    heading: Sequence[str], cells: Sequence[Sequence[str]], columns: Mapping[str, int]
) -> int | None:
    """Return the index of the column of dates.

    It is the first column with a heading for dates in which half the cells look like dates.
    Otherwise it is a column that has full dates only.
    """
    taken = {index for name, index in columns.items() if name not in {"date", "clock"}}
    free = [index for index in range(len(heading)) if index not in taken]
    values = [set(column[1:]) - {""} for column in zip(heading, *cells, strict=True)]
    by_name = {plain(heading[index]): index for index in reversed(free)}
    headed = [by_name[name] for name in WORDS["headings"]["date"].split() if name in by_name]
    if "date" in columns:
        headed.append(columns["date"])
    plausible = [index for index in headed if _are_dates(values[index])]
    full = [index for index in free if values[index] and all(map(_DATED.match, values[index]))]
    return next(iter([*plausible, *full, *headed]), None)


def _are_dates(values: Iterable[str]) -> bool:
    """Tell whether half of some cells look like dates."""
    dated = [len(re.findall(r"\d", text)) >= 3 and not _NO_DATE.fullmatch(text) for text in values]
    return 2 * sum(dated) >= len(dated)


def _result_decides(matches: Matches) -> bool:
    """Tell whether a column of results wins against columns of points.

    It wins if it fits every row and the points contradict it.
    """
    results = [match.scores[-1] for match in matches if not match.declared]
    unread = filter(None, results)
    if not all(map(FORFEIT.search, unread)):
        return False
    contradictions = [
        score_of(match.points) != score_of(match.declared)
        for match in matches
        if match.points and match.declared
    ]
    return sum(contradictions) > max(1, len(contradictions) / MANY)


def _no_lengths(matches: Matches, has_scores: bool, has_winners: bool) -> str:
    """Return what a column of lengths counts instead of lengths, or nothing if it has lengths.

    Match lengths are odd. Beside winners without a score, a column with even numbers, or with none
    above 3, counts the points of a game. Beside scores, the numbers are no lengths if most winners
    have fewer points.
    """
    lengths = [length_in(match.length) for match in matches]
    if lengths.count(None) > sum(map(bool, lengths)):
        return "no lengths of matches: most of its cells are no whole numbers of 1 to 99"
    numbers = [length or 0 for length in lengths]
    if has_scores:
        pairs = zip(matches, numbers, strict=True)
        is_less = [max(match.points) < number for match, number in pairs if match.points and number]
        is_other = len(is_less) > 2 and 2 * sum(is_less) > len(is_less)
        return "no lengths of matches: most winners have fewer points" if is_other else ""
    is_worth = max(numbers, default=0) <= _SHORTEST or any(
        number and number % 2 == 0 for number in numbers
    )
    if any(numbers) and has_winners and is_worth:
        return "what each game was worth, not lengths of matches: every game counts as one"
    return ""


def _one_reading(
    words: Sequence[tuple[str, float | None]], readings: Sequence[ScoreByWord], column: str
) -> ScoreByWord:
    """Return the reading of a column's words; empty if no reading knows any of them.

    `column` names it in errors. A word has the first player's score by the points of its row, None
    without points. A reading fits if it knows every word that another one knows. Points decide
    between readings. Raises RatingsError if several fit, or none.
    """
    known = {word for word, _ in words}.intersection(set().union(*readings))
    if not known:
        return {}
    fitting = [reading for reading in readings if known <= reading.keys()]
    meanings = {tuple(map(reading.get, sorted(known))) for reading in fitting}
    fault = "fit no one reading"
    if len(meanings) > 1:
        scored = {(word, score) for word, score in words if word in known and score is not None}
        fitting = [reading for reading in fitting if scored and scored <= reading.items()]
        fault = "fit two readings"
    if not fitting:
        shown = safe_line([", ".join(sorted(known))], SHOWN)
        raise RatingsError(f"its {column} {shown} {fault}: write the winner's name, or W and L")
    return fitting[0]


def _letters(matches: Matches, has_outcomes: bool) -> ScoreByWord:
    """Return the scores of the words of a column of results."""
    words = [
        (match.word, _by_points(match))
        for match in matches
        if (has_outcomes or not match.points)
        and match.word not in NO_SCORE
        and not FORFEIT.search(match.word)
    ]
    return _one_reading(words, _LETTERS, "results")


def _winners(matches: Matches) -> ScoreByWord:
    """Return the scores of words that stand for a winner; nothing if most winners are names."""
    filled = [match for match in matches if match.winner]
    words = [
        (plain_word(match.winner), _by_points(match))
        for match in filled
        if plain_word(match.winner) in _WINNER_WORDS and score_by_name(match) is None
    ]
    return _one_reading(words, _WINNERS, "winners") if 2 * len(words) > len(filled) else {}


def _by_points(match: Match) -> float | None:
    return score_of(match.points) if match.points else None


def _turn_scores(matches: Matches, reading: Reading) -> bool:
    """Put the first player's points first if all scores begin with the winner's.

    Return whether they do. A single match that the second player won is not enough: its score may
    be a slip.
    """
    scored = [match for match in matches if match.points]
    lost = [match for match in scored if declared_score(match, reading) == 0]
    if len(lost) < 2 or any(match.points < match.points[::-1] for match in scored if match.points):
        return False
    for match in lost:
        match.points = match.declared = match.points[::-1] if match.points else None
    return True
