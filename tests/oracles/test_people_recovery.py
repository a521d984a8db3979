"""Simulated people of known strength: how often the interval of F holds the truth.

How people are simulated: tests/simulated_people.py.
"""

import numpy as np
import pytest
from scipy import stats

import simulated_people
from bgrating.rating.choose import choose
from study.people import scale
from study.people.pairs import pairs

pytestmark = pytest.mark.nightly


def test_the_factor_is_found_where_errors_cost_what_the_formula_gives() -> None:
    """The likelihood has normal losses and errors; those of these collections are none of that."""
    formula = choose("published", "1.07.001").formula
    values, held = [], 0
    for seed in range(30):
        matches = simulated_people.collection(np.random.default_rng(seed))
        fitted = scale.Likelihood(scale.Meetings.of(pairs(matches), formula))
        row = scale.row_of(fitted)
        values.append(row["estimate"])
        held += row["ci_low"] <= 1.0 <= row["ci_high"]
    print("F", np.mean(values).round(3), "+-", np.std(values).round(3), "held", held)
    assert abs(np.mean(values) - 1) < 0.03 + 3 * np.std(values) / np.sqrt(30)
    assert held >= stats.binom.ppf(1e-4, 30, 0.9)
