"""A study's matches as cells, one per design point, and estimators of a player's match-winning chance from them.

An estimator takes results and luck as arrays over matches. It returns the chance, its standard error and degrees of
freedom. Results and luck are match-winning chances; results are measured from one half.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.play.matches import SIDES
from bgrating.rating.fibs import Floats
from study.rates import KEY, RATES, influence

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
    return Chance(float(values.mean()) + 0.5, float(np.sqrt(values.var(ddof=1 + fitted) / len(values))), dof)


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
    if np.isnan(results.player_luck).any():
        return Chance(np.nan, np.nan, 0)
    try:
        return _mean_chance(adjusted_results(results), fitted=2)
    except NothingToFitError:
        return Chance(float(results.actual.mean()) + 0.5, np.nan, len(results.actual) - 3)


def adjusted_results(results: Results) -> Floats:
    """Return each match's result less both players' luck, by coefficients fitted to the other matches.

    Regression of the actual result on the two lucks. Each match is adjusted with coefficients fitted without it (exact
    leave-one-out from the hat matrix). They are independent of its luck, so the mean stays unbiased. Raises
    NothingToFitError where the matches do not determine them. Source: Lavenberg and Welch, Management Science 27 (1981)
    322, with the leave-one-out identity of least squares.
    """
    design = np.column_stack([np.ones(len(results.actual)), results.player_luck, results.opponent_luck])
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


ESTIMATORS: dict[str, Callable[[Results], Chance]] = {
    "luck-adjusted": luck_adjusted,
    "control-variate": control_variate,
    "actual": actual,
}
RESULT_COLUMNS = ["actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]


@dataclass(frozen=True)
class PointMatches:
    """The matches of one design point, one array entry per match; `rates`: errors and counts of both sides by RATES."""

    match_length: int
    player: str
    opponent: str
    chequer_noise: float
    cube_noise: float
    results: Results
    rates: dict[str, dict[str, tuple[Floats, Floats]]]

    @property
    def n_matches(self) -> int:
        return len(self.results.actual)

    def difference(self, name: str) -> float:
        """Return the player's pooled error rate less the opponent's: EMG per decision, NaN without decisions."""
        (errors, counts), (their_errors, their_counts) = self.rates[name].values()
        if counts.sum() == 0 or their_counts.sum() == 0:
            return float("nan")
        return float(errors.sum() / counts.sum() - their_errors.sum() / their_counts.sum())

    def influence(self, name: str) -> Floats:
        """Return each match's share of the error of `difference`, linearised."""
        player, opponent = self.rates[name].values()
        return influence(*player) - influence(*opponent)


def cells(matches: pd.DataFrame) -> list[PointMatches]:
    """Return the design points of a match table (columns of the data dictionary, one row per match)."""
    # gnubg counts results among the luck, so that a match analysed without luck has none.
    ahead = (matches["player_score"].astype(float) - matches["opponent_score"]).clip(-0.5, 0.5)
    matches = matches.assign(actual_result=matches["actual_result"].fillna(ahead))
    groups = cast(Any, matches.groupby(KEY, sort=True, observed=True))
    found = [_cell((int(n), str(player), str(opponent)), rows) for (n, player, opponent), rows in groups]
    return sorted(found, key=lambda c: (c.match_length, c.chequer_noise, c.cube_noise, c.player, c.opponent))


def _cell(key: tuple[int, str, str], rows: pd.DataFrame) -> PointMatches:
    # As they were written: a float32 0.02 is 0.02, not 0.0199999996.
    chequer, cube = (float(str(rows[name].iloc[0])) for name in ("chequer_noise", "cube_noise"))
    return PointMatches(
        *key,
        chequer_noise=chequer,
        cube_noise=cube,
        results=Results(*(rows[name].to_numpy(dtype=np.float64) for name in RESULT_COLUMNS)),
        rates={name: {side: rate.parts(rows, side) for side in SIDES} for name, rate in RATES.items()},
    )
