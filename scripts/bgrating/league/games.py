"""The table of games that every method rates (columns ratings/games of the data dictionary).

The first player moves first if seats are known. A score may be any number from 0 to 1 if the method accepts it.
"""

import bisect
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

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
FLAGGED = columns("ratings/flagged")
SELF_PLAY = "a player against itself: not rated"
NO_RESULT = "no result"
UNUSED = "columns that are not used"
MOST = 10**12  # games that one row may count; floats count exactly far beyond it
MOST_TEXT = 500  # letters of a flagged row in flagged.csv

_NUMBERED = re.compile(r"([^\W\d]+)(\d+)((?:-.*)?)")


class Rows:
    """Numbered rows of fields, in ascending order. A field is kept once, however many rows have it.

    A list of a million matches repeats its names, dates and scores; as lists its rows took five times the memory.
    """

    def __init__(self, rows: Iterable[tuple[int, list[str]]] = ()) -> None:
        self._numbers, self._ends, self._codes = array("q"), array("q"), array("i")
        self._code_of: dict[str, int] = {}
        self._kinds: list[str] = []
        for number, fields in rows:
            self.append(number, fields)

    def append(self, number: int, fields: Iterable[str]) -> None:
        known = self._code_of
        self._codes.extend([known.setdefault(field, len(known)) for field in fields])
        self._ends.append(len(self._codes))
        self._numbers.append(number)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: int) -> tuple[int, list[str]]:
        place = range(len(self))[place]
        kinds, start = self._all_kinds(), self._ends[place - 1] if place else 0
        return self._numbers[place], [kinds[code] for code in self._codes[start : self._ends[place]]]

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return map(self.__getitem__, range(len(self)))

    @property
    def numbers(self) -> np.ndarray:
        return np.array(self._numbers, dtype=int)

    @property
    def widths(self) -> np.ndarray:
        return np.diff(np.array(self._ends, dtype=int), prepend=0)

    def only(self, places: np.ndarray) -> "Rows":
        rows, widths, ends = Rows(), self.widths[places], np.array(self._ends, dtype=int)[places]
        new_ends = widths.cumsum()
        taken = np.repeat(ends - new_ends, widths) + np.arange(int(widths.sum()))
        rows._codes.frombytes(np.frombuffer(self._codes, np.intc)[taken].tobytes() if len(taken) else b"")
        rows._ends.frombytes(new_ends.tobytes())
        rows._numbers.frombytes(self.numbers[places].tobytes())
        rows._code_of = self._code_of
        return rows

    def column(self, place: int, width: int) -> tuple[np.ndarray, list[str]]:
        """Return the fields of a column of rows that all have so many: a number for each row, and what it means."""
        codes, found = pd.factorize(np.array(self._codes, dtype=np.int32)[place::width])
        kinds = self._all_kinds()
        return codes.astype(np.int32), [kinds[code] for code in found]

    def _all_kinds(self) -> list[str]:
        if len(self._kinds) != len(self._code_of):
            self._kinds = list(self._code_of)
        return self._kinds


Odd = list[tuple[int, str, bool, str]]
"""Rows to flag: number, reason, whether the row is rated, text."""


@lru_cache(2**16)  # a long list repeats its names
def name_of(text: str) -> str:
    """Return a name in normal form: single spaces, composed accents (NFC), escaped control characters."""
    return escape_controls(unicodedata.normalize("NFC", " ".join(text.split())))


def safe_line(fields: Iterable[str], most: int = MOST_TEXT) -> str:
    return short(escape_controls(" ".join(" ".join(fields).split())), most)


def flags(rows: Iterable[tuple[int, str, bool, str]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=FLAGGED)


def checked(
    rows: pd.DataFrame, aliases: Mapping[str, str], *, escaped: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """Separate rows (the columns of games and `text`) into games to rate, games of self-play and flagged rows.

    The last are remarks on names (`persons`). Names are normalised and aliases replaced; `escaped` marks names from
    our own tables. It flags empty names, scores outside 0 to 1, wrong counts and self-play. A wrong count is
    fractional, negative or too large. Rows with a count of 0 are dropped.
    """
    texts = pd.unique(pd.concat([rows["first"], rows["second"]]))
    names = [name_of(text).replace("\\\\", "\\") if escaped else name_of(text) for text in texts]
    codes, found = pd.factorize(np.array(names, dtype=object))
    first, second = (codes[places] for places in indices(rows, texts))
    bearers, remarks = persons(_pairs(found.tolist(), first, second, aliases), aliases)
    bearer = np.array([bearers.get(name, name) for name in found], dtype=object)
    rows = rows.assign(first=bearer[first], second=bearer[second])
    score, count = rows["first_score"].to_numpy(float), rows["count"].to_numpy(float)
    problems = [
        (((rows["first"] == "") | (rows["second"] == "")).to_numpy(), "a name is empty"),
        (np.isnan(score), "the score is not a number"),
        ((score < 0) | (score > 1), "the score is outside 0 to 1"),
        (~(np.isfinite(count) & (count >= 0) & (count == np.floor(count))), "the count is not a whole number"),
        (count > MOST, f"the count is more than {MOST:,} games"),
        ((rows["first"] == rows["second"]).to_numpy(), SELF_PLAY),
    ]
    words = ["", *(words for _, words in problems)]
    reason = np.select([is_bad for is_bad, _ in problems], range(1, len(words)), default=0)
    bad = rows[reason > 0]
    texts = bad["text"] if "text" in bad else [""] * len(bad)
    reasons = [words[number] for number in reason[reason > 0]]
    flagged = flags(zip(bad["row"], reasons, [False] * len(bad), texts, strict=True))
    games, self_play = (
        rows.loc[(reason == number) & (count > 0), [*GAMES, *(name for name in KNOWN if name in rows)]]
        .astype({"first": str, "second": str, "count": np.int64, "first_score": float})
        .reset_index(drop=True)
        for number in (0, words.index(SELF_PLAY))
    )
    return games, self_play, flagged, remarks


def _pairs(
    names: Sequence[str], first: np.ndarray, second: np.ndarray, aliases: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    """Count who played whom, as `persons` asks: of names that no other is like, only how often they played at all."""
    letters = Counter(name.casefold() for name in {*names, *aliases, *aliases.values()})
    is_like = np.array([letters[name.casefold()] > 1 for name in names], dtype=bool)
    both = is_like[first] & is_like[second]
    pairs = Counter((names[one], names[other]) for one, other in zip(first[both], second[both], strict=True))
    places = np.concatenate([first[~both], second[~both & (first != second)]])
    for name, number in zip(names, np.bincount(places, minlength=len(names)).tolist(), strict=True):
        pairs[name, ""] += number
    return pairs


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
    numbers: dict[tuple[str, str], set[int]] = {}
    for match in parsed:
        numbers.setdefault((match[1], match[3]), set()).add(int(match[2]))
    least = next((step for step in steps if step > 0), 0)
    for match in parsed:
        number = int(match[2])
        place = bisect.bisect_left(steps, number)
        if place < len(steps) and (len(numbers[match[1], match[3]]) > 1 or number >= least):
            fused[match[0]] = f"{match[1]}{steps[place]}{match[3]}"
    return fused


def fused(games: pd.DataFrame, steps: Sequence[int]) -> tuple[pd.DataFrame, int]:
    """Fuse players that differ only in a number, such as the training steps of a network, to a few steps.

    Returns the games, and the number of games that became self-play and were dropped.
    """
    new_names = fused_names(players_of(games), steps)
    joined = games.assign(first=games["first"].map(new_names), second=games["second"].map(new_names))
    self_play = joined["first"] == joined["second"]
    return joined[~self_play].reset_index(drop=True), int(joined.loc[self_play, "count"].sum())
