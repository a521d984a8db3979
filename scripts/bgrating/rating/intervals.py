"""Confidence intervals: by quantiles of Student's t, and by quantiles of draws."""

import math
from typing import Any

import numpy as np
from scipy.special import stdtrit

from bgrating.rating.fibs_formula import Floats

CONFIDENCE = 0.9
"""Confidence of the intervals in all tables and pages."""


def quantile(confidence: float, dof: float | Floats = math.inf) -> Any:
    """Return half the width of an interval in standard errors.

    It is a quantile of Student's t; with infinite `dof` it is the normal quantile.
    """
    return stdtrit(dof, (1 + confidence) / 2)


def interval_of_draws(draws: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval that holds the share CONFIDENCE of the draws, along the first
    axis.
    """
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high
