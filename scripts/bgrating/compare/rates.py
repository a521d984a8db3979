"""Error rates beyond those of the points table: the same errors over other counts, one row a design point."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating.model.cells import KEY


class Rate(NamedTuple):
    """Total of `errors` over total of `per`, both summed over a design point's matches.

    `per` names counts of a side, or `games` (of both), or is empty: per match.
    """

    errors: tuple[str, ...]
    per: tuple[str, ...]


RATES: dict[str, Rate] = {
    "epm": Rate(("chequer_error_emg",), ("unforced_moves",)),
    "epc": Rate(("cube_error_emg",), ("close_cube_decisions",)),
    "epc_2003": Rate(("cube_error_emg",), ("close_cube_decisions_2003",)),
    "depd": Rate(("chequer_error_emg", "cube_error_emg"), ("unforced_moves", "close_cube_decisions")),
    "cube_per_decision": Rate(("cube_error_emg",), ("total_cube_decisions",)),
    "cube_per_move": Rate(("cube_error_emg",), ("unforced_moves",)),
    "cube_per_game": Rate(("cube_error_emg",), ("games",)),
    "chequer_per_game": Rate(("chequer_error_emg",), ("games",)),
    "chequer_mwc": Rate(("chequer_error_mwc",), ()),
    "cube_mwc": Rate(("cube_error_mwc",), ()),
}


def totals(matches: pd.DataFrame) -> pd.DataFrame:
    """Sum every column of numbers over the matches of each design point (index KEY); `matches` counts them."""
    groups = matches.groupby(KEY, sort=True, observed=True)
    numbers = matches.select_dtypes("number").columns.difference(KEY)
    doubles = matches.astype(dict.fromkeys(numbers, np.float64)).groupby(KEY, sort=True, observed=True)
    return doubles[list(numbers)].sum().assign(matches=groups.size())


def differences(matches: pd.DataFrame) -> pd.DataFrame:
    """Give every rate of RATES as the player's less the opponent's, one row a design point (columns KEY and RATES)."""
    sums = totals(matches)
    table = pd.DataFrame({name: rate_of(sums, "player", r) - rate_of(sums, "opponent", r) for name, r in RATES.items()})
    return table.reset_index()


def rate_of(sums: pd.DataFrame, side: str, rate: Rate) -> "pd.Series[float]":
    """Give one side's rate for every row of `totals`; NaN where it had nothing to decide."""
    errors = sum((sums[f"{side}_{name}"] for name in rate.errors), start=pd.Series(0.0, index=sums.index))
    if not rate.per:
        return errors / sums["matches"]
    named = ["games" if name == "games" else f"{side}_{name}" for name in rate.per]
    counts = sum((sums[name] for name in named), start=pd.Series(0.0, index=sums.index))
    return errors / counts.replace(0.0, np.nan)
