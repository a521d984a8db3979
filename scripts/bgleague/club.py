"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

columns_of (headings.py) and meanings.py decide what columns mean, verdicts.py which rows are rated.
"""

import dataclasses
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import pandas as pd

from bgleague.dates import moment, read_dates
from bgleague.games import GAMES, IDENTIFYING, OPTIONAL, Row, Rows, Table, name_of, safe_line, whole
from bgleague.headings import WORDS, columns_of, other_table, words_of
from bgleague.meanings import MANY, date_column, reading_of
from bgleague.settings import RatingsError
from bgleague.verdicts import Match, Matches, Points, decide, plain_word
from bgmatch.days import ZEROS, impossible
from bgmatch.records import Json
from bgrating.pages.formatting import counted

_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?[\s*†‡¹²³]*")
_BETWEEN = re.compile(r"\s*[-:–—−‐‑/x×]\s*|\s+(?:to|à|a|zu)\s+|\s+")
_FOOTNOTE = re.compile(r"[\s*†‡¹²³]+$")
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?\s*[-+]")
_VERSUS = re.compile(r"\s+(?:vs?\.?|gegen|contre|-|–)\s+", re.IGNORECASE)
_CELLS_OF_MATCHES = {field.name for field in dataclasses.fields(Match)}


def read_list(rows: Rows, table: Table, today: date, order: str) -> pd.DataFrame:
    """Return the games of a list of results; add its flagged rows and its notes to `table`.

    The first row has the headings. The columns are those of games, `date` (YYYY-MM-DD), `length`,
    `points` (of both players), `id` and `moment`. Equal rows differ by `id`, an id or a time of
    day. `moment` is date and time in UTC, which order games.
    """
    rows = whole(rows, table)
    heading = rows[0][1]
    columns = columns_of(heading)
    rows = _below_heading(rows, columns, table)
    cells = [list(map(str.strip, fields)) for _, fields in rows]
    date_index = date_column(heading, cells, columns)
    columns = {
        name: index for name, index in columns.items() if name != "date" and index != date_index
    }
    days: Sequence[str | None] = [""] * len(rows)
    if date_index is not None:
        columns["date"] = date_index
        dates = [row[date_index] for row in cells]
        days, notes = read_dates(dates, today, heading[date_index], order)
        table.notes += notes
    nameless = [index for index, name in enumerate(heading) if not name.strip()]
    matches = []
    for row, row_cells, day in zip(rows, cells, days, strict=True):
        by_name = {name: row_cells[index] for name, index in columns.items()}
        remarks = [by_name.pop("remark", ""), *(row_cells[index] for index in nameless)]
        matches.append(_match(row, by_name, " ".join(remarks), day))
    reading = reading_of(matches, columns, today, table.notes)
    used = [index for name, index in columns.items() if reading.letters or name != "outcome"]
    unused = [name for index, name in enumerate(heading) if index not in used and name.strip()]
    if unused:
        table.notes.append(f"columns that are not used: {safe_line([', '.join(unused)])}")
    for match in matches:
        decide(match, reading)
    first_heading = words_of(heading[columns.get("player1", 0)])
    is_form = not set(first_heading).isdisjoint(WORDS["reporter"].split())
    return _in_order(_rated_rows(matches, is_form, table), table)


def _below_heading(rows: Rows, columns: Mapping[str, int], table: Table) -> Rows:
    """Return the rows below the first, without those that repeat its names of columns; flag those.

    Names of columns share a name with the first row, or stand below an empty row. Raises
    RatingsError if they are of another table.
    """
    names = set(map(str.casefold, rows[0][1])) - {""}
    matches = []
    for (above, _), row in pairwise(rows):
        number, fields = row
        may_be_names = number > above + 1 or not names.isdisjoint(map(str.casefold, fields))
        own_columns = columns_of(fields) if may_be_names else {}
        if own_columns == columns:
            table.flag(number, "the names of the columns again", fields)
        elif own_columns or (may_be_names and other_table(fields)):
            raise RatingsError(f"row {number} begins another table: put it into a file of its own")
        else:
            matches.append(row)
    return matches


def _match(row: Row, cells: Mapping[str, str], remark: str, day: str | None) -> Match:
    """Return the match of a row by its cells."""
    word = plain_word(cells.get("outcome", cells.get("score", "")))
    scores = [cells.get(name, "") for name in ("score1", "score2", "score")]
    declared = _points(_BETWEEN.split(_FOOTNOTE.sub("", scores[2])))
    points = _points(scores[:2]) or declared
    time = moment(day or "", cells.get("clock", ""), cells.get("date", ""))
    own_cells: Json = {name: cell for name, cell in cells.items() if name in _CELLS_OF_MATCHES}
    first, second = map(name_of, _names(cells))
    return Match(
        *row, first, second, scores, word, remark, day, time, points, declared, **own_cells
    )


def _names(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of the players of a row; the winner's first if nothing else is known."""
    if "player1" in cells and "player2" in cells:
        return cells["player1"], cells["player2"]
    if "winner" in cells and "loser" in cells:
        return cells["winner"], cells["loser"]
    first, *rest = _VERSUS.split(cells["players"], maxsplit=1)
    return first, "".join(rest)


def _points(scores: Sequence[str]) -> Points | None:
    """Return both players' points by the two parts of a score, or None without a readable score."""
    if len(scores) != 2:
        return None
    first, second = map(_POINTS.fullmatch, scores)
    return (int(first[1]), int(second[1])) if first and second else None


def _rated_rows(matches: Matches, is_form: bool, table: Table) -> pd.DataFrame:
    """Return the rows that are rated; flag those that are not, or that count with a reservation."""
    texts = ["\t".join(map(name_of, match.fields)).casefold() for match in matches]
    ids = _ids(matches, texts)
    repeated_reports, is_from_both_sides = _reported_again(matches)
    has_dates = any(match.day != "" for match in matches)
    first_row: dict[str, int] = {}
    rows = []
    for match, text, match_id in zip(matches, texts, ids, strict=True):
        reason = match.reason or (repeated_reports.get(match.number, "") if is_form else "")
        if text in first_row and match_id and not reason:
            reason = f"the same as row {first_row[text]}: counted once"
        if reason:
            table.flag(match.number, reason, match.fields)
            continue
        first_row.setdefault(text, match.number)
        day = "" if match.day in ZEROS else match.day
        if match.result == 0.5:
            table.flag(match.number, "a tie: half a win for each", match.fields, rated=True)
        elif has_dates and not day:
            reason = f"{impossible(match.day or '') or 'no date'}: not used in ratings over time"
            table.flag(match.number, reason, match.fields, rated=True)
        game = (match.first, match.second, match.result, 1.0, match.number)
        time = match.moment if day else ""
        rows.append((*game, day, match.played_length, match.points or (), match_id, time))
    repeated = len(rows) - len(first_row)
    if repeated:
        reason = "all count, since no id and no time of day tells that they are one match"
        table.notes.append(f"{counted(repeated, 'rows')} repeated: {reason}")
    if is_from_both_sides and len(rows) > 2 and not is_form:
        reason = "all count; if a match stands here twice, leave one out"
        table.notes.append(f"every result stands here from both sides: {reason}")
    return pd.DataFrame(rows, columns=[*GAMES, *OPTIONAL, *IDENTIFYING])


def _ids(matches: Matches, texts: Sequence[str]) -> list[str]:
    """Return the id and the time of day of each match, from any column.

    There are no ids if two different rows that are rated share one. `texts` has that of each row.
    """
    ids = [match.id for match in matches]
    rated = {
        (match.id, text)
        for match, text in zip(matches, texts, strict=True)
        if match.id and not match.reason
    }
    if len(dict(rated)) < len(rated):
        ids = [""] * len(matches)
    # A date alone may be written as midnight with an offset from UTC.
    times = [
        match.moment.partition("T")[2] * (not _MIDNIGHT.search(match.date)) for match in matches
    ]
    return [f"{match_id} {time}".strip() for match_id, time in zip(ids, times, strict=True)]


def _reported_again(matches: Matches) -> tuple[dict[int, str], bool]:
    """Return why reports of a form do not count, by their rows, if both players may fill it in.

    Also tell whether every report has one from the other side.

    Two reports of a day from both sides are one match if they agree. If they do not agree, neither
    counts.
    """
    waiting: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    reasons = {}
    for match in matches:
        if match.reason:
            continue
        player = match.first.casefold()
        opponent = match.second.casefold()
        points = match.points or ()
        mirrored = (match.day, opponent, player, 1 - match.result, points[::-1])
        if waiting[mirrored]:
            twin = waiting[mirrored].pop()
            reasons[match.number] = f"the other player's report of row {twin}: counted once"
        else:
            waiting[match.day, player, opponent, match.result, points].append(match.number)
    sides = {report[:3] for report, rows in waiting.items() if rows}
    for (day, player, opponent, *_), rows in waiting.items():
        if (day, opponent, player) in sides:
            reason = "the two players' reports contradict each other: not rated"
            reasons |= dict.fromkeys(rows, reason)
    return reasons, not sides


def _in_order(games: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Turn a list that runs backwards; a match without a time stays behind the one above it."""
    days = games["date"][games["date"] != ""]
    falls = int((days < days.shift()).sum())
    rises = int((days > days.shift()).sum())
    has_time = games["moment"] != games["date"]
    # One step of many may rise, due to a slip.
    if falls and MANY * rises <= falls:
        if not has_time.all():
            table.notes.append(
                "the list runs backwards, the latest match first: its rows were turned"
            )
        games = games.iloc[::-1]
    times = games["moment"].where(has_time).groupby(games["date"]).ffill()
    return games.assign(moment=times.fillna(games["date"])).reset_index(drop=True)
