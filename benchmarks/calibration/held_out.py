"""Calibration on people: rated by two of their matches, and again by the others.

Every person of the field with enough matches is left out of it, and then rated by two matches drawn
at random. The rating by the remaining matches stands for the truth; its own error widens the
interval. A person is a unit. The slope is that of the rating by the remaining matches on the rating
by two.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from statsmodels.api import OLS, add_constant

from bgrating.people.players import errors_of, players_table
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import losses
from calibration import worlds
from calibration.rows import Row, Said, Scale, interval_row

LEAST_MATCHES = 5
RATED_BY = 2
DRAWS = 4
"""Draws of two matches from those of a person."""
WIDTH = 100.0
"""Width of the interval from two matches before this table, in points."""


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the row of people who were left out."""
    stored = worlds.stored()
    counts = stored["player"].value_counts(sort=False)
    people = counts[counts >= LEAST_MATCHES].index
    people = people[: max(20, round(len(people) * scale.share))]
    found = pd.concat([_person(stored, person, rng) for person in people], ignore_index=True)
    ends = found["low"], found["high"], found["rating"], found["truth"]
    row = interval_row("rate.held_out", Said(found["unit"], *ends))
    fitted = OLS(found["truth"], add_constant(found["rating"])).fit(
        cov_type="cluster", cov_kwds={"groups": found["unit"]}
    )
    yield replace(
        row,
        width=float(found["width"].mean()) / WIDTH,
        slope=float(fitted.params["rating"]),
        slope_se=float(fitted.bse["rating"]),
    )


def _person(stored: pd.DataFrame, person: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the ratings of a person by each draw of matches, and by the remaining ones."""
    others = stored[stored["player"] != person]
    own = stored[stored["player"] == person]
    names = [f"{number}.mat" for number in range(len(own))]
    absent = dict.fromkeys(worlds.ABSENT, np.nan)
    own = own.assign(file=names, match=1, date="", player="p", opponent="o", **absent)
    drawn = []
    for _ in range(DRAWS):
        order = rng.permutation(len(own))
        two = own.iloc[order[:RATED_BY]]
        table, _ = players_table(two, worlds.model(), worlds.OFFSET, others)
        rest = own.iloc[order[RATED_BY:]]
        number = np.zeros(len(rest), dtype=np.intp)
        known = losses(errors_of(rest, worlds.model()), number, worlds.model().formula).iloc[0]
        error = quantile(CONFIDENCE, float(len(rest) - 1)) * known["own_se"]
        shown = table.iloc[0]
        drawn.append(
            {
                "unit": person,
                "rating": shown["rating"],
                "width": shown["ci_high"] - shown["ci_low"],
                "low": shown["rating"] - np.hypot(shown["rating"] - shown["ci_low"], error),
                "high": shown["rating"] + np.hypot(shown["ci_high"] - shown["rating"], error),
                "truth": worlds.OFFSET - known["loss"],
            }
        )
    return pd.DataFrame(drawn)
