"""Lists of results as clubs write them: columns by the names that people give them, dates as they write dates.

A bye, a forfeit and a row that contradicts itself are no results: they are flagged and not rated.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
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
    "pair": "pair set table duplicate pairing",
    "remark": "remark remarks comment comments note notes bemerkung bemerkungen kommentar anmerkung",
}
_LONGEST, _SHORTEST_TOLD, _LONGEST_TOLD = 99, 3, 25
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?:[T ].*)?")
_LENGTH = re.compile(r"(\d{1,9})(?:[.,]0+)?(?:\s*(?:p|pt|pts|points?|pkt|punkte?))?")
_POINTS = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_BETWEEN = re.compile(r"\s*[-:–—−/]\s*|\s+")
_BYE = re.compile(r"\W*(bye|freilos|spielfrei|exempt)\W*\d*\W*", re.IGNORECASE)
_FORFEIT = re.compile(
    r"forfeit|forfait|walk[\s-]?over|kampflos|no[\s-]?show|nicht angetreten|\bdefault|\bw[\s./]*o\b|\bff\b|^\s*\+",
    re.IGNORECASE,
)
_MADE_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-.]\s?[A-Za-zä]{3,4}\.?")
_NO_SCORE = {"", "-", "–", "—", "?", ":", "-:-"}


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return where a list of results has what, by the names of its columns; empty where it is no such list.

    Case, accents, spaces and marks in a name do not matter; of two columns of one name the first is the first player's.
    There must be two players and what tells who won.
    """
    plain = [_plain(name) for name in head]
    twice = {name: count(1) for name, number in Counter(plain).items() if name and number == 2}
    plain = [f"{name}{next(twice[name])}" if name in twice else name for name in plain]
    found: dict[str, int] = {}
    for meaning, names in _NAMES.items():
        place = next((plain.index(name) for name in names.split() if name in plain), None)
        if place is not None and place not in found.values():
            found[meaning] = place
    players = {"player1", "player2"} <= set(found)
    scored = {"score1", "score2"} <= set(found) or "score" in found or "winner" in found
    return found if (players and scored) or {"winner", "loser"} <= set(found) else {}


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).lower()
    return "".join(letter for letter in letters if letter.isalnum())


def table(columns: Mapping[str, int], today: date, head: tuple[int, list[str]], rows: Rows, odd: Odd) -> pd.DataFrame:
    """Return the games of a list of results, by date where it has dates; add to `odd` what is odd about its rows.

    Columns: those of games with `text`, and as far as the list has them `date` (YYYY-MM-DD), `length`, `pair`.
    """
    unused = [name for place, name in enumerate(head[1]) if place not in columns.values() and name.strip()]
    if unused:
        odd.append((head[0], f"columns that are not used: {safe_line([', '.join(unused)])}", True, safe_line(head[1])))
    field = {name: [fields[place].strip() for _, fields in rows] for name, place in columns.items()}
    one, two = ("winner", "loser") if "player1" not in field else ("player1", "player2")
    dates, order = _dates(field.get("date", []))
    if order:
        odd.append((head[0], order, True, safe_line(head[1])))
    nameless = [place for place, name in enumerate(head[1]) if not name.strip()]
    scored = any(field[name][row] not in _NO_SCORE for name in _SCORES if name in field for row in range(len(rows)))
    found = []
    for place, (number, fields) in enumerate(rows):
        row = {name: values[place] for name, values in field.items()}
        row["remark"] = " ".join([row.get("remark", ""), *(fields[nameless_one] for nameless_one in nameless)])
        result = _result(row, scored=scored)
        problem = result if isinstance(result, str) else ""
        day = dates[place] if dates else None
        if day == _NO_DATE:
            problem = problem or f"not a date: {safe_line([row['date']], 40)} (write 2026-03-14)"
        elif day and day > today.isoformat():
            problem = problem or "the date lies in the future"
        if problem or isinstance(result, str):
            odd.append((number, problem, False, safe_line(fields)))
            continue
        note = "a tie: half a win for each" if result[0] == 0.5 else "" if day != "" else _WITHOUT_DATE
        if note:
            odd.append((number, note, True, safe_line(fields)))
        found.append(
            (row[one], row[two], result[0], 1.0, number, safe_line(fields), day or "", result[1], row.get("pair"))
        )
    names = ["first", "second", "first_score", "count", "row", "text", "date", "length", "pair"]
    games = pd.DataFrame(found, columns=names).astype({"first_score": float, "count": float, "length": float})
    has = {"date": bool(dates), "length": "length" in field or games["length"].notna().any(), "pair": "pair" in field}
    games = games.drop(columns=[name for name, is_there in has.items() if not is_there])
    return (games.sort_values("date", kind="stable") if dates else games).reset_index(drop=True)


_SCORES = ("score1", "score2", "score")
_NO_DATE = "no date"
_WITHOUT_DATE = "no date: it takes no part in ratings over time"


def _result(row: Mapping[str, str], *, scored: bool) -> tuple[float, float] | str:
    """Return the first player's score and the length of the match (nan where nothing tells it), or why there is none.

    `scored` says that other rows of the list have scores: one without then tells of no match that was played.
    """
    has_loser = "player1" not in row
    one, two = name_of(row["winner" if has_loser else "player1"]), name_of(row["loser" if has_loser else "player2"])
    given = [row.get(name, "") for name in _SCORES]
    named = "" if has_loser else name_of(row.get("winner", ""))
    winner = 1.0 if has_loser else {"": None, two: 0.0, "2": 0.0, one: 1.0, "1": 1.0}.get(named, math.nan)
    length, points = _length(row.get("length", "")), _points(row)
    reasons = {
        "a bye: not rated": _BYE.fullmatch(one) or _BYE.fullmatch(two),
        "a forfeit: not rated": any(map(_FORFEIT.search, [*given, row["remark"], named])),
        f"the length is not a whole number of 1 to {_LONGEST} points": length is None,
        "the winner is neither of the players": winner is not None and math.isnan(winner),
        "a spreadsheet made a date of the score: write it as 7:4": not points and any(map(_MADE_DATE.fullmatch, given)),
        NO_RESULT: not points and winner is None,
        "no score, while other rows have one: not rated": not points and scored,
    }
    reason = next((reason for reason, holds in reasons.items() if holds), "")
    if reason or length is None:
        return reason
    if points:
        return _scored(*points, length, winner)
    return (math.nan if winner is None else winner), length or math.nan


def _scored(own: int, other: int, length: int, winner: float | None) -> tuple[float, float] | str:
    score = 0.5 if own == other else float(own > other)
    if winner not in (None, score):
        return "the score contradicts the winner"
    if not length:
        most = max(own, other)  # matches are to an odd number of points: 8-1 ended with more than it took
        is_length = most % 2 and _SHORTEST_TOLD <= most <= _LONGEST_TOLD and own != other
        return score, float(most) if is_length else np.nan
    if own == other:
        return "a tie: a match has a winner"
    if max(own, other) < length:
        return f"neither player has the {length} points of the match"
    return (score, length) if min(own, other) < length else f"both players have the {length} points of the match"


def _points(row: Mapping[str, str]) -> tuple[int, int] | None:
    """Return both players' points; None where the row does not tell them. Raises nothing."""
    parts = [row["score1"], row["score2"]] if {"score1", "score2"} <= set(row) else []
    if not any(part not in _NO_SCORE for part in parts) and "score" in row:
        parts = _BETWEEN.split(row["score"].strip())
    found = [_POINTS.fullmatch(part) for part in parts]
    if len(found) != 2 or not (found[0] and found[1]):
        return None
    return int(found[0][1]), int(found[1][1])


def _length(value: str) -> int | None:
    """Return a match length; 0 where there is none, None where it cannot be one."""
    found = _LENGTH.fullmatch(value.lower())
    length = int(found[1]) if found else 0
    return 0 if not value else length if 0 < length <= _LONGEST else None


def _dates(values: Sequence[str]) -> tuple[list[str], str]:
    """Return dates as YYYY-MM-DD ("" for none, _NO_DATE for what is no date), and what to say of their order.

    Where the year stands last, one date with a number above 12 tells whether day or month comes first in all.
    """
    parts = [_YEAR_LAST.fullmatch(value) for value in values]
    first = any(int(found[1]) > 12 for found in parts if found)
    second = any(int(found[2]) > 12 for found in parts if found)
    day_first = first or not second
    unclear = any(parts) and first == second
    said = "dates such as 03/04/2026 were read with the day first; write 2026-04-03" if unclear else ""
    return [_date(value, found, day_first) for value, found in zip(values, parts, strict=True)], said


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
