"""The table of games that every method rates (columns ratings/games of the data dictionary).

The first player moves first if seats are known. A score may be any number from 0 to 1 if the method
accepts it.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pandas as pd

from bgleague.settings import RatingsError
from bgrating.pages.formatting import counted, short
from bgrating.people.aliases import persons
from bgrating.suggestion import did_you_mean
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.dictionary import columns

GAMES = columns("ratings/games")
RESULT = ["first", "second", "first_score"]
OPTIONAL = ["date", "length"]
IDENTIFYING = ["points", "id", "moment"]
"""Columns that show whether rows of two lists are the same match, and the order of matches."""
FLAGGED = columns("ratings/flagged")
SELF_PLAY = "one name on both sides: not rated"
MOST = 250_000
MOST_COUNT = 10**9
"""Largest number of rows of all lists, and of games of one row."""
MOST_TEXT = 500  # letters of a flagged row in flagged.csv

_NUMBERED = re.compile(r"([^\W\d]+)(\d+)((?:-.*)?)")


Row = tuple[int, list[str]]
"""Number in its file, and fields."""
Rows = list[Row]
Names = Sequence[str]
"""The names of players, each once."""


@dataclass
class Table:
    """A list of results: its title, notes for the user, flagged rows, and games once they are read.

    A flagged row has its number, the reason, whether it is rated, and its text. `games` has the
    columns of games, and `points` (of both players) or `id` if there are any. `seats` tells
    whether the first name moves first.
    """

    title: str = ""
    notes: list[str] = field(default_factory=list)
    flagged: list[tuple[int, str, bool, str]] = field(default_factory=list)
    games: pd.DataFrame = field(default_factory=pd.DataFrame)
    seats: bool = False

    def flag(self, number: int, reason: str, fields: Iterable[str], *, rated: bool = False) -> None:
        self.flagged.append((number, reason, rated, safe_line(fields)))


def whole(rows: Rows, table: Table) -> Rows:
    """Return the rows with as many fields as the first, or empty ones behind; flag the others."""
    width = len(rows[0][1])
    whole_rows = []
    for number, fields in rows:
        if len(fields) >= width and not "".join(fields[width:]).strip():
            whole_rows.append((number, fields[:width]))
        else:
            table.flag(number, f"{counted(len(fields), 'fields')} instead of {width}", fields)
    return whole_rows


@lru_cache(2**16)  # a long list repeats its names
def name_of(text: str) -> str:
    """Return a name in normal form.

    It has single spaces, composed accents (NFC), and escaped control characters.
    """
    return escape_controls(unicodedata.normalize("NFC", " ".join(text.split())))


def safe_line(fields: Iterable[str], most: int = MOST_TEXT) -> str:
    return short(escape_controls(" ".join(" ".join(fields).split())), most)


def checked(
    lists: Sequence[Table], aliases: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return the games of all lists to rate, those of self-play, and notices about names
    (`persons`).

    The tables have the columns of games and `list`, the number of a game's list. They have dates
    and lengths only if any is known. Aliases are replaced. Flagged are empty
    names, scores outside 0 to 1, self-play, and counts that are fractional, negative or too large.
    Rows with a count of 0 are dropped.
    """
    frames = [table.games.assign(list=number) for number, table in enumerate(lists)]
    rows = pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
    rows = rows.fillna({"date": "", **dict.fromkeys(IDENTIFYING, "")})
    unknown = [name for name in OPTIONAL if name in rows and rows[name].isin(["", np.nan]).all()]
    rows = rows.drop(columns=unknown)
    names = rows[["first", "second"]]
    by_name, notices = persons(Counter(zip(names["first"], names["second"], strict=True)), aliases)
    by_name[""] = ""
    rows[["first", "second"]] = names.map(by_name.get)
    reason = _why_not_rated(rows)
    refused = rows[["list", "row"]].join(names).assign(reason=reason)[reason != ""]
    for number, row, first, second, why in refused.itertuples(index=False):
        lists[number].flag(row, why, (first, second))
    types = {"first_score": float, "count": np.int64}
    games, self_play = (
        rows[(reason == why) & (rows["count"] > 0)].astype(types).reset_index(drop=True)
        for why in ("", SELF_PLAY)
    )
    return games, self_play, notices


def _why_not_rated(rows: pd.DataFrame) -> pd.Series:
    """Return why rows do not count; nothing for those that do."""
    score = rows["first_score"].astype(float)
    count = rows["count"].astype(float)
    faults = {
        "a name is empty": (rows["first"] == "") | (rows["second"] == ""),
        "the score is not a number": score.isna(),
        "the score is outside 0 to 1": (score < 0) | (score > 1),
        "the count is not a whole number": ~(count >= 0) | (count % 1 > 0),
        f"the count is more than {MOST_COUNT:,} games": count > MOST_COUNT,
        SELF_PLAY: rows["first"] == rows["second"],
    }
    reason = pd.Series(np.select(list(faults.values()), list(faults), ""), rows.index)
    # A line of a tally has up to three rows, which count together or not at all.
    line = [rows[name] for name in ("list", "row", "first", "second")]
    return reason.groupby(line).transform("max")


def length_of(first: float, second: float) -> float:
    """Return the length of a match that ended with these points.

    It is the winner's points, if odd and from 3 to 25; else NaN.
    """
    most = max(first, second)
    return most if most % 2 == 1 and 3 <= most <= 25 and first != second else math.nan


def players_of(games: pd.DataFrame) -> list[str]:
    return sorted({*games["first"].unique(), *games["second"].unique()})


def require_players(names: Iterable[str], players: Names, setting: str) -> None:
    for name in names:
        if name not in players:
            hint = did_you_mean(name, players) or f"; there are {len(players)} players"
            raise RatingsError(f"{setting}: no games of a player {name!r}{hint}")


def indices(games: pd.DataFrame, players: Names) -> tuple[np.ndarray, np.ndarray]:
    index = pd.Index(players)
    return index.get_indexer(pd.Index(games["first"])), index.get_indexer(pd.Index(games["second"]))


def both_seats(games: pd.DataFrame) -> pd.DataFrame:
    """Return every game twice, once from each seat.

    The columns are `player`, `opponent`, `score`, and the other ones of the games.
    """
    turned = games.assign(
        first=games["second"], second=games["first"], first_score=1 - games["first_score"]
    )
    names = {"first": "player", "second": "opponent", "first_score": "score"}
    return pd.concat([games, turned]).rename(columns=names)


def fused_names(names: Iterable[str], steps: Sequence[int]) -> dict[str, str]:
    """Map names such as azero12345 or azero12345-t1 to the first step at or above their number
    (azero20000).

    A number is a step if the same name occurs with other numbers, or if it reaches the smallest
    step above 0. So the 2 of a single minimax2 is part of the name. Numbers beyond the last step,
    and other names, stay as they are.
    """
    if list(steps) != sorted(set(steps)):
        raise RatingsError(
            f"fuse={','.join(map(str, steps))}: the steps must be whole numbers, rising"
        )
    fused = {name: name for name in names}
    parsed = [match.groups() for match in map(_NUMBERED.fullmatch, fused) if match]
    alike = Counter((start, end) for start, _, end in parsed)
    smallest = min(filter(None, steps), default=0)
    for start, number, end in parsed:
        step = next((step for step in steps if step >= int(number)), None)
        if step is not None and (alike[start, end] > 1 or int(number) >= smallest):
            fused[f"{start}{number}{end}"] = f"{start}{step}{end}"
    return fused


def fused(games: pd.DataFrame, steps: Sequence[int]) -> tuple[pd.DataFrame, int]:
    """Fuse players that differ only in a number, such as the training steps of a network, to a few
    steps.

    Returns the games, and the number of games that became self-play and were dropped.
    """
    new_names = fused_names(players_of(games), steps)
    joined = games.assign(
        first=games["first"].map(new_names), second=games["second"].map(new_names)
    )
    self_play = joined["first"] == joined["second"]
    return joined[~self_play].reset_index(drop=True), int(joined.loc[self_play, "count"].sum())
