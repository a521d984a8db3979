"""How sure the scale of people's ratings is: how many times what the formula gives a difference may really be.

The formula was fitted to noise, and people's errors may cost more or less (study/people/scale.py). Ratings take it as
it is. The interval of a difference between people, and of a chance from it, allows for that.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bgrating.engine.nets import kept
from bgrating.tables.tables import read_table

NETS = "1.08"
"""Whose nets judged the people that the scale comes from."""


@dataclass(frozen=True)
class PeopleScale:
    """The factor by which people's differences exceed the formula's, with its 90 % interval."""

    estimate: float
    low: float
    high: float

    def widened(self, difference: float, low: float, high: float) -> tuple[float, float]:
        """Return the ends of a difference's interval with the scale's uncertainty; the difference stays as it is."""
        less, more = max(0.0, 1 - self.low) * abs(difference), max(0.0, self.high - 1) * abs(difference)
        down, up = (less, more) if difference >= 0 else (more, less)
        return difference - math.hypot(difference - low, down), difference + math.hypot(high - difference, up)

    @property
    def words(self) -> str:
        """Say it in a sentence, for pages."""
        return (
            f"People's errors cost {self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}] times what the formula gives; "
            "intervals of differences between players allow for that."
        )


def scale_table() -> Path:
    """Return the table of what people's errors cost."""
    return kept(NETS) / "people" / "scale.csv"


@cache
def people_scale() -> PeopleScale:
    """Return how sure the scale is. It was found with NETS; other nets take it too."""
    rows = read_table(scale_table())
    row = rows[(rows["group"] == "all matches") & (rows["estimator"] == "all estimators")].iloc[0]
    return PeopleScale(*(float(row[name]) for name in ("estimate", "ci_low", "ci_high")))
