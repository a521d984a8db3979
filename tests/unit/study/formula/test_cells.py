"""Matches of a design point, and estimators of the chance from them."""

import numpy as np
import pytest
import statsmodels.api as sm

from law_rules import common_coefficient, less_luck
from simulated_studies import one_point
from study.formula.cells import Results, actual, cells, control_variate, luck_adjusted


@pytest.mark.slow
def test_influence_on_a_pooled_rate_agrees_with_the_bootstrap():
    table, rng = one_point(300), np.random.default_rng(3)
    error = np.std(cells(table)[0].influence("epc"), ddof=1) / np.sqrt(300)
    drawn = []
    for _ in range(1000):
        again = table.sample(frac=1, replace=True, random_state=rng)
        drawn.append(cells(again)[0].difference("epc"))
    # A standard deviation of 1000 draws is within 8 % of the truth in all but one of 2000 cases.
    assert error == pytest.approx(np.std(drawn), rel=0.08)


RNG = np.random.default_rng(11)


def results(n=40):
    luck = RNG.normal(0, 0.3, (2, n))
    won = np.where(0.9 * luck[0] - 0.6 * luck[1] + RNG.normal(-0.05, 0.1, n) > 0, 0.5, -0.5)
    return Results(won, won - luck[0] + luck[1], luck[0], luck[1])


def test_plain_and_luck_adjusted_are_means_with_the_error_of_a_mean():
    won, adjusted = np.array([0.5, 0.5, 0.5, -0.5]), np.array([0.1, -0.1, 0.3, 0.1])
    four = Results(won, adjusted, np.zeros(4), np.zeros(4))
    assert actual(four) == (0.75, pytest.approx(0.25), 3)  # sd 1/2 over sqrt 4
    chance = luck_adjusted(four)
    assert chance.p == pytest.approx(0.6)
    assert chance.se == pytest.approx(np.sqrt(0.08 / 3 / 4))


def test_control_variate_leaves_every_match_out_of_its_own_coefficients():
    seen = results()
    design = np.column_stack([np.ones(40), seen.player_luck, seen.opponent_luck])
    freed = []
    for i in range(40):
        others = np.arange(40) != i
        fit = sm.OLS(seen.actual[others], design[others]).fit()
        freed.append(seen.actual[i] - design[i, 1:] @ fit.params[1:])
    chance = control_variate(seen)
    assert chance.p == pytest.approx(np.mean(freed) + 0.5, abs=1e-12)
    assert chance.se == pytest.approx(np.sqrt(np.var(freed) / 37), abs=1e-12)
    assert chance.dof == 37


@pytest.mark.parametrize("n", [1, 2, 4])
def test_too_few_matches_have_no_error(n):
    chance = control_variate(results(n))
    assert np.isnan(chance.se)
    assert 0 <= chance.p <= 1


def test_luck_that_does_not_vary_cannot_be_fitted():
    won = np.array([0.5, -0.5, 0.5, 0.5, -0.5, 0.5])
    chance = control_variate(Results(won, won, np.zeros(6), np.zeros(6)))
    assert np.isnan(chance.se)
    assert chance.p == pytest.approx(4 / 6)


def test_one_coefficient_of_luck_is_the_least_squares_one_with_a_mean_for_each_cell():
    other = one_point(60).assign(player="other", actual_result=RNG.choice([-0.5, 0.5], 60))
    both = [*cells(one_point(40)), *cells(other)]
    net = np.concatenate([cell.results.player_luck - cell.results.opponent_luck for cell in both])
    means = np.repeat(np.eye(2), [cell.n_matches for cell in both], axis=0)
    results = np.concatenate([cell.results.actual for cell in both])
    fit = sm.OLS(results, np.column_stack([net, means])).fit()
    assert common_coefficient(both) == pytest.approx(fit.params[0], abs=1e-12)


def test_luck_with_the_coefficient_1_is_the_luck_adjusted_result():
    seen = results()
    np.testing.assert_allclose(less_luck(seen, 1.0), seen.luck_adjusted)
    np.testing.assert_allclose(less_luck(seen, 0.0), seen.actual)
