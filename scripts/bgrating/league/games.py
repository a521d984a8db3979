"""The table of games that every method rates (columns ratings/games of the data dictionary).

The first player moves first if seats are known. A score may be any number from 0 to 1 if the method accepts it.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating.league.settings import RatingsError
from bgrating.pages.words import short
from bgrating.people.aliases import persons
from bgrating.suggestion import did_you_mean
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.dictionary import columns

GAMES = columns("ratings/games")
WHO = ["first", "second", "first_score"]
KNOWN = ["date", "length"]
TELLING = ["score", "id"]
"""Columns that tell whether rows of two lists are one match."""
FLAGGED = columns("ratings/flagged")
SELF_PLAY = "one name on both sides: not rated"
MOST = 250_000
"""Games of all lists, and rows of one."""
MOST_TEXT = 500  # letters of a flagged row in flagged.csv

_NUMBERED = re.compile(r"([^\W\d]+)(\d+)((?:-.*)?)")


Row = tuple[int, list[str]]
"""Number in its file, and fields."""
Odd = list[tuple[int, str, bool, str]]
"""Rows to flag: number, reason, whether the row is rated, text."""


class Table(NamedTuple):
    """Games as a form of file gives them (columns of games, and `score` or `id` if there are any), and notes."""

    games: pd.DataFrame
    notes: list[str]


@lru_cache(2**16)  # a long list repeats its names
def name_of(text: str) -> str:
    """Return a name in normal form: single spaces, composed accents (NFC), escaped control characters."""
    return escape_controls(unicodedata.normalize("NFC", " ".join(text.split())))


def safe_line(fields: Iterable[str], most: int = MOST_TEXT) -> str:
    return short(escape_controls(" ".join(" ".join(fields).split())), most)


def checked(
    rows: pd.DataFrame, aliases: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """Separate rows (the columns of games) into games to rate, games of self-play and flagged rows.

    The last are remarks on names (`persons`). Names are normalised and aliases replaced. It flags empty names, scores
    outside 0 to 1, wrong counts and self-play. A wrong count is fractional, negative or too large. Rows with a count of
    0 are dropped.
    """
    first, second = rows["first"].map(name_of), rows["second"].map(name_of)
    bearers, remarks = persons(Counter(zip(first, second, strict=True)), aliases)
    bearers[""] = ""
    rows = rows.assign(first=first.map(bearers), second=second.map(bearers))
    score, count = rows["first_score"].astype(float), rows["count"].astype(float)
    faults = {
        "a name is empty": (rows["first"] == "") | (rows["second"] == ""),
        "the score is not a number": score.isna(),
        "the score is outside 0 to 1": (score < 0) | (score > 1),
        "the count is not a whole number": ~(count >= 0) | (count % 1 > 0),
        f"the count is more than {MOST:,} games": count > MOST,
        SELF_PLAY: rows["first"] == rows["second"],
    }
    reason = np.select(list(faults.values()), list(faults), "")
    text = [safe_line(names) for names in zip(first, second, strict=True)]
    flagged = rows.assign(reason=reason, rated=False, text=text).loc[reason != "", [*FLAGGED, "list"]]
    kept = rows.columns.intersection([*GAMES, *KNOWN, *TELLING, "list"], sort=False)
    types = {"first": str, "second": str, "count": np.int64, "first_score": float}
    games, self_play = (
        rows.loc[(reason == why) & (count > 0), kept].astype(types).reset_index(drop=True) for why in ("", SELF_PLAY)
    )
    return games, self_play, flagged, remarks


def length_of(one: float, other: float) -> float:
    """Return the length of a match that ended with these points, NaN where they tell none: lengths are odd."""
    most = max(one, other)
    return most if most % 2 == 1 and 3 <= most <= 25 and one != other else math.nan


def players_of(games: pd.DataFrame) -> list[str]:
    return sorted({*games["first"].unique(), *games["second"].unique()})


def require_players(names: Iterable[str], known: Sequence[str], setting: str) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {len(known)} players"
            raise RatingsError(f"{setting}: no games of a player {name!r}{hint}")


def indices(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    index = pd.Index(players)
    return index.get_indexer(pd.Index(games["first"])), index.get_indexer(pd.Index(games["second"]))


def both_seats(games: pd.DataFrame) -> pd.DataFrame:
    """Return every game twice, once from each seat: `player`, `opponent`, `score` and the other columns."""
    turned = games.assign(first=games["second"], second=games["first"], first_score=1 - games["first_score"])
    names = {"first": "player", "second": "opponent", "first_score": "score"}
    return pd.concat([games, turned]).rename(columns=names)


def fused_names(names: Iterable[str], steps: Sequence[int]) -> dict[str, str]:
    """Map names such as azero12345 or azero12345-t1 to the first step at or above their number (azero20000).

    A number counts if the same name occurs with other numbers, or if it reaches the least step above 0: the 2 of a lone
    minimax2 belongs to the name. Numbers beyond the last step, and other names, stay as they are.
    """
    if not steps or list(steps) != sorted(set(steps)) or steps[0] < 0:
        raise RatingsError(f"fuse={','.join(map(str, steps))}: the steps must be whole numbers, rising")
    fused = {name: name for name in names}
    parsed = [match for name in fused if (match := _NUMBERED.fullmatch(name))]
    alike = Counter((match[1], match[3]) for match in parsed)
    least = min((step for step in steps if step > 0), default=0)
    for match in parsed:
        number = int(match[2])
        above = [step for step in steps if step >= number]
        if above and (alike[match[1], match[3]] > 1 or number >= least):
            fused[match[0]] = f"{match[1]}{above[0]}{match[3]}"
    return fused


def fused(games: pd.DataFrame, steps: Sequence[int]) -> tuple[pd.DataFrame, int]:
    """Fuse players that differ only in a number, such as the training steps of a network, to a few steps.

    Returns the games, and the number of games that became self-play and were dropped.
    """
    new_names = fused_names(players_of(games), steps)
    joined = games.assign(first=games["first"].map(new_names), second=games["second"].map(new_names))
    self_play = joined["first"] == joined["second"]
    return joined[~self_play].reset_index(drop=True), int(joined.loc[self_play, "count"].sum())
