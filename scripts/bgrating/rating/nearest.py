"""Least squares in the chance of winning: the coefficients that come nearest to chances by the FIBS formula.

`fit` gives the cost of errors, match by match: luck-adjusted results against the error rates of the same matches. The
expected luck-adjusted result of a match is P(R) - 1/2 (the FIBS formula). R is the sum of coefficients times
differences of error rates. Errors are robust to unequal variances (HC1: MacKinnon and White, Journal of Econometrics 29
(1985) 305).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from bgrating import BgratingError
from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.intervals import CONFIDENCE, quantile

LEAST = 30
"""Matches below which nothing is fitted."""
STEPS = 1000  # evaluations after which a fit counts as failed; tens are usual


class ConvergenceError(BgratingError, RuntimeError):
    """The points determine the coefficients, but the fit did not converge."""


def nearest(
    design: Floats, match_length: ArrayLike, p: Floats, p_se: Floats, start: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients that come nearest to chances `p` by the FIBS formula, the deviations and their Jacobian.

    Levenberg and Marquardt's method compares sums of squares, which are equal for coefficients that differ in the
    eighth digit. Newton's steps follow for as long as each is less than half of the last. What is left is rounding.
    Raises ConvergenceError.
    """
    slope = log_odds_per_point(match_length)[..., None] * design

    def deviations(coefficients: Floats) -> Floats:
        return np.asarray((win_probability(design @ coefficients, match_length) - p) / p_se)

    def jacobian(coefficients: Floats) -> Floats:
        chance = win_probability(design @ coefficients, match_length)
        return np.asarray((chance * (1 - chance) / p_se)[:, None] * slope)

    def newton(coefficients: Floats) -> tuple[Floats, Floats, Floats]:
        off, slopes = deviations(coefficients), jacobian(coefficients)
        bend = off * (1 - 2 * win_probability(design @ coefficients, match_length))
        step = np.linalg.lstsq(slopes.T @ (slopes + bend[:, None] * slope), slopes.T @ off)[0]
        return off, slopes, np.asarray(step, dtype=float)

    result = least_squares(
        deviations, start, jacobian, method="lm", x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=STEPS
    )
    if not result.success:
        raise ConvergenceError(
            f"in the probability scale did not converge in {STEPS} steps: "
            "are there points with hardly any wins? More matches would settle it"
        )
    estimate, (off, slopes, step) = result.x, newton(result.x)
    while True:
        nearer = newton(estimate - step)
        if not np.linalg.norm(slopes @ nearer[2]) < np.linalg.norm(slopes @ step) / 2:
            return estimate, off, slopes
        estimate, (off, slopes, step) = estimate - step, nearer


@dataclass(frozen=True)
class ErrorCost:
    """Coefficients (usually of chequer play, then of the cube), their covariance, the number of results fitted."""

    estimate: Floats
    covariance: Floats
    matches: int

    def interval(self, term: int) -> tuple[float, float, float, float]:
        value, error = float(self.estimate[term]), math.sqrt(float(self.covariance[term, term]))
        half = quantile(CONFIDENCE, self.matches - len(self.estimate)) * error
        return value, error, value - half, value + half


def fit(result: Floats, lengths: Floats, design: Floats) -> ErrorCost:
    """Fit results (MWC less one half) through the FIBS formula; R is `design` (matches by terms) times coefficients.

    Raises ConvergenceError.
    """
    estimate, off, jacobian = nearest(design, lengths, result + 0.5, np.ones(len(result)), np.zeros(design.shape[1]))
    inverse = np.linalg.inv(jacobian.T @ jacobian)
    scores = jacobian * off[:, None]
    covariance = inverse @ (scores.T @ scores) @ inverse * len(result) / (len(result) - len(estimate))
    return ErrorCost(estimate, covariance, len(result))
