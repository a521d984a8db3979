"""Matches that stand in several lists, and in match files too, count once.

A row of a later list is the same match as one of an earlier list if both have the same players and result and the same
id or time of day, or the same date and a match score. A match file and a row need the same score; dates must be equal
where both have one. Rows that tell less are the same only as a run that is too long for chance, or as a whole list.
"""

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from bgrating.league.settings import MATCH_FILES
from bgrating.pages.words import counted

BY_CHANCE = 1e-3
"""How many runs of a length chance may give two lists; a longer run is a repetition."""
_LEAST_RUN = 3
_LEAST_POINTS = 3  # of the winner in a score that tells matches apart

Kind = tuple[object, ...]


def counted_once(games: pd.DataFrame, titles: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows of later lists that repeat earlier ones; return sentences on how many.

    `games` has the columns of games and `list` (the place of the list in `titles`), `score` and `id`.
    """
    left_out: set[int] = set()
    notes = []
    lists = []
    for number, title in enumerate(titles):
        rows = games[games["list"] == number]
        lists.append((title, rows.index, _kinds(rows)))
    for place, (title, index, later) in enumerate(lists):
        repeated: set[int] = set()
        names = []
        for other, _, earlier in lists[:place]:
            is_loose = MATCH_FILES in {title, other}
            found = _loose(later, earlier) if is_loose else _alike(later, earlier)
            if found - repeated:
                names.append(other)
                repeated |= found
        if repeated:
            left_out |= set(index[sorted(repeated)])
            notes.append(f"{title}: {counted(len(repeated), 'rows')} of {' and '.join(names)} again: counted once")
    return games.drop(index=list(left_out)).reset_index(drop=True), notes


def _kinds(rows: pd.DataFrame) -> list[Kind]:
    """Return for each row what tells its match: day, players in order, result, score, length, id."""
    kinds: list[Kind] = []
    for row in rows.to_dict("records"):
        first, second, result, score = row["first"], row["second"], row["first_score"], str(row.get("score") or "")
        if first > second:
            first, second, result = second, first, 1 - result
            score = "-".join(reversed(score.split("-")))
        kinds.append((row.get("date") or "", first, second, result, score, row["count"], row.get("id") or ""))
    return kinds


def _is_telling(kind: Kind) -> bool:
    points = [int(part) for part in str(kind[4]).split("-") if part.isdecimal()]
    return bool(kind[6]) or (bool(kind[0]) and max(points, default=0) >= _LEAST_POINTS)


def _alike(later: Sequence[Kind], earlier: Sequence[Kind]) -> set[int]:
    """Return the places of the later rows that repeat earlier ones."""
    if len(later) > 1 and later == earlier:
        return set(range(len(later)))
    left = Counter(kind for kind in earlier if _is_telling(kind))
    found = set()
    for at, kind in enumerate(later):
        if left[kind] > 0:
            left[kind] -= 1
            found.add(at)
    length = _run(later, earlier)
    windows = {tuple(earlier[start : start + length]) for start in range(len(earlier) - length + 1)}
    for start in range(len(later) - length + 1):
        if tuple(later[start : start + length]) in windows:
            found |= set(range(start, start + length))
    return found


def _run(later: Sequence[Kind], earlier: Sequence[Kind]) -> int:
    """Return the rows of a run that two lists of drawn rows have in common less often than BY_CHANCE."""
    pairs = len(later) * len(earlier)
    here, there = Counter(later), Counter(earlier)
    alike = sum(number * there[kind] for kind, number in here.items())
    if not alike or alike == pairs:
        return pairs + 1
    return max(_LEAST_RUN, math.ceil(math.log(BY_CHANCE / pairs) / math.log(alike / pairs)))


def _loose(later: Sequence[Kind], earlier: Sequence[Kind]) -> set[int]:
    """Return the places of later rows that are matches of earlier ones, where match files are one of both."""
    days: dict[Kind, list[object]] = {}
    for day, *rest in earlier:
        days.setdefault(tuple(rest[:4]), []).append(day)
    found = set()
    for at, (day, *rest) in enumerate(later):
        there = days.get(tuple(rest[:4]), [])
        same = next((other for other in there if other == day), None)
        same = same if same is not None else next((other for other in there if not other or not day), None)
        if same is not None and rest[3]:
            there.remove(same)
            found.add(at)
    return found
