"""Calibration against recorded ratings: the scatter of a site, and slopes."""

import math

import numpy as np
import pytest
import statsmodels.api as sm

from study.people import calibration


def test_the_site_noise_is_what_a_simulated_site_shows() -> None:
    """Ratings that follow the rules of FIBS, against opponents of known strength: the scatter after many matches."""
    rng = np.random.default_rng(4)
    truth, rating = np.zeros(2000), np.zeros(2000)
    for _ in range(3000):
        length, opponent = rng.choice([1, 3, 5, 7]), rng.normal(0, 100, 2000)

        def chance(own: np.ndarray, n: int = length, other: np.ndarray = opponent) -> np.ndarray:
            return 1 / (1 + 10 ** ((other - own) * math.sqrt(n) / 2000))

        won = rng.random(2000) < chance(truth)
        rating += 4 * math.sqrt(length) * (won - chance(rating))
    assert rating.std() == pytest.approx(calibration.RECORDED_SD, rel=0.06)


def test_slope_without_noise_is_the_weighted_least_squares_one() -> None:
    rng = np.random.default_rng(1)
    x, weight = rng.normal(0, 1, 40), rng.uniform(0.5, 2, 40)
    y = 2 * x + rng.normal(0, 0.3, 40)
    slope, error = calibration.slope_of(x, y, np.zeros(40), weight)
    fit = sm.WLS(y, sm.add_constant(x), weights=weight).fit(cov_type="HC3")
    assert slope == pytest.approx(fit.params[1])
    assert error == pytest.approx(fit.bse[1], rel=0.1)
