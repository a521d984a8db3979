"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

What a column means is decided from all its cells, and a column has one reading. Byes, forfeits,
matches that were given up and contradictory rows are flagged and not rated.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from bgleague.dates import Dates, moment, plain, read_dates
from bgleague.games import GAMES, KNOWN, TELLING, Row, Table, length_of, name_of, safe_line
from bgleague.headings import NAMES, columns_of, words_of
from bgleague.settings import RatingsError
from bgmatch.days import ZEROS, impossible
from bgmatch.records import Json, Record
from bgrating.pages.words import counted
from bgrating.suggestion import without_marks


def _language(won: str, lost: str, tied: str = "") -> dict[str, float]:
    """Return the first player's score by word."""
    words = {1.0: won, 0.0: lost, 0.5: tied}
    return {word: score for score, text in words.items() for word in text.split()}


ENGLISH = _language("w win won", "l loss lost lose", "d draw t tie")
_LETTERS = (
    ENGLISH,
    _language("s sieg", "n niederlage", "u remis"),
    _language("v vundet victoire", "t tabt d defaite"),
    _language("yes y true", "no n false"),
    _language("1", "0", "0.5 0,5 0.5-0.5 1/2-1/2"),
    _language("1", "2", "x"),
)
"""The words and letters of results, in several languages."""
_WINNERS = (
    _language("1", "2"),
    _language("0", "1"),
    _language("1", "0"),
    _language("true yes", "false no"),
    _language(
        "player1 p1 first home white a me i iwon",
        "player2 p2 second away black b opponent myopponent they",
    ),
)
"""What stands in place of a winner's name, in several ways of writing."""
_LONGEST = 99
_SHORTEST = 3
_MANY = 10  # exceptions are one row, or at most one of so many
SHOWN = 40  # letters of a cell that a reason quotes
_DATED = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b.*")
_LENGTH = re.compile(
    r"(?:to\s+)?(\d{1,9})(?:[.,]0+)?(?:[\s-]*(?:p|pt|pts|points?|pkt|punkte?)\.?)?"
)
_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−‐‑/]\s*|\s+(?:to|à|a|zu)\s+|\s+")
_FOOTNOTE = re.compile(r"[\s*†‡¹²³]+$")
BYE = re.compile(
    r"\W*(bye|freilos|spielfrei|exempt|descanso|riposo|oversidder"
    r"|no opponent|n/a|tb[ad])\W*\d*\W*|[-–—?.*_/]+",
    re.IGNORECASE,
)
FORFEIT = re.compile(
    r"forfeit|forfait|walk[\s-]?over|kampflos|no[\s-]?show"
    r"|nicht angetreten|\bdefault|\bw[\s./]*o\b|\bff\b|^\s*\+|"
    r"^\s*-\s*[-:–]\s*[-+]\s*$(?<!-:-)",
    re.IGNORECASE,
)
GIVEN_UP = re.compile(
    r"\b(?:ret|retd|rtd|abd|aband|dnf|inj)\b|retire|abandon|aufgegeben|aufgabe|abgebrochen"
    r"|given up|gave up|conceded|unfinished|incomplete|abbandon|retirad|opgivet|opgegeven",
    re.IGNORECASE,
)
_MADE_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-.]\s?[A-Za-zä]{3,4}\.?")
_NO_SCORE = {"", "-", "–", "—", "?", ":", "-:-"}
_REMEDY = "write the winner's name, or W and L"
_SCORES = ("score1", "score2", "score")

Match = Json
"""The cells of a row by meaning, and what they say.

`points` are those of both players, None without a score, and `stated` those of a column of results
alone. `day` is None if the cell is no date; `moment` has the time, too.
"""


@dataclass(frozen=True)
class Reading:
    """How the cells of a list are read.

    Words of results, what stands for winners, whether rows have scores.
    """

    letters: Mapping[str, float]
    winners: Mapping[str, float]
    has_scores: bool
    today: date


@dataclass
class Listed:
    """A list as it is written.

    Its heading, its rows, the stripped cells, the columns by meaning.
    """

    heading: Sequence[str]
    rows: Sequence[Row]
    cells: Sequence[Sequence[str]]
    columns: dict[str, int]


def games(
    heading: Sequence[str], rows: Sequence[Row], today: date, order: str, table: Table
) -> pd.DataFrame:
    """Return the games of a list of results; add its flagged rows and its notes to `table`.

    Columns: those of games, `date` (YYYY-MM-DD), `length`, `score` ("7-4", the first player's
    points first), `id` (an id or a time of day, by which equal rows differ) and `moment` (date and
    time in UTC, which order games).
    """
    cells = [[field.strip() for field in fields] for _, fields in rows]
    listed = Listed(heading, rows, cells, columns_of(heading))
    days, notes = _days(listed, today, order)
    table.notes += notes
    matches = _matches(listed, days)
    has_scores = any(match.get(name, "") not in _NO_SCORE for match in matches for name in _SCORES)
    if reason := _no_lengths(matches, has_scores):
        table.notes.append(f"the column of points was taken for {reason}")
        matches = [match | {"length": ""} for match in matches]
    reading = Reading(_letters(matches), _winners(matches), has_scores, today)
    used = [at for name, at in listed.columns.items() if reading.letters or name != "outcome"]
    if unused := [name for at, name in enumerate(heading) if at not in used and name.strip()]:
        table.notes.append(f"columns that are not used: {safe_line([', '.join(unused)])}")
    if _turn_scores(matches, reading):
        table.notes.append(
            "scores were read with the winner's points first, also where the second player won"
        )
    results = [_result(match, reading) for match in matches]
    rated = pd.DataFrame(
        _rated(listed, matches, results, table), columns=[*GAMES, *KNOWN, *TELLING]
    )
    if _runs_backwards(rated["date"]):
        if (rated["moment"] == rated["date"]).any():
            table.notes.append(
                "the list runs backwards, the latest match first: its rows were turned"
            )
        rated = rated.iloc[::-1].reset_index(drop=True)
    # A match without a time stays behind the one above it.
    times = rated["moment"].where(rated["moment"] != rated["date"]).groupby(rated["date"]).ffill()
    return rated.assign(moment=times.fillna(rated["date"]))


def _days(listed: Listed, today: date, order: str) -> Dates:
    """Read the column of dates, and put its place into the columns."""
    place = _date_column(listed)
    columns = {name: at for name, at in listed.columns.items() if name != "date" and at != place}
    listed.columns = columns
    if place is None:
        return Dates([""] * len(listed.rows), [])
    columns["date"] = place
    return read_dates([row[place] for row in listed.cells], today, listed.heading[place], order)


def _matches(listed: Listed, days: Sequence[str | None]) -> list[Match]:
    """Return the matches of a list. Columns without a name are part of the remark.

    Columns of points that are no result, such as those before a round, are no longer among the
    columns.
    """
    nameless = [at for at, name in enumerate(listed.heading) if not name.strip()]
    matches = []
    for row, day in zip(listed.cells, days, strict=True):
        match: Match = {name: row[at] for name, at in listed.columns.items()}
        match["remark"] = " ".join([match.get("remark", ""), *(row[at] for at in nameless)])
        match["day"] = day
        match["moment"] = moment(day or "", match.get("clock", ""), match.get("date", ""))
        match["stated"] = _points(_BETWEEN.split(_score(match, "score")))
        match["points"] = (
            _points([_score(match, "score1"), _score(match, "score2")]) or match["stated"]
        )
        matches.append(match)
    if _result_decides(matches):
        for match in matches:
            match["points"] = match["stated"]
            del match["score1"], match["score2"]
        del listed.columns["score1"], listed.columns["score2"]
    return matches


def _score(match: Match, name: str) -> str:
    """Return a cell of a score without the marks of footnotes."""
    return _FOOTNOTE.sub("", match.get(name, ""))


def _result_decides(matches: Sequence[Match]) -> bool:
    """Tell whether a column of results wins against columns of points.

    It fits every row, and they contradict it.
    """
    if not any(match["stated"] for match in matches) or "score1" not in matches[0]:
        return False
    is_unread = [
        not (match["stated"] or FORFEIT.search(match["score"])) and match["score"]
        for match in matches
    ]
    both = [match for match in matches if match["stated"] and match["points"]]
    wrong = [match for match in both if _sign(match["points"]) != _sign(match["stated"])]
    return not any(is_unread) and len(wrong) > max(1, len(both) / _MANY)


def _sign(points: tuple[int, int]) -> float:
    """Return the first player's score by the points of both."""
    return 0.5 if points[0] == points[1] else float(points[0] > points[1])


def _rated(
    listed: Listed, matches: Sequence[Match], results: Sequence[Any], table: Table
) -> list[tuple[Any, ...]]:
    """Return the rows that are rated; flag those that are not, or that count with a reservation."""
    texts = ["\t".join(" ".join(field.split()) for field in row).casefold() for row in listed.cells]
    ids = _ids(
        matches, {at: texts[at] for at, result in enumerate(results) if not isinstance(result, str)}
    )
    has_dates = any(match["day"] != "" for match in matches)
    again = _reported_again(listed, matches, results)
    seen: dict[str, int] = {}
    rated = []
    for at, (match, result, text) in enumerate(zip(matches, results, texts, strict=True)):
        number, fields = listed.rows[at]
        reason = result if isinstance(result, str) else again.get(at, "")
        if text in seen and ids[at] and not reason:
            reason = f"the same as row {seen[text]}: counted once"
        if reason:
            table.flag(number, reason, fields)
            continue
        seen.setdefault(text, number)
        score, length = result
        day = "" if match["day"] in ZEROS else match["day"]
        if score == 0.5:
            table.flag(number, "a tie: half a win for each", fields, rated=True)
        elif has_dates and not day:
            why = impossible(match["day"]) or "no date"
            table.flag(number, f"{why}: not used in ratings over time", fields, rated=True)
        points = "-".join(map(str, match["points"] or ()))
        players = [match[name] for name in _players(match)]
        rated.append(
            (
                *players,
                score,
                1.0,
                number,
                day,
                length,
                points,
                ids[at],
                match["moment"] if day else "",
            )
        )
    if repeated := len(rated) - len(seen):
        why = "all count, since no id and no time of day tells that they are one match"
        table.notes.append(f"{counted(repeated, 'rows')} repeated: {why}")
    if _is_from_both_sides(rated):
        why = "all count; if a match stands here twice, leave one out"
        table.notes.append(f"every result stands here from both sides: {why}")
    return rated


def _reported_again(
    listed: Listed, matches: Sequence[Match], results: Sequence[Any]
) -> dict[int, str]:
    """Return the reasons of the reports of a form that do not count, by their places.

    Both players of a match may fill in the form: your name, your opponent. Two reports of a day
    from both sides are one match if they agree. If they do not agree, neither counts.
    """
    columns = listed.columns
    if "player1" not in columns or not {"your", "my"} & {
        *words_of(listed.heading[columns["player1"]])
    }:
        return {}
    reports: dict[tuple[Any, ...], list[int]] = {}
    reasons = {}
    of_day: dict[tuple[Any, ...], list[int]] = {}
    for at, (match, result) in enumerate(zip(matches, results, strict=True)):
        if isinstance(result, str):
            continue
        names = [name_of(match[name]).casefold() for name in _players(match)]
        points = match["points"] or ()
        twin = reports.get((match["day"], *names[::-1], 1 - result[0], points[::-1]))
        if twin:
            reasons[at] = (
                f"the other player's report of row {listed.rows[twin.pop()][0]}: counted once"
            )
        else:
            reports.setdefault((match["day"], *names, result[0], points), []).append(at)
    for (day, *names, _, _), places in reports.items():
        of_day.setdefault((day, *names), []).extend(places)
    for (day, first, second), places in of_day.items():
        if of_day.get((day, second, first)) and places:
            reasons |= dict.fromkeys(
                places, "the two players' reports contradict each other: not rated"
            )
    return reasons


def _runs_backwards(days: pd.Series) -> bool:
    """Tell whether dates fall from row to row; one step of many may rise, due to a slip."""
    known = days[days != ""]
    falls = int((known < known.shift()).sum())
    rises = int((known > known.shift()).sum())
    return falls > 0 and _MANY * rises <= falls


def _is_from_both_sides(rows: Sequence[Sequence[Any]]) -> bool:
    """Tell whether each result has another one of the same day, as the other player gives it."""
    given = Counter[tuple[Any, ...]]()
    turned = Counter[tuple[Any, ...]]()
    for first, second, score, _, _, day, _, points, *_ in rows:
        given[first, second, score, day, points] += 1
        turned[second, first, 1 - score, day, "-".join(points.split("-")[::-1])] += 1
    return given == turned and len(rows) > 2


def _date_column(listed: Listed) -> int | None:
    """Return the place of the column of dates.

    It is the first column with a heading for dates in which half the cells look like dates.
    Otherwise it is a column that has full dates only.
    """
    heading = listed.heading
    columns = listed.columns
    others = [at for name, at in columns.items() if name not in {"date", "clock"}]
    filled = {
        at: {row[at] for row in listed.cells} - {""}
        for at in range(len(heading))
        if at not in others
    }
    named = [at for name in NAMES["date"].split() for at in filled if plain(heading[at]) == name]
    named += [columns["date"]] if "date" in columns else []
    likely = [at for at in named if 2 * sum(map(_is_like_a_date, filled[at])) >= len(filled[at])]
    full = [at for at, values in filled.items() if values and all(map(_DATED.fullmatch, values))]
    return next(iter([*likely, *full, *named]), None)


def _is_like_a_date(value: str) -> bool:
    return len(re.findall(r"\d", value)) >= 3 and not re.fullmatch(
        r"\d{1,2}[:.]\d\d([:.]\d\d)?|\d{3,4}", value
    )


def _no_lengths(matches: Sequence[Match], has_scores: bool) -> str:
    """Return what a column of lengths counts instead of lengths, or nothing if it has lengths.

    Match lengths are odd. Beside winners without a score, a column with even numbers, or with none
    above 3, counts the points of a game. Beside scores, the numbers are no lengths if most winners
    have fewer points.
    """
    numbers = [_length(match.get("length", "")) or 0 for match in matches]
    if has_scores:
        pairs = zip(matches, numbers, strict=True)
        is_less = [
            max(match["points"]) < number for match, number in pairs if match["points"] and number
        ]
        is_other = len(is_less) > 2 and 2 * sum(is_less) > len(is_less)
        return "no lengths of matches: most winners have fewer points" if is_other else ""
    is_worth = max(numbers, default=0) <= _SHORTEST or any(
        number % 2 == 0 for number in numbers if number
    )
    if any(numbers) and "winner" in matches[0] and is_worth:
        return "what each game was worth, not lengths of matches: every game counts as one"
    return ""


def _one_reading(
    words: Iterable[tuple[str, float | None]], readings: Sequence[Mapping[str, float]], what: str
) -> Mapping[str, float]:
    """Return the reading of a column's words; empty if no reading knows any of them.

    A word has the first player's score by the points of its row, None without points. A reading
    fits if it knows every word that another one knows. Points decide between readings. Raises
    RatingsError if several fit, or none.
    """
    scores = list(words)
    known = {word for word, _ in scores if any(word in reading for reading in readings)}
    fitting = [reading for reading in readings if known <= reading.keys()]
    if len({tuple(reading[word] for word in sorted(known)) for reading in fitting}) > 1:
        stated = [(word, score) for word, score in scores if word in known and score is not None]
        fitting = [
            reading
            for reading in fitting
            if stated and all(reading[word] == score for word, score in stated)
        ]
        if not fitting:
            raise RatingsError(
                f"its {what} {safe_line([', '.join(sorted(known))], SHOWN)} fit two readings:"
                f" {_REMEDY}"
            )
    if not fitting:
        raise RatingsError(
            f"its {what} {safe_line([', '.join(sorted(known))], SHOWN)} fit no one reading:"
            f" {_REMEDY}"
        )
    return fitting[0] if known else {}


def _letters(matches: Iterable[Match]) -> Mapping[str, float]:
    """Return the scores of the words of a column of results."""
    words = [
        (_word(match), _by_points(match))
        for match in matches
        if "outcome" in match or not match["points"]
    ]
    words = [
        (word, score) for word, score in words if word not in _NO_SCORE and not FORFEIT.search(word)
    ]
    return _one_reading(words, _LETTERS, "results")


def _winners(matches: Sequence[Match]) -> Mapping[str, float]:
    """Return the scores of words that stand for a winner; nothing if most winners are names."""
    if not matches or "loser" in _players(matches[0]):
        return {}
    filled = [match for match in matches if match.get("winner")]
    others = [
        (_plain_word(match["winner"]), _by_points(match))
        for match in filled
        if _named(match) is None
    ]
    return _one_reading(others, _WINNERS, "winners") if 2 * len(others) > len(filled) else {}


def _by_points(match: Match) -> float | None:
    return _sign(match["points"]) if match["points"] else None


def _named(match: Match) -> float | None:
    """Return the first player's score by the name of the winner, None if it is neither player's
    name.
    """
    named, first, second = (
        name_of(match.get(name, "")) for name in ("winner", "player1", "player2")
    )
    if first.casefold() != second.casefold():
        named, first, second = (name.casefold() for name in (named, first, second))
    return {second: 0.0, first: 1.0}.get(named)


def _plain_word(text: str) -> str:
    return "".join(without_marks(text.replace("½", "0.5").lower()).split())


def _word(match: Record) -> str:
    return _plain_word(str(match.get("outcome", match.get("score", ""))))


def _turn_scores(matches: Iterable[Match], reading: Reading) -> bool:
    """Put the first player's points first if all scores begin with the winner's.

    Tell whether they do.

    A single match that the second player won is not enough: its score may be a slip.
    """
    scored = [match for match in matches if match["points"]]
    lost = [match for match in scored if _stated(match, reading) == 0]
    if len(lost) < 2 or any(match["points"][0] < match["points"][1] for match in scored):
        return False
    for match in lost:
        match["points"] = match["points"][::-1]
        match["stated"] = match["points"]
    return True


def _ids(matches: Sequence[Match], rated: Mapping[int, str]) -> list[str]:
    """Return the id and the time of day of each match, from any column.

    No ids if two different rows share one.

    `rated` has the texts of the rated rows by their places.
    """
    ids = [match.get("id", "") for match in matches]
    texts = {(ids[place], text) for place, text in rated.items() if ids[place]}
    if len({match_id for match_id, _ in texts}) < len(texts):
        ids = [""] * len(matches)
    times = [match["moment"].partition("T")[2] for match in matches]
    return [f"{match_id} {time}".strip() for match_id, time in zip(ids, times, strict=True)]


def _players(columns: Record) -> tuple[str, str]:
    return (
        ("player1", "player2")
        if "player1" in columns and "player2" in columns
        else ("winner", "loser")
    )


def _result(row: Match, reading: Reading) -> tuple[float, float] | str:
    """Return the first player's score and the match length (nan if unknown), or why the row is not
    rated.
    """
    if reason := _unrated(row, reading):
        return reason
    length = _length(row.get("length", "")) or 0
    winner = _stated(row, reading)
    if row["points"]:
        return _scored(row["points"], length, winner)
    return (math.nan if winner is None else winner), length or math.nan


def _unrated(row: Match, reading: Reading) -> str:  # noqa: PLR0911 - each return is a reason
    """Return why a row is not rated, whatever its score; nothing if its score decides."""
    letter = reading.letters.get(_word(row))
    winner = _stated(row, reading)
    scores = [row[name] for name in _SCORES if name in row]
    said = (*scores, row["remark"], row.get("winner", ""), _word(row))
    if any(BYE.fullmatch(name_of(row[name])) for name in _players(row)):
        return "a bye: not rated"
    if any(map(FORFEIT.search, said)):
        return "a forfeit: not rated"
    if any(map(GIVEN_UP.search, said)):
        return "a match that was given up (retired): not rated"
    if row.get("target1", "") != row.get("target2", "") or row.get("handicap", "0") not in {
        "",
        "0",
        "-",
    }:
        return "a match with a handicap: not rated"
    if _length(row.get("length", "")) is None:
        return f"the length is not a whole number of 1 to {_LONGEST} points"
    if winner is not None and math.isnan(winner):
        return "the winner is neither of the players"
    if letter is not None and letter != winner:
        return "the result contradicts the winner"
    if row["points"] and row["stated"] and _sign(row["points"]) != _sign(row["stated"]):
        return "the score contradicts the result"
    if (
        not row["points"]
        and letter is None
        and (problem := _unreadable(scores, winner, reading.has_scores))
    ):
        return problem
    if row["day"] is None:
        return f"not a date: {safe_line([row['date']], SHOWN)} (write 2026-03-14)"
    return "" if row["day"] in ZEROS else impossible(row["day"], reading.today)


def _stated(row: Match, reading: Reading) -> float | None:
    """Return the first player's score by the name or number of the winner, or by a word.

    NaN for another name.
    """
    if "loser" in _players(row):
        return 1.0
    if not row.get("winner"):
        return reading.letters.get(_word(row))
    named = _named(row)
    return reading.winners.get(_plain_word(row["winner"]), math.nan) if named is None else named


def _unreadable(scores: Iterable[str], winner: float | None, has_scores: bool) -> str:
    if any(map(_MADE_DATE.fullmatch, scores)):
        return "a spreadsheet made a date of the score: write it as 7:4"
    written = [score for score in scores if score not in _NO_SCORE]
    if winner is None and written:
        return f"not a score: {safe_line(written, SHOWN)} (write 7-4)"
    if winner is None:
        return "no result"
    return "no score, while other rows have one: not rated" if has_scores else ""


def _scored(
    points: tuple[int, int], length: int, winner: float | None
) -> tuple[float, float] | str:
    first, second = points
    score = _sign(points)
    if winner not in (None, score):
        return "the score contradicts the winner"
    if not length:
        return score, length_of(first, second)
    if first == second:
        return "a tie: a match has a winner"
    if max(first, second) < length:
        return f"neither player has the {length} points of the match"
    return (
        (score, length)
        if min(first, second) < length
        else f"both players have the {length} points of the match"
    )


def _points(parts: Sequence[str]) -> tuple[int, int] | None:
    """Return both players' points by the two parts of a score, or None without a readable score."""
    if len(parts) != 2:
        return None
    first, second = map(_POINTS.fullmatch, parts)
    return (int(first[1]), int(second[1])) if first and second else None


def _length(value: str) -> int | None:
    """Return a match length; 0 for an empty cell, None if the cell is no match length."""
    if not value:
        return 0
    match = _LENGTH.fullmatch(value.lower())
    return int(match[1]) if match and 0 < int(match[1]) <= _LONGEST else None
