"""Error rates of design points, by totals or averaged over matches, and ratios of sums with their
errors.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile

# The error rates of the points table: the columns of errors and of decisions that are added up.
RATES = {
    "epm": (["chequer_error_emg"], ["unforced_moves"]),
    "epc": (["cube_error_emg"], ["close_cube_decisions"]),
    "epc_2003": (["cube_error_emg"], ["close_cube_decisions_2003"]),
    "cube_per_move": (["cube_error_emg"], ["unforced_moves"]),
    "depd": (["chequer_error_emg", "cube_error_emg"], ["unforced_moves", "close_cube_decisions"]),
    "depd_2003": (
        ["chequer_error_emg", "cube_error_emg"],
        ["unforced_moves", "close_cube_decisions_2003"],
    ),
}
# Rates of the study of 2003, as its words are understood: the mean of the rates of all matches.
# "For each set of 500 matches the EPM and EPC were averaged." A sum of errors over a sum of
# decisions is another quantity.
AVERAGED = {f"{rate}_averaged": rate for rate in ("epm", "epc_2003", "depd_2003")}


def sums(matches: pd.DataFrame, side: str, names: Sequence[str]) -> Floats:
    """Return the sum of several columns of one side in every match."""
    return np.asarray(matches[[f"{side}_{name}" for name in names]].to_numpy(float).sum(axis=1))


def averaged(errors: Floats, decisions: Floats) -> float:
    """Return the mean of the error rates of matches.

    A match without a decision counts as 0, as gnubg reports it.
    """
    return float(np.mean(errors / np.maximum(decisions, 1)))


def influence(errors: Floats, decisions: Floats) -> Floats:
    """Return the influence of each match on a pooled rate, linearised (mean 0)."""
    return np.asarray((errors - decisions * errors.sum() / decisions.sum()) / decisions.mean())


def ratio(above: Floats, below: Floats) -> Json:
    """Return the ratio of two sums over independent units, with the interval of leaving out one
    unit at a time.

    `largest_share` is that of the unit with most weight in the lower sum. The interval is Student's
    t, NaN with one unit.
    """
    units = len(below)
    factor = float(above.sum() / below.sum())
    without = (above.sum() - above) / (below.sum() - below) if units > 1 else np.full(1, np.nan)
    error = float(np.sqrt((units - 1) * np.mean((without - without.mean()) ** 2)))
    half = error * quantile(CONFIDENCE, units - 1) if units > 1 else np.nan
    return {
        "factor": factor,
        "std_error": error,
        "ci_low": factor - half,
        "ci_high": factor + half,
        "confidence": CONFIDENCE,
        "largest_share": float(below.max() / below.sum()),
    }
