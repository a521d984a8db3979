"""What an error costs, match by match: luck-adjusted results against the error rates of the same matches.

The expected luck-adjusted result of a match is taken as P(R) - 1/2 (the FIBS formula), R the sum of coefficients times
differences of error rates. Coefficients are fitted by least squares of single results; errors are robust to unequal
variances (HC1: MacKinnon and White, Journal of Econometrics 29 (1985) 305).
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize

from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.nearest import ConvergenceError, nearest
from bgrating.rating.pairs import column, rate_differences

LEAST = 30
"""Matches below which nothing is fitted."""
CLOSE = ("today", "2003")
"""The counts of cube decisions that the published b is for."""


@dataclass(frozen=True)
class ErrorCost:
    """Coefficients (usually of chequer play, then of the cube), their covariance, the number of results behind them."""

    estimate: Floats
    covariance: Floats
    matches: int

    def interval(self, term: int) -> tuple[float, float, float, float]:
        """Return a coefficient, its standard error and the ends of its interval (Student's t)."""
        value, error = float(self.estimate[term]), math.sqrt(float(self.covariance[term, term]))
        half = quantile(CONFIDENCE, self.matches - len(self.estimate)) * error
        return value, error, value - half, value + half


def fit(result: Floats, lengths: Floats, design: Floats, weights: Floats | None = None) -> ErrorCost:
    """Fit results (MWC less one half) through the FIBS formula; R is `design` (matches by terms) times coefficients.

    Raises ConvergenceError.
    """
    spread = np.ones(len(result)) if weights is None else np.sqrt(weights.mean() / weights)
    start = np.zeros(design.shape[1])
    estimate, off, jacobian = nearest(design, lengths, result + 0.5, spread, start)
    inverse = np.linalg.inv(jacobian.T @ jacobian)
    scores = jacobian * off[:, None]
    covariance = inverse @ (scores.T @ scores) @ inverse * len(result) / (len(result) - len(estimate))
    return ErrorCost(estimate, covariance, len(result))


def fit_instrumented(result: Floats, lengths: Floats, difference: Floats, instrument: Floats) -> ErrorCost:
    """Fit results (MWC less one half) to a multiple of rating differences, by an instrument instead of least squares.

    The multiple k solves sum of s z (result + 1/2 - P(k x)) = 0, with x the differences by the errors of the same
    matches, z those by the errors of other matches, s the log odds of a rating point. The chances of a match move its
    own errors, which dilutes least squares; they do not move those of other matches. Errors are robust to unequal
    variances.
    Raises ConvergenceError where no k between -5 and 10 solves it.
    """
    weight = log_odds_per_point(lengths) * instrument

    def moment(multiple: float) -> float:
        return float(weight @ (result + 0.5 - win_probability(multiple * difference, lengths)))

    if moment(-5.0) * moment(10.0) >= 0:
        raise ConvergenceError("no multiple of the rating differences fits the results")
    multiple = float(optimize.brentq(moment, -5.0, 10.0))
    chance = win_probability(multiple * difference, lengths)
    off = weight * (result + 0.5 - chance)
    slope = float(weight @ (log_odds_per_point(lengths) * chance * (1 - chance) * difference))
    variance = float(off @ off) / slope**2 * len(result) / (len(result) - 1)
    return ErrorCost(np.array([multiple]), np.array([[variance]]), len(result))


def fit_matches(table: pd.DataFrame, count: str, formula: RatingFormula) -> ErrorCost:
    """Fit the single matches of a table of pairs; coefficients are multiples of `_units`."""
    lengths = column(table, "match_length")
    design = rate_differences(table, count) * _units(formula, lengths, count)
    return fit(column(table, "luck_adjusted_result"), lengths, design)


def fit_players(table: pd.DataFrame, count: str, formula: RatingFormula) -> ErrorCost:
    """Fit mean results of pairs of players to their pooled error rates, pairs at a length weighted by their matches.

    That is what the published method does with simulated matches, whose players meet often: strengths, not single
    matches, against results.
    """
    keys = ["match_length", "player", "opponent"]
    numbers = table.select_dtypes("number").columns.difference(keys)
    groups = table.groupby(keys, observed=True)
    sums = groups[list(numbers)].sum().reset_index()
    size = np.asarray(groups.size(), dtype=np.float64)
    lengths = column(sums, "match_length")
    design = rate_differences(sums, count) * _units(formula, lengths, count)
    return fit(column(sums, "luck_adjusted_result") / size, lengths, design, size)


def _units(formula: RatingFormula, lengths: Floats, count: str) -> Floats:
    """Return what a coefficient of 1 stands for at each match length, matches by two: points per EMG.

    a2(N) and b(N) of the formula; 1 where it has no b for cube errors over this count.
    """
    a2, b = (formula.coefficient(name, lengths)[0] for name in ("a2", "b"))
    return np.column_stack([a2, b if count in CLOSE else np.ones(len(lengths))])


def quotient_interval(above: float, above_se: float, below: float, below_se: float) -> tuple[float, float]:
    """Return the interval of a quotient of independent estimates; NaN where the lower one may be nothing.

    Source: Fieller, Journal of the Royal Statistical Society B 16 (1954) 175, with the normal distribution.
    """
    z2 = quantile(CONFIDENCE) ** 2
    a, b, c = below**2 - z2 * below_se**2, above * below, above**2 - z2 * above_se**2
    if a <= 0:
        return math.nan, math.nan
    root = math.sqrt(max(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a
