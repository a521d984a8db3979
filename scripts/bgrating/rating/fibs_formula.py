"""The FIBS rating formula and its inverse, and how a standard error propagates from one to the
other.

P = 1 / (1 + 10^(R sqrt(N) / 2000)): N is the match length in points. R is the rating difference in
FIBS points, positive if the player is weaker. P is that player's match-winning chance. Source: the
rating formula of the First Internet Backgammon Server, as used by van den Doel (2003).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgrating.rating.terms import chance

Floats = NDArray[np.float64]

POINTS_PER_FACTOR_OF_TEN = 2000.0


def log_odds_per_point(match_length: ArrayLike) -> Floats:
    """Return the change of ln(P / (1 - P)) for one point of rating difference.

    It is -ln(10) sqrt(N) / 2000.
    """
    length = np.asarray(match_length, dtype=float)
    if np.any(length < 1):
        raise ValueError(f"a match length is at least 1 point, not {length.min():g}")
    return np.asarray(-math.log(10) * np.sqrt(length) / POINTS_PER_FACTOR_OF_TEN)


def win_probability(rating_difference: ArrayLike, match_length: ArrayLike) -> Floats:
    """Return the match-winning chance (0..1) of a player who is `rating_difference` points the
    weaker.
    """
    log_odds_per_point(match_length)  # raises ValueError for a match length below 1
    with np.errstate(over="ignore"):
        return np.asarray(
            chance(
                np.asarray(rating_difference, dtype=float), np.asarray(match_length, dtype=float)
            )
        )


def rating_difference(p: ArrayLike, match_length: ArrayLike) -> Floats:
    """Return the rating difference in points of a match-winning chance `p`.

    It is the inverse of `win_probability`. A chance at or outside 0 and 1 gives NaN.
    """
    inside = _inside(p)
    return np.asarray(np.log(inside / (1 - inside)) / log_odds_per_point(match_length))


def of_elo(elo: float, match_length: int) -> float:
    """Return the FIBS points of an Elo difference, for which P = 1 / (1 + 10^(-D / 400)) at any
    match length.
    """
    return float(5 * elo / match_length**0.5)


def rate(errors: Floats, count: Floats, absent: float = 0.0) -> Floats:
    """Return errors divided by a count; `absent` where the count is 0."""
    result = np.full(errors.shape, absent)
    np.divide(errors, count, out=result, where=count > 0)
    return result


def _inside(p: ArrayLike) -> Floats:
    value = np.asarray(p, dtype=float)
    return np.where((value > 0) & (value < 1), value, np.nan)


def rating_difference_se(p: ArrayLike, p_se: ArrayLike, match_length: ArrayLike) -> Floats:
    """Return the standard error of the rating difference in points for that of `p`, by the delta
    method.

    |dR/dP| = 2000 / (ln(10) sqrt(N) P (1 - P)). NaN where `p` lies at or outside 0 and 1.
    """
    inside = _inside(p)
    slope = 1 / (np.abs(log_odds_per_point(match_length)) * inside * (1 - inside))
    return np.asarray(slope * np.asarray(p_se, dtype=float))
