"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

columns_of (headings.py) and meanings.py decide what columns mean, verdicts.py which rows are rated.
"""

import dataclasses
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pandas as pd

from bgleague.dates import moment, read_dates
from bgleague.games import GAMES, KNOWN, TELLING, Row, Table, name_of, safe_line, whole
from bgleague.headings import WORDS, columns_of, words_of
from bgleague.meanings import MANY, date_column, reading_of
from bgleague.verdicts import Match, Points, Verdict, plain_word, verdict
from bgmatch.days import ZEROS, impossible
from bgmatch.records import Json
from bgrating.pages.formatting import counted

_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−‐‑/]\s*|\s+(?:to|à|a|zu)\s+|\s+")
_FOOTNOTE = re.compile(r"[\s*†‡¹²³]+$")
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?\s*[-+]")
_VERSUS = re.compile(r"\s+(?:vs?\.?|gegen|contre|-|–)\s+", re.IGNORECASE)
_OF_MATCHES = {field.name for field in dataclasses.fields(Match)}


def games(rows: Sequence[Row], table: Table, today: date, order: str) -> pd.DataFrame:
    """Return the games of a list of results; add its flagged rows and its notes to `table`.

    The first row has the headings. The columns are those of games, `date` (YYYY-MM-DD), `length`,
    `score`, `id` and `moment`. A score such as 7-4 has the first player's points first. Equal rows
    differ by `id`, an id or a time of day. `moment` is date and time in UTC, which order games.
    """
    (_, heading), *rows = whole(rows, table)
    cells = [list(map(str.strip, fields)) for _, fields in rows]
    columns = columns_of(heading)
    place = date_column(heading, cells, columns)
    columns = {name: index for name, index in columns.items() if name != "date" and index != place}
    days: list[str | None] = [""] * len(rows)
    if place is not None:
        columns["date"] = place
        dates = [row[place] for row in cells]
        days, notes = read_dates(dates, today, heading[place], order)
        table.notes += notes
    nameless = [index for index, name in enumerate(heading) if not name.strip()]
    matches = []
    for row, written, day in zip(rows, cells, days, strict=True):
        of_row = {name: written[index] for name, index in columns.items()}
        remark = " ".join([of_row.pop("remark", ""), *(written[index] for index in nameless)])
        matches.append(_match(row, of_row, remark, day))
    reading = reading_of(matches, columns, today, table.notes)
    used = [index for name, index in columns.items() if reading.letters or name != "outcome"]
    unused = [name for index, name in enumerate(heading) if index not in used and name.strip()]
    if unused:
        table.notes.append(f"columns that are not used: {safe_line([', '.join(unused)])}")
    verdicts = [verdict(match, reading) for match in matches]
    of_player = words_of(heading[columns.get("player1", 0)])
    is_form = not set(of_player).isdisjoint(WORDS["reporter"].split())
    return _in_order(_rated(matches, verdicts, is_form, table), table)


def _match(row: Row, cells: Mapping[str, str], remark: str, day: str | None) -> Match:
    """Return the match of a row by its cells."""
    word = plain_word(cells.get("outcome", cells.get("score", "")))
    scores = [_FOOTNOTE.sub("", cells.get(name, "")) for name in ("score1", "score2", "score")]
    stated = _points(_BETWEEN.split(scores[2]))
    points = _points(scores[:2]) or stated
    time = moment(day or "", cells.get("clock", ""), cells.get("date", ""))
    kept: Json = {name: cell for name, cell in cells.items() if name in _OF_MATCHES}
    return Match(*row, *_names(cells), word, remark, day, time, points, stated, **kept)


def _names(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of the players of a row; the winner's first if nothing else is known."""
    if "player1" in cells and "player2" in cells:
        return cells["player1"], cells["player2"]
    if "winner" in cells and "loser" in cells:
        return cells["winner"], cells["loser"]
    first, *rest = _VERSUS.split(cells["players"], maxsplit=1)
    return first, "".join(rest)


def _points(parts: Sequence[str]) -> Points | None:
    """Return both players' points by the two parts of a score, or None without a readable score."""
    if len(parts) != 2:
        return None
    first, second = map(_POINTS.fullmatch, parts)
    return (int(first[1]), int(second[1])) if first and second else None


def _rated(
    matches: Sequence[Match], verdicts: Sequence[Verdict], is_form: bool, table: Table
) -> pd.DataFrame:
    """Return the rows that are rated; flag those that are not, or that count with a reservation."""
    texts = ["\t".join(map(name_of, match.fields)).casefold() for match in matches]
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
    repeated = len(rated) - len(seen)
    if repeated:
        why = "all count, since no id and no time of day tells that they are one match"
        table.notes.append(f"{counted(repeated, 'rows')} repeated: {why}")
    if is_from_both_sides and len(rated) > 2 and not is_form:
        why = "all count; if a match stands here twice, leave one out"
        table.notes.append(f"every result stands here from both sides: {why}")
    return pd.DataFrame(rated, columns=[*GAMES, *KNOWN, *TELLING])


def _ids(matches: Sequence[Match], rated: Mapping[int, str]) -> list[str]:
    """Return the id and the time of day of each match, from any column.

    There are no ids if two different rows share one. `rated` has the texts of the rated rows by
    their places.
    """
    ids = [match.id for match in matches]
    texts = {(ids[index], text) for index, text in rated.items() if ids[index]}
    if len({match_id for match_id, _ in texts}) < len(texts):
        ids = [""] * len(matches)
    # A date alone may be written as midnight with an offset from UTC.
    times = [
        match.moment.partition("T")[2] * (not _MIDNIGHT.search(match.date)) for match in matches
    ]
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
    if falls and MANY * rises <= falls:
        if not has_time.all():
            table.notes.append(
                "the list runs backwards, the latest match first: its rows were turned"
            )
        rated = rated.iloc[::-1]
    times = rated["moment"].where(has_time).groupby(rated["date"]).ffill()
    return rated.assign(moment=times.fillna(rated["date"])).reset_index(drop=True)
