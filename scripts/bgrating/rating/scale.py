"""How sure the scale of people's ratings is: how many times what the formula gives a difference may really be.

The formula was fitted to noise, and people's errors may cost more or less (study/people/scale.py). Ratings take it as
it is. The interval of a difference between people, and of a chance from it, allows for that.
"""

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("formulas.json")


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
        return (
            f"People's errors cost {self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}] times what the formula gives; "
            "intervals of differences between players allow for that."
        )


@cache
def people_scale() -> PeopleScale:
    """Return how sure the scale is (formulas.json, from results/1.08/people/scale.csv); other nets take it too."""
    return PeopleScale(**json.loads(FILE.read_text(encoding="utf-8"))["scale"])
