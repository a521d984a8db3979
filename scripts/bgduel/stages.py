"""Estimate and interval after a test that may have stopped itself: outcomes are ordered by stage.

A test stops when its estimate is extreme. So an interval for a fixed number of matches covers too
little, and the plain estimate is too far out. Here an outcome ranks the higher, the earlier the
test stopped at its upper bound. It ranks the lower, the earlier the test stopped at its lower
bound. At one look the larger result ranks higher. At an end of the interval an outcome at least as
extreme has a chance of 5 % (Siegmund, Biometrika 65 (1978) 341).

Wins have binomial chances, so their interval is exact. Points, and results less luck, are a normal
walk on a fine grid.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from bgrating.rating.fibs_formula import Floats
from bgrating.rating.intervals import CONFIDENCE

TAIL = (1 - CONFIDENCE) / 2
_GRID = 6  # points of the grid in the standard deviation of the least number of new matches
_FAR = 8.0  # standard deviations of new matches that the grid spans on either side
_WIDEST = 8.0  # standard errors in which the ends of an interval are sought

Stops = Callable[[Floats, int], NDArray[Any]]
"""Tells for mean results of a number of matches: 1 stops the test above, -1 below, 0 goes on."""


@dataclass(frozen=True)
class Wins:
    """Numbers of wins in matches that are won with a chance of `mean`."""

    mean: float
    origin = 0.0  # means are origin + grid * sum / matches
    grid = 1.0
    of_equal = 1.0  # an outcome counts as being at least as extreme as itself

    def new(self, matches: int) -> tuple[int, Floats]:
        """Return the least sum of new matches, and the chances of the sums from there on."""
        return 0, np.asarray(stats.binom.pmf(np.arange(matches + 1), matches, self.mean))

    def log_ratio(self, mean: float, sums: Floats, matches: Floats) -> Floats:
        """Return the log-likelihood ratio of another mean to this one."""
        won = special.xlogy(sums, mean / self.mean)
        return np.asarray(won + special.xlogy(matches - sums, (1 - mean) / (1 - self.mean)))

    def range(self, _: int) -> tuple[float, float]:
        return 0.0, 1.0


@dataclass(frozen=True)
class Normal:
    """Sums of results with a `mean` and a `variance` a match, as steps of a grid from the mean.

    The grid is for at least `fewest` new matches.
    """

    mean: float
    variance: float
    fewest: int
    of_equal = 0.5  # the neighbours of a point of the grid share it

    @property
    def origin(self) -> float:
        return self.mean

    @property
    def grid(self) -> float:
        return float((self.variance * self.fewest) ** 0.5) / _GRID

    def new(self, matches: int) -> tuple[int, Floats]:
        """Return the least sum of new matches, and the chances of the sums from there on."""
        deviation = (self.variance * matches) ** 0.5 / self.grid
        furthest = int(_FAR * deviation)
        chances = np.exp(-0.5 * (np.arange(-furthest, furthest + 1) / deviation) ** 2)
        return -furthest, chances / chances.sum()

    def log_ratio(self, mean: float, sums: Floats, matches: Floats) -> Floats:
        """Return the log-likelihood ratio of another mean to this one."""
        ahead = mean - self.mean
        return np.asarray(ahead * (self.grid * sums - matches * ahead / 2) / self.variance)

    def range(self, matches: int) -> tuple[float, float]:
        furthest = _WIDEST * (self.variance / matches) ** 0.5
        return self.mean - furthest, self.mean + furthest


@dataclass(frozen=True)
class Stage:
    """A look after so many `matches`: sums of results that reach it, their chances, and stops."""

    matches: int
    sums: NDArray[np.int64]
    chances: Floats
    stops: NDArray[Any]


def stages(results: Wins | Normal, looks: NDArray[np.int64], stops: Stops) -> list[Stage]:
    """Return every look of a test, with the chances of the sums of results at which it arrives."""
    reached = []
    first = 0
    alive = np.ones(1)
    before = 0
    for matches in looks.tolist():
        least, new = results.new(matches - before)
        before = matches
        first += least
        chances = np.convolve(alive, new)
        sums = np.arange(first, first + len(chances))
        means = results.origin + results.grid * sums / matches
        stop = stops(means, matches)
        reached.append(Stage(matches, sums, chances, stop))
        going = np.flatnonzero(stop == 0)
        alive = np.zeros(1)
        if len(going):
            first += int(going[0])
            alive = chances[going[0] : going[-1] + 1]
    return reached


def _extreme(
    results: Wins | Normal, reached: list[Stage], seen: int, side: int
) -> Callable[[float], float]:
    """Return the chance, by the mean, of outcomes at least as extreme as `seen` at the last look.

    They ended the test above (`side` 1) or below (-1).
    """
    outcomes = []
    for stage in reached:
        share = (stage.stops == side).astype(float)
        if stage is reached[-1]:
            share = np.heaviside(side * (stage.sums - seen), results.of_equal)
        matches = np.full_like(share, stage.matches)
        rows = np.stack([stage.sums, matches, share * stage.chances])
        outcomes.append(rows[:, share > 0])
    sums, matches, chances = np.concatenate(outcomes, axis=1)

    def chance(mean: float) -> float:
        return float(chances @ np.exp(results.log_ratio(mean, sums, matches)))

    return chance


def interval(
    results: Wins | Normal, reached: list[Stage], mean: float
) -> tuple[float, float, float]:
    """Return the median-unbiased estimate of the mean result, and the ends of its interval.

    The test had the `mean` result at the last of its looks.
    """
    last = reached[-1].matches
    seen = round((mean - results.origin) * last / results.grid)
    above = _extreme(results, reached, seen, 1)
    below = _extreme(results, reached, seen, -1)
    ends = results.range(last)

    def ahead(value: float) -> float:
        return above(value) - below(value)

    def low(value: float) -> float:
        return above(value) - TAIL

    def high(value: float) -> float:
        return TAIL - below(value)

    return _root(ahead, *ends), _root(low, *ends), _root(high, *ends)


def _root(rising: Callable[[float], float], least: float, most: float) -> float:
    """Return where a rising function is zero, or the end of the range beyond which it is."""
    if rising(least) >= 0:
        return least
    if rising(most) <= 0:
        return most
    return float(optimize.brentq(rising, least, most, xtol=1e-10))
