"""The fourth test: its rule, its design and power as written down, and the position on simulated matches."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.play import designs
from bgrating.play.designs import frozen_matches, frozen_table
from bgrating.play.matches import read_checked
from bgrating.rating.fibs import win_probability
from study.law import FOURTH_TEST, between
from study.law.forms import Points, points_of
from study.law.tests import fixed_coefficients

LAW_FOLDER = committed_results("1.08") / "law"
FIXED = fixed_coefficients(LAW_FOLDER / f"{FOURTH_TEST}-fixed.json")


@pytest.fixture(scope="module")
def points() -> Points:
    """Return the points of the test as played, without the errors of their rates."""
    results, design = committed_results("1.08"), designs.design(FOURTH_TEST)
    tables = [read_checked(frozen_table(results, FOURTH_TEST, n)) for n in frozen_matches(results, design)]
    return points_of({FOURTH_TEST: pd.concat(tables)}).as_if_rates_were_exact()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.5, 0.9, "law"), (0.1, 1.2, "frozen"), (-0.1, 1.1, "undecided"), (0.1, 0.9, "both refuted"),
        (1.1, 2.0, "both refuted"), (-1.0, -0.1, "both refuted"),
    ],
)  # fmt: skip
def test_the_verdict_is_the_one_written_down(low: float, high: float, said: str) -> None:
    assert between.verdict(low, high) == said


@pytest.mark.parametrize(("name", "position"), [("law", 0.0), ("frozen", 1.0)])
def test_a_true_form_is_found_with_the_spread_that_its_error_says(points: Points, name: str, position: float) -> None:
    rng, found, errors = np.random.default_rng(20), [], []
    form, (estimate, _) = between.PAIR[name], FIXED[name]
    chance = win_probability(form.difference(points.rates, points.length, estimate), points.length)
    spread = np.sqrt(points.covariance[:, 0, 0])
    for _ in range(200):
        seen = replace(points, chance=chance + rng.normal(0, spread))
        first = between.positions(seen, FIXED).iloc[0]
        found.append(first["position"])
        errors.append(first["std_error"])
    assert np.mean(found) == pytest.approx(position, abs=4 * errors[0] / np.sqrt(200))
    assert np.std(found) == pytest.approx(errors[0], rel=0.2)
