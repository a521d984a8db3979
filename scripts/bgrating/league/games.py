"""The table of games that every method rates: who met whom, in which seats, and how it ended.

Columns of a table of games: ratings/games of the data dictionary. The first player moves first where seats mean
anything; a score may be any number from 0 to 1 where a method takes it; games of one `pair` were played together.
"""

import bisect
import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgrating.league.settings import RatingsError
from bgrating.pages.words import short
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.dictionary import columns

GAMES = columns("ratings/games")
KNOWN = ["date", "length", "pair"]
FLAGGED = columns("ratings/flagged")
SELF_PLAY = "a player against itself: not rated"
NO_RESULT = "no result"
MOST = 10**12
"""Games that one row may count; a number of games stays exact far beyond it."""
MOST_TEXT = 500
"""Letters of a row that its flag shows."""

_NUMBERED = re.compile(r"([^\W\d]+)(\d+)((?:-.*)?)")

Rows = list[tuple[int, list[str]]]
"""Numbered rows of fields."""
Odd = list[tuple[int, str, bool, str]]
"""Rows to flag: number, reason, whether it counts all the same, text."""


@dataclass(frozen=True)
class GamesReading:
    """What a file of games holds: the games to rate, games of players against themselves, the rows that are odd.

    `seats` tells whether the first name moves first; `notes` are sentences on how the file was read.
    """

    games: pd.DataFrame
    self_play: pd.DataFrame
    flagged: pd.DataFrame
    seats: bool = True
    notes: tuple[str, ...] = ()


def name_of(text: str) -> str:
    """Return a name in the one way of writing it: single spaces, accents in their letters (NFC), controls escaped."""
    return escape_controls(unicodedata.normalize("NFC", " ".join(text.split())))


def safe_line(fields: Iterable[str], most: int = MOST_TEXT) -> str:
    """Return a row's fields, or words of a file, as one line that is safe to show."""
    return short(escape_controls(" ".join(" ".join(fields).split())), most)


def flags(rows: Iterable[tuple[int, str, bool, str]]) -> pd.DataFrame:
    """Make a table of flagged rows."""
    return pd.DataFrame(list(rows), columns=FLAGGED)


def checked(
    rows: pd.DataFrame, aliases: Mapping[str, str], *, escaped: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Part rows (the columns of games and `text`) into games that can be rated, games of self-play and flagged rows.

    Names are written in one way and replaced by what they are aliases of; `escaped` says that they come from a table of
    ours. Flagged are empty names, scores that are no number or outside 0 to 1, counts that are no whole number,
    negative or too large, and games of a player against itself. Rows with a count of 0 are none of these.
    """
    names = {text: name_of(text) for text in pd.unique(rows[["first", "second"]].to_numpy(object).ravel())}
    if escaped:
        names = {text: name.replace("\\\\", "\\") for text, name in names.items()}
    names = {text: aliases.get(name, name) for text, name in names.items()}
    rows = rows.assign(first=rows["first"].map(names), second=rows["second"].map(names))
    score, count = rows["first_score"].to_numpy(float), rows["count"].to_numpy(float)
    problems = [
        (((rows["first"] == "") | (rows["second"] == "")).to_numpy(), "a name is empty"),
        (np.isnan(score), "the score is not a number"),
        ((score < 0) | (score > 1), "the score is outside 0 to 1"),
        (~(np.isfinite(count) & (count >= 0) & (count == np.floor(count))), "the count is not a whole number"),
        (count > MOST, f"the count is more than {MOST:,} games"),
        ((rows["first"] == rows["second"]).to_numpy(), SELF_PLAY),
    ]
    reason = np.select([found for found, _ in problems], [words for _, words in problems], default="")
    bad = rows[reason != ""]
    flagged = flags(zip(bad["row"], reason[reason != ""], [False] * len(bad), bad["text"], strict=True))
    good, alone = (
        rows.loc[(reason == words) & (count > 0), [*GAMES, *(name for name in KNOWN if name in rows)]]
        .astype({"first": str, "second": str, "count": np.int64, "first_score": float})
        .reset_index(drop=True)
        for words in ("", SELF_PLAY)
    )
    return good, alone, flagged


def players_of(games: pd.DataFrame) -> list[str]:
    """Return the names of all players, sorted."""
    return sorted({*games["first"].unique(), *games["second"].unique()})


def require_players(names: Iterable[str], known: Sequence[str], setting: str) -> None:
    """Raise RatingsError for a name that no game has, with the names most like it."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=5, cutoff=0.4)
            hint = f"like it: {', '.join(near)}" if near else f"there are {len(known)} players"
            raise RatingsError(f"{setting}: no games of a player {name!r}; {hint}")


def indices(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of both players of every row in a list of players."""
    index = pd.Index(players)
    return index.get_indexer(pd.Index(games["first"])), index.get_indexer(pd.Index(games["second"]))


def both_seats(games: pd.DataFrame, *others: str) -> pd.DataFrame:
    """Write every game twice, once from each seat: `player`, `opponent`, and the other columns that are named."""
    seats = [games[[one, two, *others]] for one, two in (("first", "second"), ("second", "first"))]
    return pd.concat([seat.set_axis(["player", "opponent", *others], axis=1) for seat in seats])


def fused_names(names: Iterable[str], steps: Sequence[int]) -> dict[str, str]:
    """Map names such as azero12345 or azero12345-t1 to the first step at or above their number (azero20000).

    A number is a step where the same name stands with other numbers too, or where it reaches the least step above 0:
    the 2 of a lone minimax2 belongs to the name. Numbers beyond the last step, and other names, stay as they are.
    """
    if not steps or list(steps) != sorted(set(steps)) or steps[0] < 0:
        raise RatingsError(f"fuse={','.join(map(str, steps))}: the steps must be whole numbers, rising")
    names = list(names)
    parsed = {name: found for name in names if (found := _NUMBERED.fullmatch(name))}
    numbers: dict[tuple[str, str], set[int]] = {}
    for found in parsed.values():
        numbers.setdefault((found[1], found[3]), set()).add(int(found[2]))
    least = next((step for step in steps if step > 0), 0)
    answer = {name: name for name in names}
    for name, found in parsed.items():
        number = int(found[2])
        place = bisect.bisect_left(steps, number)
        if place < len(steps) and (len(numbers[found[1], found[3]]) > 1 or number >= least):
            answer[name] = f"{found[1]}{steps[place]}{found[3]}"
    return answer


def fused(games: pd.DataFrame, steps: Sequence[int]) -> tuple[pd.DataFrame, int]:
    """Fuse players that differ only in a number, such as the training steps of a network, to a few steps.

    Returns the table of games and how many became self-games and were dropped.
    """
    new = fused_names(set(games["first"]) | set(games["second"]), steps)
    joined = games.assign(first=games["first"].map(new), second=games["second"].map(new))
    alone = joined["first"] == joined["second"]
    return joined[~alone].reset_index(drop=True), int(joined.loc[alone, "count"].sum())
