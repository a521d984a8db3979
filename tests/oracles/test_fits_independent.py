"""The fit of chances by the formula written out, whatever library finds it."""

import numpy as np
import pytest

import simulated
from bgrating.rating.fibs import win_probability
from study.formula.points import BILINEAR, observations, points
from study.formula.regressions import fit_chances


def test_fit_of_chances_is_at_a_least_of_chi_square():
    table = points(simulated.study(np.random.default_rng(21), matches=80))
    seen = observations(table[table["method"] == "luck-adjusted"], BILINEAR)
    fit = fit_chances(seen, seen.predictors, BILINEAR.terms)

    def chi_square(estimate):
        chance = win_probability(seen.predictors @ estimate, seen.match_length)
        return np.sum(((seen.p - chance) / seen.p_se) ** 2)

    assert fit.chi_square == pytest.approx(chi_square(fit.estimate))
    for step in ([1, 0], [-1, 0], [0, 1], [0, -1]):
        assert chi_square(fit.estimate + np.array(step)) > fit.chi_square
