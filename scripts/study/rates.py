"""Error rates of design points: the totals of a side's errors over its decisions."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats

KEY = ["match_length", "player", "opponent"]  # what names a design point


def influence(errors: Floats, counts: Floats) -> Floats:
    """Return each match's share of the error of a pooled rate, linearised (mean 0)."""
    return np.asarray((errors - counts * errors.sum() / counts.sum()) / counts.mean())


class Rate(NamedTuple):
    """Total of `errors` over total of `per`, counts of a side."""

    errors: tuple[str, ...]
    per: tuple[str, ...]

    def parts(self, matches: pd.DataFrame, side: str) -> tuple[Floats, Floats]:
        """Return one side's errors and counts of every match."""
        errors, counts = (
            np.sum([matches[f"{side}_{name}"].to_numpy(float) for name in names], axis=0)
            for names in (self.errors, self.per)
        )
        return errors, counts


RATES: dict[str, Rate] = {
    "epm": Rate(("chequer_error_emg",), ("unforced_moves",)),
    "epc": Rate(("cube_error_emg",), ("close_cube_decisions",)),
    "epc_2003": Rate(("cube_error_emg",), ("close_cube_decisions_2003",)),
    "cube_per_move": Rate(("cube_error_emg",), ("unforced_moves",)),
    "depd": Rate(("chequer_error_emg", "cube_error_emg"), ("unforced_moves", "close_cube_decisions")),
    "depd_2003": Rate(("chequer_error_emg", "cube_error_emg"), ("unforced_moves", "close_cube_decisions_2003")),
}
# The rates of the points table, which fits over design points use.
DEPD: dict[str, str] = {"today": "depd", "2003": "depd_2003"}  # both errors over both decisions, by count
PREDICTORS = ("epm", "epc", "epc_2003", "depd", "depd_2003", "cube_per_move")
