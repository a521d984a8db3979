"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

Byes, forfeits and contradictory rows are flagged and not rated.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import count

import numpy as np
import pandas as pd

from bgrating.league.games import NO_RESULT, Odd, Rows, name_of, safe_line

_NAMES = {
    "date": "date day played when datetime matchdate playedon datum spieldatum spieltag fecha",
    "player1": "player1 playera p1 name1 player white home nameone spieler1 spielera spieler heim joueur1",
    "player2": "player2 playerb p2 name2 opponent black away nametwo spieler2 spielerb gegner gast joueur2",
    "score1": "score1 scorea s1 points1 pts1 result1 player1score homescore punkte1 pkt1 ergebnis1",
    "score2": "score2 scoreb s2 points2 pts2 result2 player2score awayscore punkte2 pkt2 ergebnis2",
    "score": "score result ergebnis resultat spielstand",
    "winner": "winner won wonby sieger gewinner gagnant",
    "loser": "loser lost verlierer perdant",
    "length": "length matchlength len points to n pointmatch matchto target lange matchlange distanz bis punkte",
    "id": "id matchid gameid number nr no nummer matchno matchnumber gameno gamenumber",
    "remark": "remark remarks comment comments note notes bemerkung bemerkungen kommentar anmerkung",
}
_LONGEST, _SHORTEST_TOLD, _LONGEST_TOLD = 99, 3, 25
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?:[T ].*)?")
_LENGTH = re.compile(r"(\d{1,9})(?:[.,]0+)?(?:\s*(?:p|pt|pts|points?|pkt|punkte?))?")
_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−/]\s*|\s+")
_BYE = re.compile(
    r"\W*(bye|freilos|spielfrei|exempt|descanso|riposo|no opponent|n/a|tb[ad])\W*\d*\W*|[-–—?.*_/]+", re.IGNORECASE
)
_FORFEIT = re.compile(
    r"forfeit|forfait|walk[\s-]?over|kampflos|no[\s-]?show|nicht angetreten|\bdefault|\bw[\s./]*o\b|\bff\b|^\s*\+",
    re.IGNORECASE,
)
_MADE_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-.]\s?[A-Za-zä]{3,4}\.?")
_NO_SCORE = {"", "-", "–", "—", "?", ":", "-:-"}
_SCORES = ("score1", "score2", "score")
_A_MATCH = ("date", "player1", "player2", "winner", "loser", *_SCORES, "length")
_NO_DATE = "no date"
_SAME, _FURTHER = "the same as", "rated as a match of its own"


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return the places of a list's columns by meaning (the keys of _NAMES); empty for a table that is no such list.

    Case, accents, spaces and punctuation of names do not matter. Of two columns with one name the first is the first
    player's. A list needs two players and a score or a winner.
    """
    plain = [_plain(name) for name in head]
    twice = {name: count(1) for name, number in Counter(plain).items() if name and number == 2}
    plain = [f"{name}{next(twice[name])}" if name in twice else name for name in plain]
    columns: dict[str, int] = {}
    for meaning, names in _NAMES.items():
        place = next((plain.index(name) for name in names.split() if name in plain), None)
        if place is not None and place not in columns.values():
            columns[meaning] = place
    players = {"player1", "player2"} <= set(columns)
    scored = {"score1", "score2"} <= set(columns) or "score" in columns or "winner" in columns
    return columns if (players and scored) or {"winner", "loser"} <= set(columns) else {}


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).lower()
    return "".join(letter for letter in letters if letter.isalnum())


def table(columns: Mapping[str, int], today: date, head: tuple[int, list[str]], rows: Rows, odd: Odd) -> pd.DataFrame:
    """Return the games of a list of results, by date if it has dates; add flagged rows to `odd`.

    Columns: those of games with `text`, and as far as the list has them `date` (YYYY-MM-DD) and `length`.
    """
    values = {name: [fields[place].strip() for _, fields in rows] for name, place in columns.items()}
    dates, order = _dates(values.get("date", []))
    unused = [name for place, name in enumerate(head[1]) if place not in columns.values() and name.strip()]
    if unused:
        odd.append((head[0], f"columns that are not used: {safe_line([', '.join(unused)])}", True, safe_line(head[1])))
    if order:
        odd.append((head[0], order, True, safe_line(head[1])))
    nameless = [place for place, name in enumerate(head[1]) if not name.strip()]
    scored = any(value not in _NO_SCORE for name in _SCORES for value in values.get(name, ()))
    games = []
    whole_rows: dict[tuple[str, ...], int] = {}
    first_rows: dict[tuple[str, ...], int] = {}
    further = 0
    for place, (number, fields) in enumerate(rows):
        row = {name: column[place] for name, column in values.items()}
        row["remark"] = " ".join([row.get("remark", ""), *(fields[column] for column in nameless)])
        day = dates[place] if dates else ""
        result = _result(row, day, today, scored=scored)
        if isinstance(result, str):
            odd.append((number, result, False, safe_line(fields)))
            continue
        has_score = any(row.get(name, "") not in _NO_SCORE for name in _SCORES)
        same = whole_rows.setdefault(tuple(map(_folded, fields)), number)
        known = number
        if day and has_score:
            known = first_rows.setdefault(tuple(_folded(row.get(name, "")) for name in _A_MATCH), number)
        if same != number and (row.get("id") or (day and (has_score or ":" in row["date"]))):
            odd.append((number, f"{_SAME} row {same}: counted once", False, safe_line(fields)))
            continue
        if same != number:
            further += 1
        elif known != number and not row.get("id"):
            odd.append((number, f"{_SAME} row {known}, but for other columns: {_FURTHER}", True, safe_line(fields)))
        if result[0] == 0.5:
            odd.append((number, "a tie: half a win for each", True, safe_line(fields)))
        elif dates and not day:
            odd.append((number, "no date: not used in ratings over time", True, safe_line(fields)))
        names = ("player1", "player2") if "player1" in row else ("winner", "loser")
        players = [row[name] for name in names]
        games.append((*players, result[0], 1.0, number, safe_line(fields), day, result[1]))
    if further:
        reason = f"{_same(further)}: {_FURTHER}, since no date with a score and no number tells matches apart"
        odd.append((head[0], reason, True, safe_line(head[1])))
    frame = pd.DataFrame(
        games, columns=["first", "second", "first_score", "count", "row", "text", "date", "length"]
    ).astype({"first_score": float, "count": float, "length": float})
    has = {"date": bool(dates), "length": "length" in values or frame["length"].notna().any()}
    frame = frame.drop(columns=[name for name, is_there in has.items() if not is_there])
    return (frame.sort_values("date", kind="stable") if dates else frame).reset_index(drop=True)


@lru_cache(2**16)
def _folded(field: str) -> str:
    return name_of(field).casefold()


@lru_cache(2**16)
def _is_bye(name: str) -> bool:
    return _BYE.fullmatch(name) is not None


@lru_cache(2**16)
def _is_forfeit(text: str) -> bool:
    return _FORFEIT.search(text) is not None


@lru_cache(2**16)
def _quoted(*fields: str) -> str:
    return safe_line(fields, 40)


def repeated(flagged: pd.DataFrame) -> list[str]:
    further = flagged.loc[flagged["reason"].str.contains(f"{_SAME} .*: {_FURTHER}, since"), "reason"].tolist()
    once = int((flagged["reason"].str.startswith(_SAME) & ~flagged["rated"].astype(bool)).sum())
    return [*([f"{_same(once)}: counted once"] if once else []), *further]


def _same(rows: int) -> str:
    return f"1 row is {_SAME} another" if rows == 1 else f"{rows} rows are {_SAME} others"


def _result(row: Mapping[str, str], day: str, today: date, *, scored: bool) -> tuple[float, float] | str:
    """Return the first player's score and the match length (nan if unknown), or why the row is not rated.

    `scored` tells whether other rows have scores: a row without a score then is not a played match.
    """
    has_loser = "player1" not in row
    first, second = (name_of(row[name]) for name in (("winner", "loser") if has_loser else ("player1", "player2")))
    scores = [row.get(name, "") for name in _SCORES]
    named = "" if has_loser else name_of(row.get("winner", ""))
    winner = 1.0 if has_loser else {"": None, second: 0.0, "2": 0.0, first: 1.0, "1": 1.0}.get(named, math.nan)
    length, points = _length(row.get("length", "")), _points(row)
    reasons = {
        "a bye: not rated": _is_bye(first) or _is_bye(second),
        "a forfeit: not rated": any(map(_is_forfeit, [*scores, row["remark"], named])),
        f"the length is not a whole number of 1 to {_LONGEST} points": length is None,
        "the winner is neither of the players": winner is not None and math.isnan(winner),
        "a spreadsheet made a date of the score: write it as 7:4": not points
        and any(map(_MADE_DATE.fullmatch, scores)),
        f"not a score: {_quoted(*filter(None, scores))} (write 7-4)": not points
        and winner is None
        and any(score not in _NO_SCORE for score in scores),
        NO_RESULT: not points and winner is None,
        "no score, while other rows have one: not rated": not points and scored,
        f"not a date: {_quoted(row.get('date', ''))} (write 2026-03-14)": day == _NO_DATE,
        "the date lies in the future": day > today.isoformat(),
    }
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    if reason or length is None:
        return reason
    if points:
        return _scored(*points, length, winner)
    return (math.nan if winner is None else winner), length or math.nan


def _scored(first: int, second: int, length: int, winner: float | None) -> tuple[float, float] | str:
    score = 0.5 if first == second else float(first > second)
    if winner not in (None, score):
        return "the score contradicts the winner"
    if not length:
        most = max(first, second)  # match lengths are odd: 8-1 was no match to 8 points
        is_length = most % 2 and _SHORTEST_TOLD <= most <= _LONGEST_TOLD and first != second
        return score, float(most) if is_length else np.nan
    if first == second:
        return "a tie: a match has a winner"
    if max(first, second) < length:
        return f"neither player has the {length} points of the match"
    return (score, length) if min(first, second) < length else f"both players have the {length} points of the match"


def _points(row: Mapping[str, str]) -> tuple[int, int] | None:
    """Return both players' points, or None without a readable score."""
    parts = [row["score1"], row["score2"]] if {"score1", "score2"} <= set(row) else []
    if not any(part not in _NO_SCORE for part in parts) and "score" in row:
        parts = _BETWEEN.split(row["score"].strip())
    first, second = map(_POINTS.fullmatch, parts) if len(parts) == 2 else (None, None)
    return (int(first[1]), int(second[1])) if first and second else None


@lru_cache(2**16)
def _length(value: str) -> int | None:
    """Return a match length, 0 for an empty cell, None for what is no match length."""
    match = _LENGTH.fullmatch(value.lower())
    length = int(match[1]) if match else 0
    return 0 if not value else length if 0 < length <= _LONGEST else None


def _dates(values: Sequence[str]) -> tuple[list[str], str]:
    """Return dates as YYYY-MM-DD ("" for none, _NO_DATE for an unreadable one), and a note on an ambiguous order.

    If the year is last, one date with a number above 12 shows whether day or month comes first in all.
    """
    matches = [_YEAR_LAST.fullmatch(value) for value in values]
    first, second = (any(int(match[group]) > 12 for match in matches if match) for group in (1, 2))
    day_first = first or not second
    ambiguous = any(matches) and first == second
    note = "dates such as 03/04/2026 were read with the day first; write 2026-04-03" if ambiguous else ""
    return [_date(value, match, day_first) for value, match in zip(values, matches, strict=True)], note


def _date(value: str, year_last: re.Match[str] | None, day_first: bool) -> str:
    if not value:
        return ""
    if year_first := _YEAR_FIRST.fullmatch(value):
        year, month, day = map(int, year_first.groups())
    elif year_last:
        day, month, year = map(int, year_last.groups())
        day, month = (day, month) if day_first else (month, day)
        year += 2000 if year < 100 else 0
    else:
        return _NO_DATE
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return _NO_DATE
