"""Shrink ratings from few matches.

Estimate the scatter of matches and the spread of players from a population of players.

A player's loss (rating points lost by errors: offset minus rating) is a sum of many errors. If
judgement is s times noisier, s times as many wrong moves look best, and each costs s times as much.
So the loss grows as s^2. The variance of a move's error grows as s^3, the power 3/2 of the loss. So
the variance of a loss's fourth root is equal for all players, and this module works on that scale.
The variance is per unforced move, counted as `player.losses` does. It is pooled over all players
with two matches or more, because few matches hardly determine it. Degrees of freedom weigh a
player's own variance against the pooled one.

The root is shrunk towards the population's mean (empirical Bayes: Efron and Morris, JASA 70 (1975)
311). True roots are a mixture of two normal distributions about one mean. Most players have the
standard deviation of the population. The share STRANGERS of players has WIDER times that. So a
result far from the population is taken for a stranger's rather than for luck. Mean and standard
deviation maximise the likelihood by the EM algorithm (Dempster, Laird and Rubin, JRSS B 39 (1977)
1). The stored population is the prior of a collection's own. A collection of more players counts
more.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from bgrating.rating.fibs_formula import Floats, rate
from bgrating.rating.intervals import CONFIDENCE, quantile

LEAST_PLAYERS = 20
LEAST_REPEATS = 40
"""Smallest number of players, and of matches beyond each player's first, of a population without a
prior."""
LEAST_MOVES = 30.0
"""Smallest number of unforced moves of a player in the field: roots of fewer moves are far from
normal."""
PRIOR = 20.0
"""Degrees of freedom of the pooled variance, when it is averaged with a player's."""
STRANGERS = 0.1
WIDER = 2.0
"""Share of players with a wider spread, and how many times the population's spread it is."""
BETWEEN = 0.067
SPREAD_PLAYERS = 8.0
"""Standard deviation of the means of collections, as a share of the mean; the players that a
prior's spread counts for.

They and STRANGERS were chosen after looking at the coverage of levels and the widths of people's
intervals.
"""
_SHARES = np.array([[1 - STRANGERS], [STRANGERS]])
_WIDTHS = np.array([[1.0], [WIDER]])
_STEPS = 500
_CLOSE = 1e-7
"""Most steps of the EM algorithm, and the change of the mean that ends it."""


@dataclass(frozen=True)
class Population:
    """The fourth roots of the losses of a population's players.

    `mean` and `sd` are their mean and standard deviation, `mean_se` the standard error of the mean.
    `scatter` is the variance of a root times its number of unforced moves. `players` and `repeats`
    (matches beyond each player's first) are those of the collection, `others` the players of the
    prior.
    """

    mean: float
    mean_se: float
    sd: float
    scatter: float
    players: int
    repeats: int
    others: int = 0

    def description(self, offset: float) -> str:
        """Say what ratings of few matches are pulled towards, and how sure 150 moves are."""
        middle, weak, strong = (offset - (self.mean + by * self.sd) ** 4 for by in (0, 1, -1))
        error = 4 * self.mean**3 * math.sqrt(self.scatter / 150)
        others = f" and {self.others:,} of other collections" if self.others else ""
        return (
            f"Ratings of few matches are pulled towards the mean of {self.players:,} players"
            f" here{others}. It is {middle:.0f}; two thirds of these players lie between"
            f" {weak:.0f} and {strong:.0f}. After 150 unforced moves the standard error is about"
            f" {error:.0f} points."
        )


@dataclass(frozen=True)
class Roots:
    """What is known of players' true roots.

    It is a mixture of normal distributions, with their weights (distributions by players).
    """

    weight: Floats
    mean: Floats
    sd: Floats

    def below(self, root: float | Floats) -> Floats:
        """Return the chance of every player that the true root is below a root."""
        return np.asarray((self.weight * special.ndtr((root - self.mean) / self.sd)).sum(axis=0))

    def fourth_power(self) -> Floats:
        """Return the mean of the fourth power: the loss."""
        each = self.mean**4 + 6 * self.mean**2 * self.sd**2 + 3 * self.sd**4
        return np.asarray((self.weight * each).sum(axis=0))

    def at(self, chance: float) -> Floats:
        """Return the root below which the true one is with a chance, by bisection."""
        low = (self.mean - 9 * self.sd).min(axis=0)
        high = (self.mean + 9 * self.sd).max(axis=0)
        for _ in range(50):
            middle = (low + high) / 2
            is_low = self.below(middle) < chance
            low = np.where(is_low, middle, low)
            high = np.where(is_low, high, middle)
        return np.asarray((low + high) / 2)


def population_of(players: pd.DataFrame, prior: Population | None = None) -> Population | None:
    """Return the population of rated players; None if they are too few to be one without a prior.

    `players` has one row per player: `loss`, `own_se` (the jackknife's, NaN with one match),
    `matches`, `moves` (unforced ones).
    """
    members = players[
        np.isfinite(players["loss"].astype(float)) & (players["moves"] >= LEAST_MOVES)
    ]
    repeats = int((members["matches"] - 1).sum())
    scatter = pooled_scatter(members, prior)
    is_small = len(members) < LEAST_PLAYERS or repeats < LEAST_REPEATS
    if not scatter > 0 or (is_small and prior is None):
        return None
    start = prior or Population(4.0, 0.0, 0.5, scatter, 0, 0)
    of_players = replace(
        start, scatter=scatter, players=len(members), repeats=repeats, others=start.players
    )
    return _fitted(roots(members), variances(members, scatter)[0], of_players, prior)


def _fitted(
    root: Floats, variance: Floats, population: Population, prior: Population | None
) -> Population:
    """Return the population with the mean and the standard deviation that the roots and the prior
    make most likely.
    """
    precision = 0.0
    spread_players = 0.0
    if prior:
        precision = 1 / ((BETWEEN * prior.mean) ** 2 + prior.mean_se**2)
        spread_players = SPREAD_PLAYERS
    first = population
    for _ in range(_STEPS):
        last = population
        weight = posterior(root, variance, population).weight / (
            (_WIDTHS * population.sd) ** 2 + variance
        )
        total = float(weight.sum()) + precision
        mean = (float((weight * root).sum()) + precision * first.mean) / total
        population = replace(population, mean=mean, mean_se=total**-0.5)
        true_roots = posterior(root, variance, population)
        squares = (
            true_roots.weight * ((true_roots.mean - mean) ** 2 + true_roots.sd**2) / _WIDTHS**2
        )
        spread = (float(squares.sum()) + spread_players * first.sd**2) / (
            len(root) + spread_players
        )
        population = replace(population, sd=math.sqrt(spread))
        if abs(population.mean - last.mean) < _CLOSE and abs(population.sd - last.sd) < _CLOSE:
            break
    return population


def posterior(root: Floats, variance: Floats, population: Population) -> Roots:
    """Return the distributions of true roots, from the players' roots and the population's weighted
    by precision.
    """
    between = (_WIDTHS * population.sd) ** 2
    total = between + variance
    likelihood = np.log(_SHARES / np.sqrt(total)) - (root - population.mean) ** 2 / total / 2
    weight = special.softmax(likelihood, axis=0)
    share = between / total
    remaining = share * variance + ((1 - share) * population.mean_se) ** 2
    return Roots(weight, population.mean + share * (root - population.mean), np.sqrt(remaining))


def roots(players: pd.DataFrame) -> Floats:
    """Return the fourth roots of players' losses; a negative loss counts as 0."""
    return np.asarray(np.maximum(players["loss"].to_numpy(float), 0.0) ** 0.25)


def pooled_scatter(players: pd.DataFrame, prior: Population | None = None) -> float:
    """Return the variance of roots per unforced move, pooled by matches beyond each first.

    It is NaN if there are none. The scatter of a prior counts as LEAST_REPEATS matches.
    """
    several = players[(players["matches"] > 1) & (players["loss"] > 0)]
    free = several["matches"].to_numpy(float) - 1
    per_move = _unpooled_variance(several) * several["moves"].to_numpy(float)
    total = float(free @ per_move)
    matches = float(free.sum())
    if prior:
        total += LEAST_REPEATS * prior.scatter
        matches += LEAST_REPEATS
    return total / matches if matches else math.nan


def variances(players: pd.DataFrame, scatter: float) -> tuple[Floats, Floats]:
    """Return the variance over matches of every root, and its degrees of freedom.

    These are PRIOR plus the player's own. The variance is NaN where a player had no unforced move.
    """
    unpooled = _unpooled_variance(players)
    free = np.where(np.isfinite(unpooled), players["matches"].to_numpy(float) - 1, 0.0)
    moves = players["moves"].to_numpy(float)
    pooled = rate(np.full(len(moves), scatter), moves, math.nan)
    return (PRIOR * pooled + free * np.nan_to_num(unpooled)) / (PRIOR + free), PRIOR + free


def _unpooled_variance(players: pd.DataFrame) -> Floats:
    """Return the variance of every root by the player's own matches (delta method).

    It is NaN with one match.
    """
    root = roots(players)
    loss_se = players["own_se"].to_numpy(float)
    derivative = 4 * root**3  # of the loss, which is root**4
    return rate(loss_se, derivative, math.nan) ** 2


def shrink(players: pd.DataFrame, population: Population, offset: float) -> dict[str, Floats]:
    """Return the ends of every player's own rating, and the rating shrunk towards a population.

    `own_low` and `own_high` are the ends of the own rating, `ci_low` and `ci_high` those of the
    shrunk `rating`.

    `players` as for `population_of`, and `known_se`: the error in points that all matches share (of
    formula and depth). NaN where there is no rating. A shrunk loss is the mean over the
    distribution of its root.
    """
    root = roots(players)
    loss = players["loss"].to_numpy(float)
    variance, dof = variances(players, population.scatter)
    shared = quantile(CONFIDENCE) * np.nan_to_num(players["known_se"].to_numpy(float))
    half = quantile(CONFIDENCE, dof) * np.sqrt(variance)
    low, high = _ends(root - half, root + half, loss, shared)
    true_roots = known_roots(players, population)
    shrunk = true_roots.fourth_power()
    tail = (1 - CONFIDENCE) / 2
    shrunk_low, shrunk_high = _ends(true_roots.at(tail), true_roots.at(1 - tail), shrunk, shared)
    losses = {
        "own_low": high,
        "own_high": low,
        "rating": shrunk,
        "ci_low": shrunk_high,
        "ci_high": shrunk_low,
    }
    return {name: offset - loss for name, loss in losses.items()}


def known_roots(players: pd.DataFrame, population: Population) -> Roots:
    """Return the distributions of players' true roots; `players` as for `population_of`."""
    variance, dof = variances(players, population.scatter)
    # Student's t has a larger variance, since the variance of a root is estimated.
    return posterior(roots(players), variance * dof / (dof - 2), population)


def _ends(low: Floats, high: Floats, loss: Floats, shared: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a loss, from those of its root and a further error in
    points.
    """
    low_loss = np.maximum(low, 0.0) ** 4
    high_loss = high**4
    return loss - np.hypot(loss - low_loss, shared), loss + np.hypot(high_loss - loss, shared)
