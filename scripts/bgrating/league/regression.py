"""Binomial regression with the logistic link: the maximum likelihood estimate, and whether it is finite."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf
from scipy.sparse import csr_array
from scipy.special import expit

from bgrating.league.settings import RatingsError

STEPS = 200
_ALIKE = 1e-10  # change of a logit; Newton's error is its square
_ROUNDING = 1e-6
_RANK = 1e-9  # share of the square of a column that must be left beside the others


def maximum_likelihood(
    matrix: csr_array, successes: np.ndarray, failures: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit a regression by Newton's method, to rounding.

    Returns the estimate, its covariance (the inverse of the information) and the fitted chance of every row. The design
    of thousands of players fits into no dense matrix, their information does. Raises RatingsError without convergence.
    """
    count = successes + failures
    estimate, logit = np.zeros(matrix.shape[1]), np.zeros(len(count))

    def log_likelihood(logit: np.ndarray) -> float:
        return -float(successes @ np.logaddexp(0, -logit) + failures @ np.logaddexp(0, logit))

    for _ in range(STEPS):
        # Neither has differences of large numbers: a chance may be as near to 1 as ten to the twelfth games make it.
        gradient = matrix.T @ (successes * expit(-logit) - failures * expit(logit))
        factor = cho_factor(_information(matrix, count * expit(logit) * expit(-logit)), overwrite_a=True)
        step = cho_solve(factor, gradient)
        # Far from the maximum a whole step may lead further away.
        least = log_likelihood(logit) - _ROUNDING
        while log_likelihood(logit + matrix @ step) < least:
            step /= 2
        estimate, logit = estimate + step, logit + matrix @ step
        if np.abs(matrix @ step).max() < _ALIKE:
            return estimate, cho_solve(factor, np.eye(len(estimate)), overwrite_b=True), expit(logit)
    raise RatingsError(
        f"the fit of the logistic ratings does not converge: counts of {count.min():,.0f} to {count.max():,.0f} games. "
        f"Leave the rows with the largest out, or name other methods (--method)"
    )


def _information(matrix: csr_array, weight: np.ndarray) -> np.ndarray:
    """Return the information as a dense matrix; the dense rows, those of the penalty, are added apart."""
    full = np.diff(matrix.indptr) > 8
    rows, others = matrix[full].toarray(), matrix[~full]
    weights = np.repeat(weight[~full], np.diff(others.indptr))
    sparse = others.T @ csr_array((others.data * weights, others.indices, others.indptr), shape=others.shape)
    return np.asarray(sparse.toarray() + rows.T @ (rows * weight[full][:, None]))


def separable(design: csr_array, successes: np.ndarray, failures: np.ndarray) -> bool:
    """Tell whether a regression has no finite maximum: a direction in which no row fits worse, and some fit better.

    The direction must not change rows with both outcomes. A linear programme searches for one (Konis 2007).
    """
    both = design[(successes > 0) & (failures > 0)]
    one_sided = (successes > 0) != (failures > 0)
    if has_full_rank(both) or not one_sided.any():
        return False
    from scipy.optimize import linprog  # noqa: PLC0415 - few games need it, and it takes a quarter of a second

    better = design[one_sided] * np.where(successes[one_sided] > 0, 1.0, -1.0)[:, None]
    # Rows of one scale: a slope that is counted in points would fall below the programme's tolerance.
    scale = 1 / np.maximum(abs(design).max(axis=0).toarray().ravel(), 1e-300)
    better, both = (csr_array(rows * scale) for rows in (better, both))
    equal = {"A_eq": both, "b_eq": np.zeros(both.shape[0])} if both.shape[0] else {}
    solution = linprog(-better.sum(axis=0), A_ub=-better, b_ub=np.zeros(better.shape[0]), bounds=(-1, 1), **equal)
    return bool(solution.status == 0 and -solution.fun > 1e-6)


def has_full_rank(matrix: csr_array) -> bool:
    if matrix.shape[0] < matrix.shape[1]:
        return False
    gram = np.asarray((matrix.T @ matrix).toarray())
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    gram /= scale
    gram /= scale[:, None]
    _, _, rank, _ = dpstrf(gram, lower=1, tol=_RANK)
    return bool(rank == matrix.shape[1])
