"""Matches of several lists, and of match files, count once.

A row of a later list repeats one of an earlier list if players and result are equal, and the id or
time of day, or the date and a match score. A match file and a row need the same score, and equal
dates if both have one. Other rows are repetitions only in a run that is too long for chance, or in
a list that is repeated as a whole.
"""

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from bgleague.settings import MATCH_FILES
from bgrating.pages.words import counted

BY_CHANCE = 1e-3
"""Largest expected number of common runs of two random lists; a longer run is a repetition."""
_LEAST_RUN = 3
_LEAST_POINTS = 3  # of the winner, in a score by which matches can be recognised

Kind = tuple[object, ...]


def counted_once(games: pd.DataFrame, titles: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows of later lists that repeat earlier ones; return notices with their number.

    `games` has the columns of games and `list` (the place of the list in `titles`), `score` and
    `id`.
    """
    left_out: list[int] = []
    notices = []
    lists: list[tuple[str, list[Kind]]] = []
    for number, title in enumerate(titles):
        rows = games[games["list"] == number]
        later = _kinds(rows)
        repeated: set[int] = set()
        names = []
        for other, earlier in lists:
            has_files = MATCH_FILES in {title, other}
            found = _repeated_in_files(later, earlier) if has_files else _repeated(later, earlier)
            if found - repeated:
                names.append(other)
                repeated |= found
        if repeated:
            left_out += rows.index[sorted(repeated)].tolist()
            notices.append(
                f"{title}: {counted(len(repeated), 'rows')} of {' and '.join(names)} again: counted"
                " once"
            )
        lists.append((title, later))
    return games.drop(index=left_out).reset_index(drop=True), notices


def _kinds(rows: pd.DataFrame) -> list[Kind]:
    """Return the identifying cells of each row: day, players in order, result, score, count, id."""
    kinds: list[Kind] = []
    for row in rows.to_dict("records"):
        first = row["first"]
        second = row["second"]
        result = row["first_score"]
        score = row.get("score", "")
        if first > second:
            first, second, result = second, first, 1 - result
            score = "-".join(reversed(score.split("-")))
        kinds.append(
            (row.get("date", ""), first, second, result, score, row["count"], row.get("id", ""))
        )
    return kinds


def _is_identified(kind: Kind) -> bool:
    points = [int(part) for part in str(kind[4]).split("-") if part.isdecimal()]
    return bool(kind[6]) or (bool(kind[0]) and max(points, default=0) >= _LEAST_POINTS)


def _repeated(later: Sequence[Kind], earlier: Sequence[Kind]) -> set[int]:
    """Return the places of the later rows that repeat earlier ones."""
    if len(later) > 1 and later == earlier:
        return set(range(len(later)))
    left = Counter(kind for kind in earlier if _is_identified(kind))
    found = set()
    for at, kind in enumerate(later):
        if left[kind] > 0:
            left[kind] -= 1
            found.add(at)
    length = _run_length(later, earlier)
    windows = {tuple(earlier[start : start + length]) for start in range(len(earlier) - length + 1)}
    for start in range(len(later) - length + 1):
        if tuple(later[start : start + length]) in windows:
            found |= set(range(start, start + length))
    return found


def _run_length(later: Sequence[Kind], earlier: Sequence[Kind]) -> int:
    """Return the smallest length of a run that two random lists of these rows share less often than
    BY_CHANCE.
    """
    pairs = len(later) * len(earlier)
    there = Counter(earlier)
    equal = sum(there[kind] for kind in later)
    if not equal or equal == pairs:
        return pairs + 1
    return max(_LEAST_RUN, math.ceil(math.log(BY_CHANCE / pairs) / math.log(equal / pairs)))


def _repeated_in_files(later: Sequence[Kind], earlier: Sequence[Kind]) -> set[int]:
    """Return the places of the later rows that repeat earlier ones, if one of the lists is of match
    files.
    """
    days: dict[Kind, list[object]] = {}
    for day, *rest in earlier:
        days.setdefault(tuple(rest[:4]), []).append(day)
    found = set()
    for at, (day, *rest) in enumerate(later):
        there = days.get(tuple(rest[:4]), [])
        same_day = [other for other in there if other == day]
        fitting = same_day or [other for other in there if not other or not day]
        if fitting and rest[3]:
            there.remove(fitting[0])
            found.add(at)
    return found
