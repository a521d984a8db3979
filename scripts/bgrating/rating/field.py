"""Shrink ratings from few matches: estimate the scatter of matches and the spread of players from a field of players.

A player's loss (rating points lost by errors: offset minus rating) is a sum of many errors. If judgement is s times
noisier, s times as many wrong moves look best, and each costs s times as much. So the loss grows as s^2. The variance
of a move's error grows as s^3, the power 3/2 of the loss. So the variance of a loss's fourth root is equal for all
players, and this module works on that scale. The variance is per unforced move, counted as `player.losses` does. It is
pooled over all players with two matches or more, because few matches hardly determine it. Degrees of freedom weigh a
player's own variance against the pooled one. The root is shrunk towards the field's mean (empirical Bayes: Efron and
Morris, JASA 70 (1975) 311). The spread of players is Paule and Mandel's (J. Res. NBS 87 (1982) 377), the error of the
mean Hartung and Knapp's (Statistics in Medicine 20 (2001) 3875).
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile

LEAST_PLAYERS, LEAST_REPEATS = 20, 40
"""Smallest number of players, and of matches beyond each player's first, of a collection that is its own field."""
LEAST_MOVES = 30.0
"""Smallest number of unforced moves of a player in the field: roots of fewer moves are far from normal."""
PRIOR = 20.0
"""Degrees of freedom of the pooled variance, when it is averaged with a player's."""
COLLECTION, STORED = "collection", "stored"


@dataclass(frozen=True)
class Field:
    """The fourth roots of the losses of a field's players: their mean, its standard error, their standard deviation.

    `scatter` is the variance of a root times its number of unforced moves; `source` is COLLECTION or STORED.
    """

    mean: float
    mean_se: float
    sd: float
    scatter: float
    players: int
    repeats: int
    source: str = COLLECTION

    def words(self, offset: float) -> str:
        """Describe the field for pages: its mean, the range of two thirds of its players, the error of 150 moves."""
        whose = "this collection's players" if self.source == COLLECTION else "players of other collections"
        middle, weak, strong = (offset - (self.mean + by * self.sd) ** 4 for by in (0, 1, -1))
        error = 4 * self.mean**3 * math.sqrt(self.scatter / 150)
        return (
            f"field: {whose}, {self.players} with {self.repeats} matches beyond each one's first; about two thirds of "
            f"them between {weak:.0f} and {strong:.0f}, the middle at {middle:.0f}; 150 unforced moves give a rating "
            f"within {error:.0f} points (one standard error, in the middle)"
        )


def field_of(players: pd.DataFrame, source: str = COLLECTION) -> Field | None:
    """Return the field of rated players; None if they are too few.

    `players` has one row per player: `loss`, `own_se` (the jackknife's, NaN with one match), `matches`, `moves`
    (unforced ones).
    """
    members = players[np.isfinite(players["loss"].astype(float)) & (players["moves"] >= LEAST_MOVES)]
    repeats = int((members["matches"] - 1).sum())
    scatter = pooled_scatter(members)
    if len(members) < LEAST_PLAYERS or repeats < LEAST_REPEATS or not scatter > 0:
        return None
    mean, mean_se, between = random_effects(roots(members), variances(members, scatter)[0])
    return Field(mean, mean_se, math.sqrt(between), scatter, len(members), repeats, source)


def roots(players: pd.DataFrame) -> Floats:
    """Return the fourth roots of players' losses; a negative loss counts as 0."""
    return np.asarray(np.maximum(players["loss"].to_numpy(float), 0.0) ** 0.25)


def pooled_scatter(players: pd.DataFrame) -> float:
    """Return the variance of roots per unforced move, pooled by matches beyond each first; NaN if there are none."""
    several = players[(players["matches"] > 1) & (players["loss"] > 0)]
    free = several["matches"].to_numpy(float) - 1
    per_move = _unpooled_variance(several) * several["moves"].to_numpy(float)
    return float(free @ per_move / free.sum()) if free.sum() else math.nan


def variances(players: pd.DataFrame, scatter: float) -> tuple[Floats, Floats]:
    """Return the variance over matches of every root, and its degrees of freedom: PRIOR plus the player's.

    NaN where a player had no unforced move.
    """
    unpooled = _unpooled_variance(players)
    free = np.where(np.isfinite(unpooled), players["matches"].to_numpy(float) - 1, 0.0)
    moves = players["moves"].to_numpy(float)
    pooled = np.divide(scatter, moves, out=np.full(len(moves), math.nan), where=moves > 0)
    return (PRIOR * pooled + free * np.nan_to_num(unpooled)) / (PRIOR + free), PRIOR + free


def _unpooled_variance(players: pd.DataFrame) -> Floats:
    """Return the variance of every root by the player's own matches (delta method); NaN with one match."""
    root = roots(players)
    loss_se = players["own_se"].to_numpy(float)
    derivative = 4 * root**3  # of the loss, which is root**4
    error = np.divide(loss_se, derivative, out=np.full(len(root), math.nan), where=root > 0)
    return np.asarray(error**2)


def shrink(players: pd.DataFrame, field: Field, offset: float) -> dict[str, Floats]:
    """Return the ends of every player's rating (`low`, `high`), and the rating `shrunk` towards a field with its ends.

    `players` as for `field_of`, and `known_se`: the error in points that all matches share (of formula and depth).
    NaN where there is no rating. A shrunk loss is the mean over the distribution of its root.
    """
    root = roots(players)
    variance, dof = variances(players, field.scatter)
    shared = quantile(CONFIDENCE) * np.nan_to_num(players["known_se"].to_numpy(float))
    mean, left = shrunk_root(root, variance, field)
    shrunk = mean**4 + 6 * mean**2 * left + 3 * left**2  # the mean of the fourth power of a normal variable
    half_width = quantile(CONFIDENCE, dof)
    low, high = _ends(root, half_width * np.sqrt(variance), players["loss"].to_numpy(float), shared)
    shrunk_low, shrunk_high = _ends(mean, half_width * np.sqrt(left), shrunk, shared)
    losses = {"low": high, "high": low, "shrunk": shrunk, "shrunk_low": shrunk_high, "shrunk_high": shrunk_low}
    return {name: offset - loss for name, loss in losses.items()}


def shrunk_root(root: Floats, variance: Floats, field: Field) -> tuple[Floats, Floats]:
    """Return mean and variance of the true root, from the player's root and the field's weighted by precision."""
    share = field.sd**2 / (field.sd**2 + variance)
    return field.mean + share * (root - field.mean), share * variance + ((1 - share) * field.mean_se) ** 2


def _ends(root: Floats, half: Floats, loss: Floats, shared: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a loss, from half the interval of its root and a further error in points."""
    low, high = np.maximum(root - half, 0.0) ** 4, (root + half) ** 4
    return loss - np.hypot(loss - low, shared), loss + np.hypot(high - loss, shared)


def random_effects(value: Floats, variance: Floats) -> tuple[float, float, float]:
    """Return the mean of values with known error variances, its standard error, and the variance of the true values.

    NaN with fewer than three values.
    """
    usable = np.isfinite(value) & np.isfinite(variance) & (variance > 0)
    value, variance = value[usable], variance[usable]
    if len(value) < 3:
        return math.nan, math.nan, math.nan
    between = _paule_mandel(value, variance)
    weight = 1 / (variance + between)
    weight /= weight.sum()
    mean = float(weight @ value)
    return mean, math.sqrt(float(weight @ (value - mean) ** 2) / (len(value) - 1)), between


def _paule_mandel(value: Floats, variance: Floats) -> float:
    """Return the variance between true values at which the weighted squares equal their expectation; at least 0.

    By Newton's method after DerSimonian and Kacker (Contemporary Clinical Trials 28 (2007) 105), as in statsmodels,
    which is slow to import.
    """
    between = 0.0
    for _ in range(50):
        weight = 1 / (variance + between)
        squares = (value - weight @ value / weight.sum()) ** 2
        excess = float(weight @ squares) - (len(value) - 1)
        if excess < 0:
            return 0.0
        if excess <= 1e-5:
            break
        between += excess / float(weight**2 @ squares)
    return between
