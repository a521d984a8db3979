"""Intervals: how many standard errors they are wide, and the jackknife that leaves out one cluster at a time."""

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]


@overload
def quantile(confidence: float, dof: float = ...) -> float: ...
@overload
def quantile(confidence: float, dof: Floats) -> Floats: ...
def quantile(confidence: float, dof: float | Floats = math.inf) -> float | Floats:
    """Return how many standard errors half an interval has: Student's t, the normal distribution for infinite dof."""
    found: Any = stats.t.ppf((1 + confidence) / 2, dof)
    return found if isinstance(dof, np.ndarray) else float(found)


def delete_one_error(without: Floats) -> float:
    """Return the standard error of a statistic from its values with each cluster left out.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 11.
    """
    count = len(without)
    return math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))


def jackknife(
    statistic: Callable[[NDArray[np.bool_]], float], clusters: NDArray[Any], confidence: float
) -> tuple[float, float, float]:
    """Return a statistic of all rows and the ends of its interval, Student's t over clusters.

    `statistic` is given the rows to keep, once all of them and then without each cluster in turn.
    """
    value = statistic(np.ones(len(clusters), dtype=bool))
    without = np.array([statistic(clusters != one) for one in np.unique(clusters)])
    half = quantile(confidence, len(without) - 1) * delete_one_error(without)
    return value, value - half, value + half
