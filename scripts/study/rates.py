"""Error rates of design points: the totals of a side's errors over its decisions, and their differences."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats

WHOLE = ("games", "matches")  # counts that both sides share
KEY = ["match_length", "player", "opponent"]  # what names a design point


def influence(errors: Floats, counts: Floats) -> Floats:
    """Return each match's share of the error of a pooled rate, linearised (mean 0)."""
    return np.asarray((errors - counts * errors.sum() / counts.sum()) / counts.mean())


class Rate(NamedTuple):
    """Total of `errors` over total of `per`: counts of a side, or `games` (of both), or none: per match."""

    errors: tuple[str, ...]
    per: tuple[str, ...]

    def parts(self, table: Mapping[str, Any] | pd.DataFrame, side: str) -> tuple[Floats, Floats]:
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
}
# The rates of the points table, which fits over design points use.
DEPD: dict[str, str] = {"today": "depd", "2003": "depd_2003"}  # both errors over both decisions, by count
PREDICTORS = ("epm", "epc", "epc_2003", "depd", "depd_2003", "cube_per_decision", "cube_per_move")


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
