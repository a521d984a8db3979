"""Intervals of figures of totals, when whole clusters of matches are left out one after the other."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bgrating.formula.intervals import delete_one_error, quantile

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
LEAST = 10
"""Clusters below which a figure has no interval."""


@dataclass(frozen=True)
class Figure:
    """A figure with the ends of its interval; NaN where there is none."""

    value: float
    low: float
    high: float

    def exp(self) -> "Figure":
        """Return the figure whose logarithm this is."""
        return Figure(math.exp(self.value), math.exp(self.low), math.exp(self.high))


def of_totals(statistic: Callable[[Floats], Floats], terms: Floats, clusters: NDArray[np.intp]) -> Figure:
    """Return a statistic of totals with its interval.

    `terms` are rows by totals, added up over all rows; `clusters` the rows' numbers from 0; `statistic` takes totals
    (anything by totals) and returns one value for each.
    """
    sums = np.column_stack([np.bincount(clusters, column) for column in terms.T])
    present = np.bincount(clusters) > 0
    whole = sums.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return delete_one(float(statistic(whole[None, :])[0]), statistic(whole - sums[present]))


def delete_one(value: float, without: Floats) -> Figure:
    """Return a figure with the interval of the delete-one jackknife (Student's t on the groups less one).

    `without` are the values with each group left out, groups of about one size. Source: Efron and Tibshirani, An
    Introduction to the Bootstrap (1993), section 11.
    """
    groups = len(without)
    if groups < LEAST or not (math.isfinite(value) and np.isfinite(without).all()):
        return Figure(value, math.nan, math.nan)
    half = quantile(CONFIDENCE, groups - 1) * delete_one_error(without)
    return Figure(value, value - half, value + half)


def folds(clusters: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return the fold of each row: clusters stay whole, and every fold has about as many rows.

    The largest clusters are dealt first, each to the fold with the fewest rows.
    """
    sizes = np.bincount(clusters)
    fold_of, rows = np.zeros(len(sizes), dtype=np.intp), np.zeros(count)
    for cluster in np.argsort(-sizes, kind="stable"):
        fold_of[cluster] = rows.argmin()
        rows[fold_of[cluster]] += sizes[cluster]
    return fold_of[clusters]
