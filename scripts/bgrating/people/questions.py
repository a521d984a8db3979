"""Two questions that people ask of a player: better or worse than before, and is so low a rate credible.

Both use the measured scatter of real matches (rating/field.py). It is modelled on the fourth root of a loss, in rating
points or PR. The second answer is a chance, and no more: it says nothing of how a rate came about.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from bgrating.people.players import rated
from bgrating.rating.calculator import people_scale
from bgrating.rating.choose import RatingModel
from bgrating.rating.field import Field, loss_per_root, roots, variances
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import Errors

WANTED = 25.0
"""Rating points of a change that one would like to see."""


@dataclass(frozen=True)
class Change:
    """Rating of the second period less that of the first, its interval, and what a smaller change would need.

    `times` is how many times as many matches, in both periods, would make the half-width WANTED points; 1 or less where
    there are enough. `matches` are those of both periods.
    """

    difference: float
    low: float
    high: float
    times: float
    matches: int

    def words(self) -> str:
        if self.low > 0 or self.high < 0:
            near, far = sorted((abs(self.low), abs(self.high)))
            return f"{'Better' if self.low > 0 else 'Worse'} than before, by {near:.0f} to {far:.0f} points."
        ends = f"between {-self.low:.0f} points worse and {self.high:.0f} points better"
        more = math.ceil((self.times - 1) * self.matches)
        # Two digits: the scatter itself is an estimate.
        more = math.ceil(more / (unit := 10 ** max(0, len(str(more)) - 2))) * unit
        needed = f"A change of {WANTED:.0f} points would show after about {more:,} more matches."
        return f"Neither better nor worse for sure: {ends}. {needed}"


def change(periods: pd.DataFrame, field: Field) -> Change:
    """Return how a player's rating changed between two periods.

    `periods` has two rows, first and second, with `loss` (offset less rating), `own_se`, `matches` and `moves`, as
    `field_of` takes them. The errors of the formula are common to both and leave the difference, but for that of the
    scale. Nothing is shrunk: a change would be shrunk too.
    """
    root = roots(periods)
    variance, dof = variances(periods, field.scatter)
    error = loss_per_root(root) * np.sqrt(variance)  # of the loss, by the delta method
    half = quantile(CONFIDENCE, float(dof.min())) * float(np.hypot(*error))
    difference = float(periods["loss"].iloc[0] - periods["loss"].iloc[1])
    low, high = people_scale().widened(difference, difference - half, difference + half)
    return Change(difference, low, high, (half / WANTED) ** 2, int(periods["matches"].sum()))


def later_against_earlier(errors: Errors, model: RatingModel, offset: float, field: Field) -> Change | None:
    """Return how a player's rating changed from the earlier half of his matches to the later; None where one has none.

    `errors` are those of his matches in the order in which they were played.
    """
    places = np.arange(len(errors.match_length))
    halves = np.split(places, [len(places) // 2])
    periods = pd.DataFrame([rated(errors.at(half), model, offset) for half in halves])
    return change(periods, field) if (periods["moves"] > 0).all() else None


def credible(player: pd.DataFrame, field: Field, rate: float, moves: float) -> float:
    """Return the chance that a player shows a rate (a loss, PR) this low or lower by chance in `moves` unforced moves.

    `player` is one row of the player's OTHER matches, with the rate as `loss`; `field` is that of the same rate. What
    the player's own rate is, is uncertain too: shrunk towards the field, with the error that is left.
    """
    variance, dof = variances(player, field.scatter)
    share = field.sd**2 / (field.sd**2 + variance)
    mean = field.mean + share * (roots(player) - field.mean)
    spread = math.sqrt(float((share * variance)[0]) + field.scatter / moves)
    return float(special.stdtr(float(dof[0]), (max(rate, 0.0) ** 0.25 - float(mean[0])) / spread))


def chance_of_match(errors: Errors, match: int, model: RatingModel, offset: float, field: Field) -> float:
    """Return the chance, by the player's other matches, of a rating at least as high as that of one match (its place).

    NaN where there is no other.
    """
    places = np.arange(len(errors.match_length))
    others, alone = (rated(errors.at(part), model, offset) for part in (places[places != match], places[[match]]))
    if not others["moves"] > 0 or not alone["moves"] > 0:
        return math.nan
    return credible(pd.DataFrame([others]), field, alone["loss"], alone["moves"])
