"""A binomial regression with a sparse design, fitted to rounding."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from bgrating.ratings.games import RatingsError

STEPS = 200
_ALIKE = 1e-8  # change of a logit; Newton's error is its square
_ROUNDING = 1e-6
_FARTHEST = 5.0  # a logit changes no more in a step: conjugate gradients err where counts differ by many orders


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
