"""The cost of errors, match by match: luck-adjusted results against the error rates of the same matches.

The expected luck-adjusted result of a match is P(R) - 1/2 (the FIBS formula). R is the sum of coefficients times
differences of error rates. Coefficients are fitted by least squares of single results; errors are robust to unequal
variances (HC1: MacKinnon and White, Journal of Econometrics 29 (1985) 305).
"""

import math
from dataclasses import dataclass

import numpy as np

from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.nearest import nearest

LEAST = 30
"""Matches below which nothing is fitted."""


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
