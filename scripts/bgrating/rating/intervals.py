"""Intervals: of means, by quantiles of draws, by the jackknife over clusters, and for looking repeatedly."""

import math
from typing import Any, overload

import numpy as np
from scipy import special

from bgrating.rating.fibs import Floats

CONFIDENCE = 0.9
"""Of the intervals in all tables and pages."""


@overload
def quantile(confidence: float, dof: float = ...) -> float: ...
@overload
def quantile(confidence: float, dof: Floats) -> Floats: ...
def quantile(confidence: float, dof: float | Floats = math.inf) -> float | Floats:
    """Return how many standard errors half an interval has: Student's t, the normal distribution for infinite dof."""
    value: Any = special.stdtrit(dof, (1 + confidence) / 2)  # scipy.stats takes a second to import
    return value if isinstance(dof, np.ndarray) else float(value)


def interval_of_draws(draws: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval that holds a share of the draws, along the first axis."""
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high


def delete_one_error(without: Floats) -> float:
    """Return the standard error of a statistic from its values with each cluster left out.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 11.
    """
    count = len(without)
    return math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))


def anytime_factor(matches: "float | Floats", confidence: float, made_for: float) -> Floats:
    """Return the half-width of a confidence sequence over the standard error of the mean, after so many matches.

    Ordinary intervals cover too seldom if somebody looks after every batch and stops at a result he likes. A confidence
    sequence covers the mean at all looks at once, so any stopping rule is allowed. Sources: Robbins, Annals of
    Mathematical Statistics 41 (1970) 1397 (normal mixture). For means of anything with a variance, with the estimated
    variance and many matches: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52 (2024) 2613,
    theorem 2.2. It is wider than the interval of a study of fixed size, least so (about 1.5 times) at `made_for`.
    """
    if not 0 < confidence < 1 or made_for <= 0:
        raise ValueError("a confidence lies between 0 and 1, and the sequence is made for a number of matches above 0")
    alpha = 1 - confidence
    n = np.asarray(matches, dtype=float)
    rho2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha)) + 1) / made_for
    return np.asarray(np.sqrt((2 * (n * rho2 + 1) / (n * rho2)) * np.log(np.sqrt(n * rho2 + 1) / alpha)))
