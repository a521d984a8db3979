"""The binomial regression that fits scores: its coordinates, and its maximum of likelihood to rounding.

The logit of a row is s (seat b + differences · beta). What is fitted must be linear in it: with one anchor or none
these are points (b, and the scores but one); with several anchors they are the slope s, s b, and the free scores times
s, and the scores follow by division, their variances by the delta method.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from bgrating.league.games import RatingsError

STEPS = 200
_ALIKE = 1e-8  # change of a logit; Newton's error is its square
_ROUNDING = 1e-6
_FARTHEST = 5.0  # a logit changes no more in a step: conjugate gradients err where counts differ by many orders


@dataclass(frozen=True)
class Estimate:
    """Scores with their covariance, the bias and the slope s of the logit per point, each with its standard error."""

    scores: np.ndarray
    covariance: np.ndarray
    bias: float
    bias_se: float
    slope: float
    slope_se: float


@dataclass(frozen=True)
class Coordinates:
    """`design(differences, seats)` gives the matrix of a regression, `decode` reads its result."""

    design: Callable[[csr_array, np.ndarray], csr_array]
    decode: Callable[[np.ndarray, np.ndarray], Estimate]


def from_mean(covariance: np.ndarray) -> np.ndarray:
    """Return the covariance of the distances from the mean of all."""
    shared = covariance.mean(axis=0)
    return np.asarray(covariance - shared[:, None] - shared[None, :] + shared.mean())


def floating(
    names: Sequence[str], anchors: Mapping[str, float], slope: float, mean: float, *, bias: bool
) -> Coordinates:
    """Return the coordinates for a fixed slope and one anchor, or none: then the scores have a given mean."""
    held = list(names).index(next(iter(anchors))) if anchors else 0
    free = np.delete(np.arange(len(names)), held)
    lead = 1 if bias else 0

    def design(differences: csr_array, seats: np.ndarray) -> csr_array:
        columns = [csr_array(seats[:, None])] * lead + [differences[:, free]]
        return csr_array(slope * hstack(columns))

    def decode(values: np.ndarray, covariance: np.ndarray) -> Estimate:
        scores, spread = np.zeros(len(names)), np.zeros((len(names), len(names)))
        scores[free], spread[np.ix_(free, free)] = values[lead:], covariance[lead:, lead:]
        level = next(iter(anchors.values())) if anchors else mean - scores.mean()
        return Estimate(
            level + scores,
            spread if anchors else from_mean(spread),
            float(values[0]) if bias else 0.0,
            float(np.sqrt(covariance[0, 0])) if bias else 0.0,
            slope,
            0.0,
        )

    return Coordinates(design, decode)


def anchored(names: Sequence[str], anchors: Mapping[str, float], *, bias: bool) -> Coordinates:
    """Return the coordinates for several anchors, between which the slope is fitted."""
    base = next(iter(anchors.values()))
    level = np.array([anchors.get(name, base) - base for name in names])
    free = np.array([i for i, name in enumerate(names) if name not in anchors], dtype=int)
    lead = 2 if bias else 1

    def design(differences: csr_array, seats: np.ndarray) -> csr_array:
        columns = [differences @ level] + [seats] * (lead - 1)
        return csr_array(hstack([csr_array(np.stack(columns, axis=1)), differences[:, free]]))

    def decode(values: np.ndarray, covariance: np.ndarray) -> Estimate:
        slope = values[0]
        scores = base + level
        scores[free] += values[lead:] / slope
        gradient = np.zeros((len(names), len(values)))
        gradient[free, lead + np.arange(len(free))] = 1 / slope
        gradient[free, 0] = -values[lead:] / slope**2
        bias_value, bias_gradient = 0.0, np.zeros(len(values))
        if bias:
            bias_value = float(values[1] / slope)
            bias_gradient[:2] = -values[1] / slope**2, 1 / slope
        return Estimate(
            scores,
            gradient @ covariance @ gradient.T,
            bias_value,
            float(np.sqrt(bias_gradient @ covariance @ bias_gradient)),
            float(slope),
            float(np.sqrt(covariance[0, 0])),
        )

    return Coordinates(design, decode)


def maximum_likelihood(
    matrix: csr_array, successes: np.ndarray, failures: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit a binomial regression with the logistic link by Newton's method, to rounding.

    Returns the estimate, its covariance (the inverse of the information) and the fitted chance of every row. Steps are
    solved by conjugate gradients, since the design of 5,000 players is sparse and its information is not; the last one
    is exact. Raises RatingsError without convergence.
    """
    count, squares = successes + failures, matrix.power(2).T
    estimate, logit = np.zeros(matrix.shape[1]), np.zeros(len(count))

    def moved(step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        step = step * min(1.0, _FARTHEST / max(np.abs(matrix @ step).max(), _ALIKE))
        change = matrix @ step
        # Far from the maximum a whole step may lead further away.
        least = _log_likelihood(logit, successes, failures) - _ROUNDING
        while _log_likelihood(logit + change, successes, failures) < least:
            step, change = step / 2, change / 2
        return step, change

    for _ in range(STEPS):
        weight, gradient = count * expit(logit) * expit(-logit), _gradient(matrix, logit, successes, failures)
        information = LinearOperator(
            (len(estimate), len(estimate)), matvec=lambda v, w=weight: matrix.T @ (w * (matrix @ v)), dtype=float
        )
        scale = LinearOperator(information.shape, matvec=lambda v, d=squares @ weight: v / d, dtype=float)
        step, change = moved(cg(information, gradient, rtol=_ALIKE, M=scale)[0])
        estimate, logit = estimate + step, logit + change
        if np.abs(change).max() < _ALIKE:
            factor = cho_factor(_information(matrix, count * expit(logit) * expit(-logit)), overwrite_a=True)
            step = cho_solve(factor, _gradient(matrix, logit, successes, failures))
            if np.abs(matrix @ step).max() < 1e-4:
                covariance = cho_solve(factor, np.eye(len(estimate)), overwrite_b=True)
                return estimate + step, covariance, expit(logit + matrix @ step)
            estimate, logit = estimate + step, logit + matrix @ step
    raise RatingsError(
        f"the fit of the logistic ratings does not converge: counts of {count.min():,.0f} to {count.max():,.0f} games. "
        f"Leave the rows with the largest out, or name other methods (method=)"
    )


def _information(matrix: csr_array, weight: np.ndarray) -> np.ndarray:
    """Return the information as a full matrix; rows that are not sparse, those of the penalty, are added apart."""
    full = np.diff(matrix.indptr) > 8
    rows, others = matrix[full].toarray(), matrix[~full]
    sparse = others.T @ csr_array(others * weight[~full][:, None])
    return np.asarray(sparse.toarray() + rows.T @ (rows * weight[full][:, None]))


# Both without differences of large numbers: a chance may be as near to 1 as ten to the twelfth games make it.
def _gradient(matrix: csr_array, logit: np.ndarray, successes: np.ndarray, failures: np.ndarray) -> np.ndarray:
    return np.asarray(matrix.T @ (successes * expit(-logit) - failures * expit(logit)))


def _log_likelihood(logit: np.ndarray, successes: np.ndarray, failures: np.ndarray) -> float:
    return -float(successes @ np.logaddexp(0, -logit) + failures @ np.logaddexp(0, logit))
