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
from bgrating.pages.formatting import counted

_LEAST_POINTS = 3  # of the winner, in a score by which matches can be recognised


class _Identity(NamedTuple):
    """What identifies a match of a list, the players in the order of their names."""

    day: str
    players: tuple[str, str]
    result: float
    points: tuple[float, ...]
    games: int
    id: str

    @property
    def is_sure(self) -> bool:
        most = max(self.points, default=0)
        return bool(self.id or (self.day and most >= _LEAST_POINTS))


def counted_once(games: pd.DataFrame, titles: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows of later lists that repeat earlier ones; return notices with their number.

    `games` has the columns of games and `list` (the index of the list in `titles`), `points` and
    `id`.
    """
    repetitions: list[int] = []
    notices = []
    lists: list[tuple[str, list[_Identity]]] = []
    for number, title in enumerate(titles):
        rows = games[games["list"] == number]
        later = list(map(_identity, rows.to_dict("records")))
        repeated: dict[int, str] = {}
        for earlier_title, earlier in lists:
            has_files = MATCH_FILES in {title, earlier_title}
            for index in _repeated(later, earlier, has_files=has_files):
                repeated.setdefault(index, earlier_title)
        if repeated:
            repetitions += rows.index[list(repeated)].tolist()
            sources = " and ".join(dict.fromkeys(repeated.values()))
            notices.append(
                f"{title}: {counted(len(repeated), 'rows')} of {sources} again: counted once"
            )
        lists.append((title, later))
    games = games.drop(index=repetitions).reset_index(drop=True)
    undated = int((games.get("date", games["list"]) == "").sum())
    if undated:
        notices.append(
            f"{counted(undated, 'matches')} without a date: not used in ratings over time"
        )
    return games, notices


def _identity(row: Mapping[Any, Any]) -> _Identity:
    players = row["first"], row["second"]
    result = row["first_score"]
    points = row.get("points") or ()
    if players[0] > players[1]:
        players = players[::-1]
        result = 1 - result
        points = points[::-1]
    return _Identity(row.get("date", ""), players, result, points, row["count"], row.get("id", ""))


def _repeated(
    later: Sequence[_Identity], earlier: Sequence[_Identity], *, has_files: bool
) -> list[int]:
    """Return the indices of the later rows that repeat earlier ones.

    `has_files` tells whether one of the lists is of match files. Then the scores must be equal, and
    a match without a day may be of any day.
    """
    if not has_files and len(earlier) > 1 and later[: len(earlier)] == earlier:
        return list(range(len(earlier)))
    days: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for match in earlier:
        days[match[1:4] if has_files else match][match.day] += 1
    repeated = []
    for index, match in enumerate(later):
        open_days = days[match[1:4] if has_files else match]
        possible_days = [match.day, ""] if match.day else ["", *open_days]
        day = next((day for day in possible_days if open_days[day]), None)
        if day is not None and (match.points if has_files else match.is_sure):
            open_days[day] -= 1
            repeated.append(index)
    return repeated
