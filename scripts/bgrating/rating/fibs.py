"""The FIBS rating formula and its inverse, with the error of either carried to the other.

P = 1 / (1 + 10^(R sqrt(N) / 2000)): N is the match length in points. R is the rating difference in FIBS points,
positive if the player is weaker. P is that player's match-winning chance. Source: the rating formula of the First
Internet Backgammon Server, as used by van den Doel (2003).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

POINTS_PER_FACTOR_OF_TEN = 2000.0


def log_odds_per_point(match_length: ArrayLike) -> Floats:
    """Return the change of ln(P / (1 - P)) for one point of rating difference: -ln(10) sqrt(N) / 2000."""
    length = np.asarray(match_length, dtype=float)
    if np.any(length < 1):
        raise ValueError(f"a match length is at least 1 point, not {length.min():g}")
    return np.asarray(-math.log(10) * np.sqrt(length) / POINTS_PER_FACTOR_OF_TEN)


def win_probability(rating_difference: ArrayLike, match_length: ArrayLike) -> Floats:
    """Return the match-winning chance (0..1) of a player who is `rating_difference` points the weaker."""
    odds = np.asarray(rating_difference, dtype=float) * log_odds_per_point(match_length)
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)))


def rating_difference(p: ArrayLike, match_length: ArrayLike) -> Floats:
    """Return the rating difference in points of a match-winning chance `p`: the inverse of `win_probability`.

    A chance at or outside 0 and 1 gives NaN.
    """
    chance = np.asarray(p, dtype=float)
    inside = np.where((chance > 0) & (chance < 1), chance, np.nan)
    return np.asarray(np.log(inside / (1 - inside)) / log_odds_per_point(match_length))


def rating_difference_se(p: ArrayLike, p_se: ArrayLike, match_length: ArrayLike) -> Floats:
    """Carry the standard error of `p` to the rating difference by the delta method, in points.

    |dR/dP| = 2000 / (ln(10) sqrt(N) P (1 - P)). NaN where `p` lies at or outside 0 and 1.
    """
    chance = np.asarray(p, dtype=float)
    inside = np.where((chance > 0) & (chance < 1), chance, np.nan)
    slope = 1 / (np.abs(log_odds_per_point(match_length)) * inside * (1 - inside))
    return np.asarray(slope * np.asarray(p_se, dtype=float))
