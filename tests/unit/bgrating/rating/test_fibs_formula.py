import numpy as np
import pytest

from bgrating.rating import terms
from bgrating.rating.fibs_formula import rating_difference, rating_difference_se, win_probability
from corpus import cases


@pytest.mark.parametrize(("difference", "length", "one_in"), cases("values.fibs_chances"))
def test_chances_known_by_hand(difference, length, one_in):
    chance = 1 / one_in
    assert terms.chance(float(difference), length) == pytest.approx(chance, rel=1e-12)
    assert win_probability(difference, length) == pytest.approx(chance, rel=1e-12)
    assert rating_difference(chance, length) == pytest.approx(difference, rel=1e-12, abs=1e-9)


def test_standard_error_is_the_slope_times_the_error_of_the_chance():
    p, step = np.array([0.03, 0.3, 0.5, 0.9]), 1e-6
    slope = (rating_difference(p + step, 5) - rating_difference(p - step, 5)) / (2 * step)
    np.testing.assert_allclose(rating_difference_se(p, 0.02, 5), np.abs(slope) * 0.02, rtol=1e-6)
    # By hand at P = 1/2, N = 4: 2000 / (ln 10 * 2 * 1/4) = 1737.18.
    assert rating_difference_se(0.5, 1.0, 4) == pytest.approx(1737.1779, rel=1e-6)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.01, 1.01, np.nan])
def test_a_chance_at_or_outside_the_ends_has_no_rating_difference(p):
    assert np.isnan(rating_difference(p, 5))
    assert np.isnan(rating_difference_se(p, 0.1, 5))
