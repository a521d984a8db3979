"""Estimators of a player's match-winning chance from the matches of one design point.

Each takes results and luck as arrays over matches. It returns the chance, its standard error and degrees of freedom.
Results and luck are match-winning chances; results are measured from one half.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bgrating import BgratingError
from bgrating.rating.fibs import Floats

# A spread of results or errors below this is the noise of gnubg's single precision.
FLAT = 1e-6


class NothingToFitError(BgratingError, ValueError):
    """The matches of a design point do not determine how much of a result was luck."""


class Results(NamedTuple):
    """What an estimator may use: four arrays with one entry per match."""

    actual: Floats
    luck_adjusted: Floats
    player_luck: Floats
    opponent_luck: Floats


class Chance(NamedTuple):
    """A match-winning chance with its standard error (NaN where unknown) and degrees of freedom."""

    p: float
    se: float
    dof: int


def _mean_chance(values: Floats, fitted: int = 0) -> Chance:
    """Mean of per-match values plus one half; `fitted` coefficients were spent besides the mean."""
    dof = len(values) - 1 - fitted
    if dof < 1:
        return Chance(float(values.mean()) + 0.5, np.nan, dof)
    if np.ptp(values) < FLAT:
        return Chance(float(values.mean()) + 0.5, 0.0, dof)
    deviations = values - values.mean()
    variance = float(deviations @ deviations) / dof
    return Chance(float(values.mean()) + 0.5, float(np.sqrt(variance / len(values))), dof)


def actual(results: Results) -> Chance:
    """Plain share of matches won.

    Its interval by Student's t covers too seldom where wins are few (a tenth of sixty matches, say).
    """
    return _mean_chance(results.actual)


def luck_adjusted(results: Results) -> Chance:
    """Mean luck-adjusted result, as published in 2003."""
    return _mean_chance(results.luck_adjusted)


def control_variate(results: Results) -> Chance:
    """Mean result less both players' luck, with coefficients fitted to the matches (luck has mean zero).

    Nothing can be fitted with fewer than five matches, equal results, or constant luck. Then the chance is the plain
    one and its standard error NaN. Without luck in the matches both are NaN.
    """
    design = _luck_design(results)
    if not np.all(np.isfinite(design)):
        return Chance(np.nan, np.nan, 0)
    try:
        return _mean_chance(adjusted_results(results), fitted=2)
    except NothingToFitError:
        return Chance(float(results.actual.mean()) + 0.5, np.nan, len(design) - design.shape[1])


def adjusted_results(results: Results) -> Floats:
    """Return each match's result less both players' luck, by coefficients fitted to the other matches.

    Regression of the actual result on the two lucks. Each match is adjusted with coefficients fitted without it (exact
    leave-one-out from the hat matrix). They are independent of its luck, so the mean stays unbiased. Raises
    NothingToFitError where the matches do not determine them. Source: Lavenberg and Welch, Management Science 27 (1981)
    322, with the leave-one-out identity of least squares.
    """
    design = _luck_design(results)
    if len(design) < 5 or np.ptp(results.actual) < FLAT or np.linalg.matrix_rank(design) < design.shape[1]:
        raise NothingToFitError("fewer than five matches, results all alike, or luck that does not vary")
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ (design.T @ results.actual)
    influence = design @ inverse
    leverage = np.einsum("ij,ij->i", influence, design)
    if leverage.max() > 1 - 1e-9:
        raise NothingToFitError("one match alone carries a coefficient: without it there is none")
    residual_without = (results.actual - design @ coefficients) / (1 - leverage)
    without = coefficients - influence * residual_without[:, None]
    return np.asarray(results.actual - np.einsum("ij,ij->i", design[:, 1:], without[:, 1:]))


def _luck_design(results: Results) -> Floats:
    return np.column_stack([np.ones(len(results.actual)), results.player_luck, results.opponent_luck])


ESTIMATORS: dict[str, Callable[[Results], Chance]] = {
    "luck-adjusted": luck_adjusted,
    "control-variate": control_variate,
    "actual": actual,
}
