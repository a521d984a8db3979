"""A study's matches grouped by design point, and estimators of a player's match-winning chance from
them.

An estimator takes results and luck as arrays over matches. It returns the chance, its standard
error and degrees of freedom. Results and luck are match-winning chances; results are measured from
one half.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.play.match_tables import SIDES
from bgrating.rating.fibs_formula import Floats
from study.error_rates import AVERAGED, RATES, averaged, influence, sums

# A smaller spread of results is a rounding error of gnubg's single precision.
FLAT = 1e-6


class NothingToFitError(BgratingError, ValueError):
    """The matches of a design point do not determine how much of a result was luck."""


class Results(NamedTuple):
    """The input of an estimator: four arrays with one entry per match."""

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
    """Return the mean of per-match values plus one half.

    `fitted` other coefficients took degrees of freedom too.
    """
    dof = len(values) - 1 - fitted
    if dof < 1:
        error = np.nan
    elif np.ptp(values) < FLAT:
        error = 0.0
    else:
        error = float(np.sqrt(values.var(ddof=1 + fitted) / len(values)))
    return Chance(float(values.mean()) + 0.5, error, dof)


def actual(results: Results) -> Chance:
    """Return the share of matches won.

    Its interval by Student's t covers too seldom when wins are few (a tenth of sixty matches, say).
    """
    return _mean_chance(results.actual)


def luck_adjusted(results: Results) -> Chance:
    """Return the mean luck-adjusted result, as published in 2003."""
    return _mean_chance(results.luck_adjusted)


def control_variate(results: Results) -> Chance:
    """Return the mean result less both players' luck, with coefficients fitted to the matches (luck
    has mean zero).

    Fewer than five matches, equal results or constant luck determine no coefficients. Then the
    chance is the share of matches won and its standard error NaN. If the luck was not analysed,
    both are NaN.
    """
    if np.isnan(results.player_luck).any():
        return Chance(np.nan, np.nan, 0)
    try:
        return _mean_chance(adjusted_results(results), fitted=2)
    except NothingToFitError:
        return Chance(float(results.actual.mean()) + 0.5, np.nan, len(results.actual) - 3)


def adjusted_results(results: Results) -> Floats:
    """Return each match's result less both players' luck, by coefficients fitted to the other
    matches.

    The actual result is regressed on the two lucks. Each match is adjusted with coefficients fitted
    without it (exact leave-one-out from the hat matrix). Its result less both lucks is their
    constant plus its residual. They are independent of its luck, so the mean stays unbiased. Raises
    NothingToFitError if the matches do not determine them. Source: Lavenberg and Welch, Management
    Science 27 (1981) 322, with the leave-one-out identity of least squares.
    """
    design = np.column_stack(
        [np.ones(len(results.actual)), results.player_luck, results.opponent_luck]
    )
    if (
        len(design) < 5
        or np.ptp(results.actual) < FLAT
        or np.linalg.matrix_rank(design) < design.shape[1]
    ):
        raise NothingToFitError(
            "fewer than five matches, results all alike, or luck that does not vary"
        )
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ (design.T @ results.actual)
    influence = design @ inverse
    leverage = np.einsum("ij,ij->i", influence, design)
    if leverage.max() > 1 - 1e-9:
        raise NothingToFitError("one match alone carries a coefficient: without it there is none")
    residual_without = (results.actual - design @ coefficients) / (1 - leverage)
    constant_without = coefficients[0] - influence[:, 0] * residual_without
    return np.asarray(constant_without + residual_without)


ESTIMATORS: dict[str, Callable[[Results], Chance]] = {
    "luck-adjusted": luck_adjusted,
    "control-variate": control_variate,
    "actual": actual,
}
# The columns that identify a cell, and fields of PointMatches.
KEY = ["match_length", "chequer_noise", "cube_noise", "player", "opponent"]
RESULT_COLUMNS = ["actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]


@dataclass(frozen=True)
class PointMatches:
    """The matches of one design point, one array entry per match.

    `rates` has for each rate of RATES and each side the errors and the decisions.
    """

    match_length: int
    chequer_noise: float
    cube_noise: float
    player: str
    opponent: str
    results: Results
    rates: dict[str, dict[str, tuple[Floats, Floats]]]

    @property
    def n_matches(self) -> int:
        return len(self.results.actual)

    def difference(self, name: str) -> float:
        """Return the player's pooled error rate less the opponent's.

        It is in EMG per decision, and NaN without decisions.
        """
        totals = np.array([np.sum(side, axis=1) for side in self.rates[name].values()])
        if not totals[:, 1].all():
            return float("nan")
        player, opponent = totals[:, 0] / totals[:, 1]
        return float(player - opponent)

    def averaged_difference(self, name: str) -> float:
        """Return the mean of the player's error rates in all matches less the opponent's.

        `name` is one of AVERAGED.
        """
        player, opponent = (averaged(*side) for side in self.rates[AVERAGED[name]].values())
        return player - opponent

    def influence(self, name: str) -> Floats:
        """Return the influence of each match on `difference`, linearised."""
        player, opponent = self.rates[name].values()
        return influence(*player) - influence(*opponent)


def cells(matches: pd.DataFrame) -> list[PointMatches]:
    """Return the design points of a match table (columns of the data dictionary, one row per
    match).
    """
    # gnubg reports the result with the luck, so a match analysed without luck has no result.
    ahead = (matches["player_score"].astype(float) - matches["opponent_score"]).clip(-0.5, 0.5)
    matches = matches.assign(actual_result=matches["actual_result"].fillna(ahead))
    groups = matches.groupby(KEY, observed=True, dropna=False)
    return [_cell(key, rows) for key, rows in groups]


def _cell(key: Any, rows: pd.DataFrame) -> PointMatches:
    rates = {}
    for name, (errors, decisions) in RATES.items():
        rates[name] = {
            side: (sums(rows, side, errors), sums(rows, side, decisions)) for side in SIDES
        }
    results = Results(*rows[RESULT_COLUMNS].to_numpy(float).T)
    return PointMatches(**dict(zip(KEY, key, strict=True)), results=results, rates=rates)
