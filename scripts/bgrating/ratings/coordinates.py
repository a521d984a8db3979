"""The numbers that a regression of scores fits, and how scores and their covariance come from them.

The logit of a row is s (seat b + differences · beta). What is fitted must be linear in it: with one anchor or none
these are points (b, and the scores but one); with several anchors they are the slope s, s b, and the free scores times
s, and the scores follow by division, their variances by the delta method.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack


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
