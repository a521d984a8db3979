"""Matches of several lists, and of match files, count once.

A row of a later list repeats one of an earlier list if players, result and a mark are equal. The
mark is the id or time of day, or the date and a match score. A match file and a row need the same
score, and equal dates if both have one. Other rows are repetitions only if the later list begins
with the whole earlier one.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from bgleague.settings import MATCH_FILES
from bgrating.pages.words import counted

_LEAST_POINTS = 3  # of the winner, in a score by which matches can be recognised


class _Kind(NamedTuple):
    """What identifies a match of a list, the players in the order of their names."""

    day: str
    players: tuple[str, str]
    result: float
    score: str
    games: int
    id: str

    @property
    def is_identified(self) -> bool:
        points = [int(part) for part in self.score.split("-") if part.isdecimal()]
        return bool(self.id or (self.day and max(points, default=0) >= _LEAST_POINTS))


def counted_once(games: pd.DataFrame, titles: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows of later lists that repeat earlier ones; return notices with their number.

    `games` has the columns of games and `list` (the place of the list in `titles`), `score` and
    `id`.
    """
    left_out: list[int] = []
    notices = []
    lists: list[tuple[str, list[_Kind]]] = []
    for number, title in enumerate(titles):
        rows = games[games["list"] == number]
        later = list(map(_kind, rows.to_dict("records")))
        repeated: set[int] = set()
        names = []
        for other, earlier in lists:
            compare = _repeated_in_files if MATCH_FILES in {title, other} else _repeated
            more = compare(later, earlier) - repeated
            repeated |= more
            names += [other] if more else []
        if repeated:
            left_out += rows.index[sorted(repeated)].tolist()
            number_of_rows = counted(len(repeated), "rows")
            where = " and ".join(names)
            notices.append(f"{title}: {number_of_rows} of {where} again: counted once")
        lists.append((title, later))
    return games.drop(index=left_out).reset_index(drop=True), notices


def _kind(row: Mapping[Any, Any]) -> _Kind:
    day, first, second, score, match_id = (
        str(row.get(name, "")) for name in ("date", "first", "second", "score", "id")
    )
    result = row["first_score"]
    if first > second:
        result = 1 - result
        score = "-".join(reversed(score.split("-")))
    players = (min(first, second), max(first, second))
    return _Kind(day, players, result, score, row["count"], match_id)


def _repeated(later: Sequence[_Kind], earlier: Sequence[_Kind]) -> set[int]:
    """Return the places of the later rows that repeat earlier ones."""
    repeated = set()
    if len(earlier) > 1 and later[: len(earlier)] == earlier:
        repeated = set(range(len(earlier)))
    remaining = Counter(kind for kind in earlier if kind.is_identified)
    for place, kind in enumerate(later):
        if remaining[kind]:
            remaining[kind] -= 1
            repeated.add(place)
    return repeated


def _repeated_in_files(later: Sequence[_Kind], earlier: Sequence[_Kind]) -> set[int]:
    """Return the places of the later rows that repeat earlier ones, if one of the lists is of match
    files.
    """
    days = defaultdict(list)
    for kind in earlier:
        days[kind[1:4]].append(kind.day)
    repeated = set()
    for place, kind in enumerate(later):
        there = days[kind[1:4]]
        fitting = [day for day in there if day == kind.day or not (day and kind.day)]
        if fitting and kind.score:
            there.remove(kind.day if kind.day in there else fitting[0])
            repeated.add(place)
    return repeated
