"""Lists of results as clubs write them: columns by the names that people give them, dates as they write dates."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import pandas as pd

from bgrating.league.games import NO_RESULT, Odd, Rows, name_of, texts

HEAD, ROW = "date,player1,player2,score1,score2,length", "2026-03-14,Ann Lee,Bob,7,4,7"
"""An example of such a list."""

_NAMES = {
    "date": "date day played when datetime matchdate playedon datum fecha",
    "player1": "player1 playera p1 name1 player white home nameone spieler1 joueur1",
    "player2": "player2 playerb p2 name2 opponent black away nametwo spieler2 joueur2",
    "score1": "score1 scorea s1 points1 pts1 result1 player1score homescore",
    "score2": "score2 scoreb s2 points2 pts2 result2 player2score awayscore",
    "score": "score result",
    "winner": "winner won wonby sieger gagnant",
    "loser": "loser lost verlierer perdant",
    "length": "length matchlength len points to n pointmatch matchto target",
    "pair": "pair set table duplicate pairing",
}
_LONGEST = 99
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?:[T ].*)?")


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return where a list of results has what, by the names of its columns; empty where it is no such list.

    Case, accents, spaces and marks in a name do not matter. There must be two players and what tells who won.
    """
    plain = [_plain(name) for name in head]
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


def table(head: tuple[int, list[str]], columns: Mapping[str, int], rows: Rows, odd: Odd, today: date) -> pd.DataFrame:
    """Return the games of a list of results, by date where it has dates; add to `odd` what is odd about its rows.

    Columns: those of games with `text`, and as far as the list has them `date` (YYYY-MM-DD), `length`, `pair`.
    """
    unused = [name.strip() for place, name in enumerate(head[1]) if place not in columns.values() and name.strip()]
    if unused:
        odd.append((head[0], f"columns that are not used: {', '.join(unused)}", True, " ".join(head[1])))
    field = {name: [fields[place].strip() for _, fields in rows] for name, place in columns.items()}
    number, text = [number for number, _ in rows], texts(rows)
    one, two = ("winner", "loser") if "player1" not in field else ("player1", "player2")
    length = _lengths(field.get("length", [""] * len(rows)))
    score = np.array([_score(row, length[place]) for place, row in enumerate(_by_row(field, len(rows)))])
    dates, order = _dates(field.get("date", []))
    if order:
        odd.append((head[0], order, True, " ".join(head[1])))
    keep = np.ones(len(rows), dtype=bool)
    for place in range(len(rows)):
        day = dates[place] if dates else ""
        problems = (
            (dates and day is None, f"not a date: {field['date'][place] if dates else ''} (write 2026-03-14)", False),
            (bool(day) and str(day) > today.isoformat(), "the date lies in the future", False),
            (length[place] is None, f"the length is not a whole number of 1 to {_LONGEST} points", False),
            (np.isnan(score[place]), NO_RESULT, False),
            (score[place] == 0.5 and bool(length[place]), "a tie: a match has a winner", False),
            (score[place] == 0.5, "a tie: half a win for each", True),
            (dates and day == "", "no date: it takes no part in ratings over time", True),
        )
        reason, rated = next(((words, rated) for wrong, words, rated in problems if wrong), ("", True))
        if reason:
            odd.append((number[place], reason, rated, text[place]))
        keep[place] = rated
    found = pd.DataFrame(
        {
            "first": pd.Series([name_of(name) for name in field[one]], dtype=str),
            "second": pd.Series([name_of(name) for name in field[two]], dtype=str),
            "first_score": score,
            "count": 1.0,
            "row": number,
            "text": pd.Series(text, dtype=str),
        }
    )
    if dates:
        found["date"] = [day or "" for day in dates]
    if "length" in field:
        found["length"] = [float(value or np.nan) for value in length]
    if "pair" in field:
        found["pair"] = field["pair"]
    found = found[keep]
    return (found.sort_values("date", kind="stable") if dates else found).reset_index(drop=True)


def _by_row(field: Mapping[str, list[str]], size: int) -> list[dict[str, str]]:
    return [{name: values[place] for name, values in field.items()} for place in range(size)]


def _score(row: Mapping[str, str], length: int | None) -> float:
    """Return 1 where the first player won, 0.5 for a tie, 0 where he lost, nan where the row does not tell."""
    if "player1" not in row:
        return 1.0
    if "score1" in row and "score2" in row:
        points = [row["score1"], row["score2"]]
    elif "winner" in row:
        who = {name_of(row["player1"]): 1.0, name_of(row["player2"]): 0.0, "1": 1.0, "2": 0.0}
        return who.get(name_of(row["winner"]), np.nan)
    else:
        points = re.split(r"\s*[-:–/]\s*|\s+", row["score"])
    if len(points) != 2 or not all(point.isdecimal() for point in points):
        return np.nan
    own, other = map(int, points)
    if length and max(own, other) < length:
        return np.nan  # not played to its end
    return 0.5 if own == other else float(own > other)


def _lengths(values: Sequence[str]) -> list[int | None]:
    """Return match lengths; 0 where there is none, None where it cannot be one."""
    found: list[int | None] = []
    for value in values:
        digits = re.fullmatch(r"(\d+)(?:\.0+)?(?:\s*(?:p|pt|pts|points?))?", value.lower())
        length = int(digits[1]) if digits else None
        found.append(0 if not value else length if length and length <= _LONGEST else None)
    return found


def _dates(values: Sequence[str]) -> tuple[list[str | None], str]:
    """Return dates as YYYY-MM-DD ("" for none, None for what is no date), and what to say of their order.

    Where the year stands last, one date with a number above 12 tells whether day or month comes first in all.
    """
    parts = [_YEAR_LAST.fullmatch(value) for value in values]
    first = any(int(found[1]) > 12 for found in parts if found)
    second = any(int(found[2]) > 12 for found in parts if found)
    day_first = first or not second
    unclear = any(parts) and first == second
    said = "dates such as 03/04/2026 were read with the day first; write 2026-04-03" if unclear else ""
    return [_date(value, found, day_first) for value, found in zip(values, parts, strict=True)], said


def _date(value: str, year_last: re.Match[str] | None, day_first: bool) -> str | None:
    if not value:
        return ""
    if year_first := _YEAR_FIRST.fullmatch(value):
        year, month, day = map(int, year_first.groups())
    elif year_last:
        day, month, year = map(int, year_last.groups())
        day, month = (day, month) if day_first else (month, day)
        year += 2000 if year < 100 else 0
    else:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
