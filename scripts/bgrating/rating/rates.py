"""Error rates: the catalogue of the counts that errors are divided by, with one name from table column to page.

A rate is a total of errors over a total of decisions. Cube errors may be divided by several counts (COUNTS). Tables and
formula files name the count in `epc_definition`; the name of its rate heads columns.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats

KEY = ["match_length", "player", "opponent"]  # what names a design point


def rate(errors: Floats, count: Floats) -> Floats:
    """Return errors per decision, 0 where there was nothing to decide."""
    return np.divide(errors, count, out=np.zeros_like(errors), where=count > 0)


def influence(errors: Floats, counts: Floats) -> Floats:
    """Return each match's share of the error of a pooled rate, linearised (mean 0)."""
    return np.asarray((errors - counts * errors.sum() / counts.sum()) / counts.mean())


class Rate(NamedTuple):
    """Total of `errors` over total of `per`: counts of a side, or `games` (of both), or none: per match."""

    errors: tuple[str, ...]
    per: tuple[str, ...]

    def parts(self, table: Mapping[str, Any] | pd.DataFrame, side: str) -> tuple[Floats, Floats]:
        """Return one side's errors and what they are divided by, for every row of a table."""
        counted = [name if name in WHOLE else f"{side}_{name}" for name in self.per or ("matches",)]
        errors = [np.asarray(table[f"{side}_{name}"], dtype=float) for name in self.errors]
        return np.sum(errors, axis=0), np.sum([np.asarray(table[name], dtype=float) for name in counted], axis=0)

    def of(self, table: pd.DataFrame, side: str) -> Floats:
        """Return one side's rate for every row of a table; NaN where there was nothing to decide."""
        errors, counts = self.parts(table, side)
        return np.asarray(np.divide(errors, counts, out=np.full(len(table), np.nan), where=counts > 0))

    def influence(self, table: pd.DataFrame) -> Floats:
        """Return each match's share of the error of the difference of pooled rates, player less opponent."""
        table = table.assign(matches=1)
        return influence(*self.parts(table, "player")) - influence(*self.parts(table, "opponent"))


WHOLE = ("games", "matches")  # counts that both sides share
RATES: dict[str, Rate] = {
    "epm": Rate(("chequer_error_emg",), ("unforced_moves",)),
    "epc": Rate(("cube_error_emg",), ("close_cube_decisions",)),
    "epc_2003": Rate(("cube_error_emg",), ("close_cube_decisions_2003",)),
    "cube_per_decision": Rate(("cube_error_emg",), ("total_cube_decisions",)),
    "cube_per_move": Rate(("cube_error_emg",), ("unforced_moves",)),
    "cube_per_game": Rate(("cube_error_emg",), ("games",)),
    "depd": Rate(("chequer_error_emg", "cube_error_emg"), ("unforced_moves", "close_cube_decisions")),
    "depd_2003": Rate(("chequer_error_emg", "cube_error_emg"), ("unforced_moves", "close_cube_decisions_2003")),
    "chequer_games": Rate(("chequer_error_emg",), ("games",)),
    "chequer_match": Rate(("chequer_error_emg",), ()),
    "chequer_mwc": Rate(("chequer_error_mwc",), ()),
    "cube_mwc": Rate(("cube_error_mwc",), ()),
}
# The rates of the points table, which fits over design points use.
DEPD: dict[str, str] = {"today": "depd", "2003": "depd_2003"}  # both errors over both decisions, by count
PREDICTORS = ("epm", "epc", "epc_2003", "depd", "depd_2003", "cube_per_decision", "cube_per_move")


class Count(NamedTuple):
    """A count that cube errors are divided by: its rate in RATES, a short description and a sentence."""

    rate: str
    short: str
    words: str

    @property
    def per(self) -> str:
        return RATES[self.rate].per[0]


COUNTS: dict[str, Count] = {
    "today": Count(
        "epc", "per close cube decision (EPC)",
        "EPC is cube error per close or actual cube decision, as gnubg counts them today",
    ),
    "2003": Count(
        "epc_2003", "per close cube decision by the rule of 2003",
        "EPC is cube error per close or actual cube decision by the rule of 2003",
    ),
    "every": Count(
        "cube_per_decision", "per cube decision, close or not",
        "EPC is cube error per cube decision with access to a live cube, close or not (total cube decisions)",
    ),
    "moves": Count(
        "cube_per_move", "per unforced move", "The cube error is divided by unforced moves, as EPM is"
    ),
    "games": Count("cube_per_game", "per game", "The cube error is divided by the games of the match"),
}  # fmt: skip


def count(name: str) -> Count:
    """Return a count by its name. Raises KeyError naming those that there are."""
    if name not in COUNTS:
        raise KeyError(f"no count of cube decisions {name!r}; there are {', '.join(COUNTS)}")
    return COUNTS[name]


def totals(matches: pd.DataFrame) -> pd.DataFrame:
    """Return every column of numbers added up over the matches of each design point (index KEY), and `matches`."""
    numbers = matches.select_dtypes("number").columns.difference(KEY)
    doubles = matches.astype(dict.fromkeys(numbers, np.float64)).groupby(KEY, sort=True, observed=True)
    return doubles[list(numbers)].sum().assign(matches=doubles.size())


def differences(matches: pd.DataFrame) -> pd.DataFrame:
    """Return every rate of RATES as the player's less the opponent's, one row per design point (KEY and RATES)."""
    sums = totals(matches)
    rates = {name: pooled.of(sums, "player") - pooled.of(sums, "opponent") for name, pooled in RATES.items()}
    return pd.DataFrame(rates, index=sums.index).reset_index()
