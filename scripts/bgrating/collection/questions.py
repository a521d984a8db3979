"""Two questions that people ask of a player: better or worse than before, and is so low a rate credible.

Both are answered from the measured scatter of real matches (formula/field.py), which works on the root of a loss, be it
rating points or PR. The second answer is a chance, and no more: it says nothing of how a rate came about.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.formula.field import Field, roots, shrink, variances
from bgrating.formula.intervals import quantile


@dataclass(frozen=True)
class Change:
    """Rating of the second period less that of the first, its interval, and what a smaller change would need.

    `times` is how many times as many matches, in both periods, would make the half-width `wanted` points; 1 or less
    where there are enough.
    """

    difference: float
    low: float
    high: float
    wanted: float
    times: float

    def words(self) -> str:
        """Say the answer in a sentence."""
        said = f"{self.difference:+.0f} points [{self.low:+.0f}, {self.high:+.0f}]"
        if self.low > 0 or self.high < 0:
            return f"{'better' if self.low > 0 else 'worse'} than before: {said}"
        return (
            f"no change is shown: {said}; to see one of {self.wanted:.0f} points it takes {self.times:.1f} times "
            "as many matches in both periods"
        )


def change(periods: pd.DataFrame, field: Field, confidence: float = 0.9, wanted: float = 25.0) -> Change:
    """Return how a player's rating changed between two periods.

    `periods` has two rows, first and second, with `loss` (offset less rating), `own_se`, `matches` and `moves`, as
    `field_of` takes them. The errors of the formula are common to both and leave the difference. Nothing is shrunk: a
    change would be shrunk too.
    """
    root = roots(periods)
    variance, dof = variances(periods, field.scatter)
    error = 2 * root * np.sqrt(variance)  # of the loss, by the delta method
    half = quantile(confidence, float(dof.min())) * float(np.hypot(*error))
    difference = float(periods["loss"].iloc[0] - periods["loss"].iloc[1])
    return Change(difference, difference - half, difference + half, wanted, (half / wanted) ** 2)


@dataclass(frozen=True)
class Credible:
    """The chance of a rate this low or lower in so many unforced moves, for a player of known other matches."""

    rate: float
    moves: float
    chance: float
    usual: float

    def words(self) -> str:
        """Say the answer in a sentence, as a chance."""
        often = f"about {self.chance:.0%}" if self.chance >= 0.01 else f"about one in {1 / max(self.chance, 1e-6):,.0f}"
        return (
            f"a player of this strength (PR {self.usual:.1f} by his other matches) shows PR {self.rate:.1f} or less in "
            f"{self.moves:.0f} unforced moves with a chance of {often}; a chance says nothing of how it came about"
        )


def credible(player: pd.DataFrame, field: Field, rate: float, moves: float) -> Credible:
    """Return the chance that a player shows a rate (PR, say) this low or lower by chance in `moves` unforced moves.

    `player` is one row of the player's OTHER matches, with the rate as `loss`; `field` is that of the same rate. What
    the player's own rate is, is uncertain too: shrunk towards the field, with the error that is left.
    """
    own = player.assign(known_se=0.0)
    drawn = shrink(own, field, 0.0, 0.9)
    variance, dof = variances(own, field.scatter)
    share = field.sd**2 / (field.sd**2 + variance)
    mean = field.mean + share * (roots(own) - field.mean)
    spread = math.sqrt(float((share * variance)[0]) + field.scatter / moves)
    chance = float(stats.t.cdf((math.sqrt(rate) - float(mean[0])) / spread, float(dof[0])))
    return Credible(rate, moves, chance, float(-drawn.shrunk[0]))
