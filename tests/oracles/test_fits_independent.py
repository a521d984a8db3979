"""The fits against other routes to the same numbers: numpy, scipy and formulas written out."""

import numpy as np
import pytest
import statsmodels.api as sm

import simulated
from bgrating.rating.fibs import win_probability
from study.formula.catalogue import joint
from study.formula.points import BILINEAR, line_design, observations, points
from study.formula.regressions import fit_chances, fit_ratings

TERMS = BILINEAR.terms


@pytest.fixture(scope="module")
def seen():
    table = points(simulated.study(np.random.default_rng(21), matches=80))
    return observations(table[table["method"] == "luck-adjusted"], BILINEAR)


@pytest.fixture(scope="module")
def at_5(seen):
    return seen.at_length(5)


def test_published_least_squares_is_that_of_numpy(at_5):
    fit = fit_ratings(at_5, at_5.predictors, TERMS)
    x, y = at_5.predictors, at_5.rating_difference
    estimate, squares, _, _ = np.linalg.lstsq(x, y)
    np.testing.assert_allclose(fit.estimate, estimate, rtol=1e-9)
    np.testing.assert_allclose(fit.covariance, squares[0] / 14 * np.linalg.inv(x.T @ x), rtol=1e-9)
    assert list(fit.dof) == [14, 14]


def test_weighted_least_squares_is_least_squares_of_scaled_rows(at_5):
    fit = fit_ratings(at_5, at_5.predictors, TERMS, weighted=True)
    weight = 1 / at_5.rating_difference_se
    x, y = at_5.predictors * weight[:, None], at_5.rating_difference * weight
    estimate, squares, _, _ = np.linalg.lstsq(x, y)
    np.testing.assert_allclose(fit.estimate, estimate, rtol=1e-9)
    np.testing.assert_allclose(fit.covariance, squares[0] / 14 * np.linalg.inv(x.T @ x), rtol=1e-9)


class Chances(sm.families.Gaussian):
    """Normal errors and a logit link, which statsmodels takes for a slip."""

    links = (sm.families.links.Logit,)
    safe_links = (sm.families.links.Logit,)


@pytest.mark.parametrize("over_all_lengths", [False, True])
def test_fit_of_chances_is_a_generalised_linear_model(seen, at_5, over_all_lengths):
    # The FIBS formula is a logit link: ln(P / (1 - P)) = -ln(10) sqrt(N) / 2000 R.
    data = seen if over_all_lengths else at_5
    design = line_design(data.predictors, data.match_length) if over_all_lengths else data.predictors
    fit = joint(data, BILINEAR, fit_chances) if over_all_lengths else fit_chances(data, design, TERMS)
    link = design * (-np.log(10) * np.sqrt(data.match_length) / 2000)[:, None]
    model = sm.GLM(data.p, link, family=Chances(sm.families.links.Logit()), var_weights=data.p_se**-2)
    by_hand = model.fit(start_params=fit.estimate * 1.01, tol=1e-14)
    np.testing.assert_allclose(fit.estimate, by_hand.params, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(fit.std_error, by_hand.bse, rtol=1e-4)
    assert fit.chi_square == pytest.approx(by_hand.pearson_chi2)


def test_fit_of_chances_is_at_a_least_of_chi_square(at_5):
    fit = fit_chances(at_5, at_5.predictors, TERMS)

    def chi_square(estimate):
        return np.sum(((at_5.p - win_probability(at_5.predictors @ estimate, 5)) / at_5.p_se) ** 2)

    assert fit.chi_square == pytest.approx(chi_square(fit.estimate))
    for step in ([1, 0], [-1, 0], [0, 1], [0, -1]):
        assert chi_square(fit.estimate + np.array(step)) > fit.chi_square


def test_one_joint_fit_of_ratings_is_a_regression_with_interactions(seen):
    fit = joint(seen, BILINEAR, lambda p, x, terms: fit_ratings(p, x, terms, weighted=True))
    inverse = 1 / seen.match_length
    epm, epc = seen.predictors.T
    design = np.column_stack([epm, epm * inverse, epc, epc * inverse])
    by_hand = sm.WLS(seen.rating_difference, design, weights=seen.rating_difference_se**-2).fit()
    np.testing.assert_allclose(fit.estimate, by_hand.params, rtol=1e-9)
    np.testing.assert_allclose(fit.std_error, by_hand.bse, rtol=1e-9)
    assert fit.terms == ("a2_const", "a2_inv", "b_const", "b_inv")
