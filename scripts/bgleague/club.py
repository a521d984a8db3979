"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

What a column means is decided from all its cells, and a column has one reading.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd

from bgleague.dates import moment, read_dates
from bgleague.games import GAMES, KNOWN, TELLING, Row, Table, name_of, safe_line
from bgleague.headings import WORDS, columns_of, plain, words_of
from bgleague.settings import RatingsError
from bgleague.verdicts import (
    FORFEIT,
    NO_SCORE,
    SHOWN,
    Match,
    Points,
    Reading,
    Verdict,
    length_in,
    plain_word,
    score_by_name,
    score_of,
    stated_score,
    verdict,
)
from bgmatch.days import ZEROS, impossible
from bgmatch.records import Json
from bgrating.pages.words import counted


def scores_by_word(way: Mapping[str, str]) -> dict[str, float]:
    """Return the first player's score by the words of a language or of another way of writing."""
    scores = {"won": 1.0, "lost": 0.0, "tied": 0.5}
    return {word: scores[kind] for kind, words in way.items() for word in words.split()}


_LETTERS = [scores_by_word(way) for way in WORDS["results"]]
_WINNERS = [scores_by_word(way) for way in WORDS["winners"]]
_SHORTEST = 3
_MANY = 10  # exceptions are one row, or at most one of so many
_DATED = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d).*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d).*")
_NO_DATE = re.compile(r"\d{1,2}[:.]\d\d([:.]\d\d)?|\d{3,4}")
_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−‐‑/]\s*|\s+(?:to|à|a|zu)\s+|\s+")
_FOOTNOTE = re.compile(r"[\s*†‡¹²³]+$")
_VERSUS = re.compile(r"\s+(?:vs?\.?|gegen|contre|-|–)\s+", re.IGNORECASE)
_NOT_OF_MATCHES = ("player1", "player2", "players", "loser", "outcome", "clock")
"""Columns whose cells a match has in another form."""
_REMEDY = "write the winner's name, or W and L"


def games(
    heading: Sequence[str], rows: Sequence[Row], today: date, order: str, table: Table
) -> pd.DataFrame:
    """Return the games of a list of results; add its flagged rows and its notes to `table`.

    Columns: those of games, `date` (YYYY-MM-DD), `length`, `score` ("7-4", the first player's
    points first), `id` (an id or a time of day, by which equal rows differ) and `moment` (date and
    time in UTC, which order games).
    """
    cells = [[field.strip() for field in fields] for _, fields in rows]
    columns = columns_of(heading)
    place = _date_column(heading, cells, columns)
    columns = {name: index for name, index in columns.items() if name != "date" and index != place}
    days: Sequence[str | None] = [""] * len(rows)
    if place is not None:
        columns["date"] = place
        dates = read_dates([row[place] for row in cells], today, heading[place], order)
        days = dates.days
        table.notes += dates.notes
    nameless = [index for index, name in enumerate(heading) if not name.strip()]
    matches = [
        _match(row, [written[index] for index in nameless], columns, written, day)
        for row, written, day in zip(rows, cells, days, strict=True)
    ]
    if "score1" in columns and _result_decides(matches):
        for match in matches:
            match.points = match.stated
            match.score1 = match.score2 = ""
        del columns["score1"], columns["score2"]
    has_scores = any(match.points for match in matches)
    if reason := _no_lengths(matches, has_scores, "winner" in columns):
        table.notes.append(f"the column of points was taken for {reason}")
        for match in matches:
            match.length = ""
    is_winner_first = not {"player1", "player2"} <= columns.keys() and "loser" in columns
    letters = _letters(matches, "outcome" in columns)
    winners = {} if is_winner_first else _winners(matches)
    reading = Reading(letters, winners, is_winner_first, has_scores, today)
    used = [index for name, index in columns.items() if letters or name != "outcome"]
    unused = [name for index, name in enumerate(heading) if index not in used and name.strip()]
    if unused:
        table.notes.append(f"columns that are not used: {safe_line([', '.join(unused)])}")
    if _turn_scores(matches, reading):
        table.notes.append(
            "scores were read with the winner's points first, also where the second player won"
        )
    verdicts = [verdict(match, reading) for match in matches]
    is_form = bool({"your", "my"} & {*words_of(heading[columns.get("player1", 0)])})
    return _in_order(_rated(matches, verdicts, is_form, table), table)


def _match(
    row: Row,
    nameless: Sequence[str],
    columns: Mapping[str, int],
    written: Sequence[str],
    day: str | None,
) -> Match:
    """Return the match of a row; columns without a name are part of the remark."""
    cells = {name: written[index] for name, index in columns.items()}
    names = _names(cells)
    remark = " ".join([cells.pop("remark", ""), *nameless])
    word = plain_word(cells.get("outcome", cells.get("score", "")))
    clock = cells.get("clock", "")
    scores = [_FOOTNOTE.sub("", cells.get(name, "")) for name in ("score1", "score2", "score")]
    stated = _points(_BETWEEN.split(scores[2]))
    points = _points(scores[:2]) or stated
    time = moment(day or "", clock, cells.get("date", ""))
    kept: Json = {name: cell for name, cell in cells.items() if name not in _NOT_OF_MATCHES}
    return Match(*row, *names, word, remark, day, time, points, stated, **kept)


def _names(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of the players of a row; the winner's first if nothing else is known."""
    if "player1" in cells and "player2" in cells:
        return cells["player1"], cells["player2"]
    if "loser" in cells:
        return cells["winner"], cells["loser"]
    first, *rest = _VERSUS.split(cells["players"], maxsplit=1)
    return first, "".join(rest)


def _points(parts: Sequence[str]) -> Points | None:
    """Return both players' points by the two parts of a score, or None without a readable score."""
    if len(parts) != 2:
        return None
    first, second = map(_POINTS.fullmatch, parts)
    return (int(first[1]), int(second[1])) if first and second else None


def _result_decides(matches: Sequence[Match]) -> bool:
    """Tell whether a column of results wins against columns of points.

    It fits every row, and they contradict it.
    """
    unread = [match.score for match in matches if match.score and not match.stated]
    if not all(map(FORFEIT.search, unread)):
        return False
    both = [
        score_of(match.points) != score_of(match.stated)
        for match in matches
        if match.points and match.stated
    ]
    return sum(both) > max(1, len(both) / _MANY)


def _date_column(
    heading: Sequence[str], cells: Sequence[Sequence[str]], columns: Mapping[str, int]
) -> int | None:
    """Return the place of the column of dates.

    It is the first column with a heading for dates in which half the cells look like dates.
    Otherwise it is a column that has full dates only.
    """
    others = {index for name, index in columns.items() if name not in {"date", "clock"}}
    filled = {
        index: {row[index] for row in cells} - {""}
        for index in range(len(heading))
        if index not in others
    }
    names = {plain(heading[index]): index for index in reversed(filled)}
    named = [names[name] for name in WORDS["headings"]["date"].split() if name in names]
    if "date" in columns:
        named.append(columns["date"])
    likely = [index for index in named if _are_dates(filled[index])]
    full = [index for index, values in filled.items() if values and all(map(_DATED.match, values))]
    return next(iter([*likely, *full, *named]), None)


def _are_dates(values: Iterable[str]) -> bool:
    """Tell whether half of some cells look like dates."""
    are = [len(re.findall(r"\d", text)) >= 3 and not _NO_DATE.fullmatch(text) for text in values]
    return 2 * sum(are) >= len(are)


def _no_lengths(matches: Sequence[Match], has_scores: bool, has_winners: bool) -> str:
    """Return what a column of lengths counts instead of lengths, or nothing if it has lengths.

    Match lengths are odd. Beside winners without a score, a column with even numbers, or with none
    above 3, counts the points of a game. Beside scores, the numbers are no lengths if most winners
    have fewer points.
    """
    numbers = [length_in(match.length) or 0 for match in matches]
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
    words: Sequence[tuple[str, float | None]], readings: Sequence[Mapping[str, float]], what: str
) -> Mapping[str, float]:
    """Return the reading of a column's words; empty if no reading knows any of them.

    A word has the first player's score by the points of its row, None without points. A reading
    fits if it knows every word that another one knows. Points decide between readings. Raises
    RatingsError if several fit, or none.
    """
    known = {word for word, _ in words if any(word in reading for reading in readings)}
    if not known:
        return {}
    fitting = [reading for reading in readings if known <= reading.keys()]
    fault = "fit no one reading"
    if len({tuple(reading[word] for word in sorted(known)) for reading in fitting}) > 1:
        scored = [(word, score) for word, score in words if word in known and score is not None]
        fitting = [
            reading
            for reading in fitting
            if scored and all(reading[word] == score for word, score in scored)
        ]
        fault = "fit two readings"
    if not fitting:
        shown = safe_line([", ".join(sorted(known))], SHOWN)
        raise RatingsError(f"its {what} {shown} {fault}: {_REMEDY}")
    return fitting[0]


def _letters(matches: Iterable[Match], has_outcomes: bool) -> Mapping[str, float]:
    """Return the scores of the words of a column of results."""
    words = [
        (match.word, _by_points(match))
        for match in matches
        if (has_outcomes or not match.points)
        and match.word not in NO_SCORE
        and not FORFEIT.search(match.word)
    ]
    return _one_reading(words, _LETTERS, "results")


def _winners(matches: Sequence[Match]) -> Mapping[str, float]:
    """Return the scores of words that stand for a winner; nothing if most winners are names."""
    filled = [match for match in matches if match.winner]
    others = [
        (plain_word(match.winner), _by_points(match))
        for match in filled
        if score_by_name(match) is None
    ]
    return _one_reading(others, _WINNERS, "winners") if 2 * len(others) > len(filled) else {}


def _by_points(match: Match) -> float | None:
    return score_of(match.points) if match.points else None


def _turn_scores(matches: Iterable[Match], reading: Reading) -> bool:
    """Put the first player's points first if all scores begin with the winner's.

    Tell whether they do.

    A single match that the second player won is not enough: its score may be a slip.
    """
    scored = [match for match in matches if match.points]
    lost = [match for match in scored if stated_score(match, reading) == 0]
    if len(lost) < 2 or any(match.points < match.points[::-1] for match in scored if match.points):
        return False
    for match in lost:
        match.points = match.stated = match.points[::-1] if match.points else None
    return True


def _rated(
    matches: Sequence[Match], verdicts: Sequence[Verdict], is_form: bool, table: Table
) -> pd.DataFrame:
    """Return the rows that are rated; flag those that are not, or that count with a reservation."""
    texts = [
        "\t".join(" ".join(field.split()) for field in match.fields).casefold() for match in matches
    ]
    candidates = [index for index, result in enumerate(verdicts) if not result.reason]
    ids = _ids(matches, {index: texts[index] for index in candidates})
    again, is_from_both_sides = _reported_again(matches, verdicts)
    has_dates = any(match.day != "" for match in matches)
    seen: dict[str, int] = {}
    rated = []
    for index, (match, result) in enumerate(zip(matches, verdicts, strict=True)):
        reason = result.reason or (again.get(index, "") if is_form else "")
        text = texts[index]
        if text in seen and ids[index] and not reason:
            reason = f"the same as row {seen[text]}: counted once"
        if reason:
            table.flag(match.number, reason, match.fields)
            continue
        seen.setdefault(text, match.number)
        day = "" if match.day in ZEROS else match.day
        if result.score == 0.5:
            table.flag(match.number, "a tie: half a win for each", match.fields, rated=True)
        elif has_dates and not day:
            why = f"{impossible(match.day or '') or 'no date'}: not used in ratings over time"
            table.flag(match.number, why, match.fields, rated=True)
        points = "-".join(map(str, match.points or ()))
        game = (match.first, match.second, result.score, 1.0, match.number)
        telling = (points, ids[index], match.moment if day else "")
        rated.append((*game, day, result.length, *telling))
    if repeated := len(rated) - len(seen):
        why = "all count, since no id and no time of day tells that they are one match"
        table.notes.append(f"{counted(repeated, 'rows')} repeated: {why}")
    if is_from_both_sides and len(rated) > 2 and not is_form:
        why = "all count; if a match stands here twice, leave one out"
        table.notes.append(f"every result stands here from both sides: {why}")
    return pd.DataFrame(rated, columns=[*GAMES, *KNOWN, *TELLING])


def _ids(matches: Sequence[Match], rated: Mapping[int, str]) -> list[str]:
    """Return the id and the time of day of each match, from any column.

    No ids if two different rows share one.

    `rated` has the texts of the rated rows by their places.
    """
    ids = [match.id for match in matches]
    texts = {(ids[index], text) for index, text in rated.items() if ids[index]}
    if len({match_id for match_id, _ in texts}) < len(texts):
        ids = [""] * len(matches)
    times = [match.moment.partition("T")[2] for match in matches]
    return [f"{match_id} {time}".strip() for match_id, time in zip(ids, times, strict=True)]


class _Report(NamedTuple):
    """A result as one of the players gives it."""

    day: str | None
    player: str
    opponent: str
    score: float
    points: tuple[int, ...]


def _reported_again(
    matches: Sequence[Match], verdicts: Sequence[Verdict]
) -> tuple[dict[int, str], bool]:
    """Return why reports of a form do not count, by their places, if both players may fill it in.

    Also tell whether every report has one from the other side.

    Two reports of a day from both sides are one match if they agree. If they do not agree, neither
    counts.
    """
    waiting: dict[_Report, list[int]] = defaultdict(list)
    reasons = {}
    for index, (match, result) in enumerate(zip(matches, verdicts, strict=True)):
        if result.reason:
            continue
        player = name_of(match.first).casefold()
        opponent = name_of(match.second).casefold()
        points = match.points or ()
        mirrored = _Report(match.day, opponent, player, 1 - result.score, points[::-1])
        if waiting[mirrored]:
            twin = matches[waiting[mirrored].pop()].number
            reasons[index] = f"the other player's report of row {twin}: counted once"
        else:
            waiting[_Report(match.day, player, opponent, result.score, points)].append(index)
    sides: dict[tuple[str | None, str, str], list[int]] = defaultdict(list)
    for report, indices in waiting.items():
        if indices:
            sides[report[:3]] += indices
    for (day, player, opponent), indices in sides.items():
        if (day, opponent, player) in sides:
            why = "the two players' reports contradict each other: not rated"
            reasons |= dict.fromkeys(indices, why)
    return reasons, not sides


def _in_order(rated: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Turn a list that runs backwards; a match without a time stays behind the one above it."""
    days = rated["date"][rated["date"] != ""]
    falls = int((days < days.shift()).sum())
    rises = int((days > days.shift()).sum())
    has_time = rated["moment"] != rated["date"]
    # One step of many may rise, due to a slip.
    if falls and _MANY * rises <= falls:
        if not has_time.all():
            table.notes.append(
                "the list runs backwards, the latest match first: its rows were turned"
            )
        rated = rated.iloc[::-1].reset_index(drop=True)
        has_time = rated["moment"] != rated["date"]
    times = rated["moment"].where(has_time).groupby(rated["date"]).ffill()
    return rated.assign(moment=times.fillna(rated["date"]))
