"""Lists of results as clubs write them, with columns in any order and dates in any usual form.

Byes, forfeits and contradictory rows are flagged and not rated.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import count
from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating.league.games import NO_RESULT, UNUSED, Odd, Rows, name_of, safe_line

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


class _Coded(NamedTuple):
    """A column in which every different field is kept once: the field of a row is `kinds[codes[row]]`."""

    codes: np.ndarray
    kinds: list[str]

    @classmethod
    def of(cls, column: Iterable[str]) -> "_Coded":
        codes, kinds = pd.factorize(np.array(list(column), dtype=object))
        return cls(codes.astype(np.int32), kinds.tolist())

    def map(self, change: Callable[[str], str]) -> "_Coded":
        column = self.of(map(change, self.kinds))
        return _Coded(column.codes[self.codes], column.kinds)

    def where(self, holds: Callable[[str], object]) -> np.ndarray:
        held: np.ndarray = np.array([bool(holds(kind)) for kind in self.kinds], dtype=bool)[self.codes]
        return held


def _together(columns: Iterable[np.ndarray], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each row, the same for rows that are alike in all columns of codes, and their first rows."""
    codes = np.zeros(rows, dtype=int)
    for column in columns:
        codes = pd.factorize(codes * (int(column.max(initial=0)) + 1) + column)[0]
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=int)
    first[codes[::-1]] = np.arange(rows)[::-1]
    return codes, first


def table(columns: Mapping[str, int], today: date, head: tuple[int, list[str]], rows: Rows, odd: Odd) -> pd.DataFrame:
    """Return the games of a list of results, by date if it has dates; add flagged rows to `odd`.

    Columns: those of games, and as far as the list has them `date` (YYYY-MM-DD) and `length`. A long list repeats its
    fields and scores, so each of them is judged once.
    """
    fields = [_Coded(*rows.column(place, len(head[1]))) for place in range(len(head[1]))]
    values = {name: fields[place].map(str.strip) for name, place in columns.items()}
    days, order = _dates(values["date"].kinds if "date" in values else [])
    unused = [name for place, name in enumerate(head[1]) if place not in columns.values() and name.strip()]
    if unused:
        odd.append((head[0], f"{UNUSED}: {safe_line([', '.join(unused)])}", True, safe_line(head[1])))
    if order:
        odd.append((head[0], order, True, safe_line(head[1])))
    nothing = _Coded(np.zeros(len(rows), dtype=np.int32), [""])
    day = _Coded(values["date"].codes, days).map(str) if days else nothing
    nameless = [fields[place] for place, name in enumerate(head[1]) if not name.strip()]
    values["remark"] = _joined([values.get("remark", nothing), *nameless], len(rows))
    results, judged = _judged(values, day, today, len(rows))
    is_result = np.array([not isinstance(result, str) for result in results], dtype=bool)[judged]
    score, length = (
        np.array([np.nan if isinstance(result, str) else result[part] for result in results], dtype=float)[judged]
        for part in (0, 1)
    )
    has_day = day.where(bool)
    same, known, is_told_apart = _repeats(fields, values, has_day, is_result)
    is_alike = same != np.arange(len(rows))
    further = int((is_alike & ~is_told_apart).sum())
    is_odd = ~is_result | (is_alike & is_told_apart) | (known != same) | (score == 0.5) | (~has_day & bool(days))
    for place in np.flatnonzero(is_odd).tolist():
        number, text, reason = rows[place][0], safe_line(rows[place][1]), results[judged[place]]
        if isinstance(reason, str):
            odd.append((number, reason, False, text))
            continue
        if is_alike[place] and is_told_apart[place]:
            odd.append((number, f"{_SAME} row {rows[same[place]][0]}: counted once", False, text))
            continue
        if known[place] != same[place]:
            like = rows[known[place]][0]
            odd.append((number, f"{_SAME} row {like}, but for other columns: {_FURTHER}", True, text))
        if reason[0] == 0.5:
            odd.append((number, "a tie: half a win for each", True, text))
        elif days and not has_day[place]:
            odd.append((number, "no date: not used in ratings over time", True, text))
    if further:
        reason = f"{_same(further)}: {_FURTHER}, since no date with a score and no number tells matches apart"
        odd.append((head[0], reason, True, safe_line(head[1])))
    kept = np.flatnonzero(is_result & ~(is_alike & is_told_apart))
    if days:
        kept = kept[np.argsort(np.argsort(np.argsort(day.kinds))[day.codes[kept]], kind="stable")]
    players = {seat: values[name] for seat, name in zip(("first", "second"), _players(values), strict=True)}
    frame = pd.DataFrame(
        {seat: np.array(column.kinds, dtype=object)[column.codes[kept]] for seat, column in players.items()}
        | {"first_score": score[kept], "count": 1.0, "row": rows.numbers[kept]}
    )
    if days:
        frame["date"] = np.array(day.kinds, dtype=object)[day.codes[kept]]
    if "length" in values or not np.isnan(length[kept]).all():
        frame["length"] = length[kept]
    return frame


def _joined(columns: Sequence[_Coded], rows: int) -> _Coded:
    codes, first = _together((column.codes for column in columns), rows)
    texts = [" ".join(column.kinds[column.codes[row]] for column in columns) for row in first]
    return _Coded(codes, texts)


def _repeats(
    fields: Sequence[_Coded], values: Mapping[str, _Coded], has_day: np.ndarray, is_result: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each row the first that is the same, the first that tells of the same match, and whether it would.

    A date with a score, or with a time of day, and a number tell matches apart. A row is its own first without another.
    """
    none = np.zeros(len(is_result), dtype=bool)
    has_score, has_id = none.copy(), values["id"].where(bool) if "id" in values else none
    for name in set(_SCORES) & set(values):
        has_score |= values[name].where(lambda score: score not in _NO_SCORE)
    has_time = values["date"].where(lambda value: ":" in value) if "date" in values else none
    same = _first_alike(fields, is_result)
    known = _first_alike([values[name] for name in _A_MATCH if name in values], is_result & has_day & has_score)
    known = np.where(has_id | (same != np.arange(len(same))), same, known)
    return same, known, has_id | (has_day & (has_score | has_time))


def _first_alike(columns: Sequence[_Coded], wanted: np.ndarray) -> np.ndarray:
    """Return for each wanted row the first wanted one whose fields are the same but for capitals and blanks.

    It is the row itself for others.
    """
    answer, places = np.arange(len(wanted)), np.flatnonzero(wanted)
    codes, first = _together((column.map(_folded).codes[places] for column in columns), len(places))
    answer[places] = places[first[codes]]
    return answer


def _judged(
    values: Mapping[str, _Coded], day: _Coded, today: date, rows: int
) -> tuple[list[tuple[float, float] | str], np.ndarray]:
    """Return the results (`_result`) of all kinds of rows, and the kind of each row.

    Rows of one kind are alike in all that a result depends on: of the names, whether they are a bye and who won.
    """
    players = _players(values)
    names = [values[name].map(name_of) for name in dict.fromkeys([*players, "winner"]) if name in values]
    number: dict[str, int] = {}
    one, other, *winner = (
        np.array([number.setdefault(kind, len(number)) for kind in column.kinds], dtype=int)[column.codes]
        for column in names
    )
    parts = [values[name].codes for name in (*_SCORES, "length") if name in values]
    parts += [column.where(_is_bye) for column in names[:2]]
    parts.append(values["remark"].where(_is_forfeit))
    for named in winner:  # a name of one of the players, or another
        told = names[2].map(lambda name: name if name in {"", "1", "2"} else "forfeit" if _is_forfeit(name) else "name")
        parts += [told.codes, named == one, named == other]
    parts.append(day.where(lambda value: value > today.isoformat()))
    if "date" in values:
        parts.append(np.where(day.where(lambda value: value == _NO_DATE), values["date"].codes + 1, 0))
    scored = any(value not in _NO_SCORE for name in _SCORES if name in values for value in values[name].kinds)
    codes, first = _together(parts, rows)
    results = [
        _result(
            {name: column.kinds[column.codes[row]] for name, column in values.items()},
            day.kinds[day.codes[row]],
            today,
            scored=scored,
        )
        for row in first
    ]
    return results, codes


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


def _players(columns: Container[str]) -> tuple[str, str]:
    return ("player1", "player2") if "player1" in columns and "player2" in columns else ("winner", "loser")


def _result(row: Mapping[str, str], day: str, today: date, *, scored: bool) -> tuple[float, float] | str:
    """Return the first player's score and the match length (nan if unknown), or why the row is not rated.

    `scored` tells whether other rows have scores: a row without a score then is not a played match.
    """
    players = _players(row)
    has_loser = "loser" in players
    first, second = (name_of(row[name]) for name in players)
    scores = [row.get(name, "") for name in _SCORES]
    named = "" if has_loser else name_of(row.get("winner", ""))
    winner = 1.0 if has_loser else {second: 0.0, "2": 0.0, first: 1.0, "1": 1.0, "": None}.get(named, math.nan)
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
