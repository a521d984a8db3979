"""The parts of the check on people against other libraries and figures known by hand."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from bgrating.formula.field import random_effects
from bgrating.formula.published import published_formula
from bgrating.gnubg.nets import kept
from bgrating.people import calibration, shape
from bgrating.people.conversions import beside_xg
from bgrating.people.error_cost import fit_matches
from bgrating.people.pairs import credibility, frozen, pairs, rate_differences, rates_elsewhere, within_variance


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


def test_the_fit_of_single_matches_is_the_one_of_scipy_with_robust_errors() -> None:
    from scipy.optimize import least_squares

    table = frozen(kept("1.07.001"), "part2", 5).iloc[::20]
    formula = published_formula("bilinear")
    found = fit_matches(table, "today", formula)
    lengths = table["match_length"].to_numpy()
    units = np.column_stack([formula.coefficient(name, lengths)[0] for name in ("a2", "b")])
    design = rate_differences(table, "today") * units
    result = table["luck_adjusted_result"].to_numpy() + 0.5
    chance = lambda c: 1 / (1 + 10 ** (design @ c * np.sqrt(lengths) / 2000))  # noqa: E731
    other = least_squares(lambda c: result - chance(c), np.ones(2), xtol=1e-14, ftol=1e-14)
    assert found.estimate == pytest.approx(other.x, rel=1e-6)
    # The sandwich of the linearised fit is HC1 of a linear regression on its Jacobian.
    linear = sm.OLS(other.fun - other.jac @ other.x, -other.jac).fit(cov_type="HC1")
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(linear.bse, rel=1e-4)


def test_random_effects_agree_with_statsmodels() -> None:
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(2)
    variance = rng.uniform(1, 9, 30)
    value = rng.normal(5, np.sqrt(variance + 4))
    mean, error, between = random_effects(value, variance)
    theirs = combine_effects(value, variance, method_re="pm", use_t=True)
    assert between == pytest.approx(theirs.tau2, rel=1e-4)
    assert mean == pytest.approx(theirs.mean_effect_re, rel=1e-6)
    assert error == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-4)


def test_slope_without_noise_is_the_weighted_least_squares_one() -> None:
    rng = np.random.default_rng(1)
    x, weight = rng.normal(0, 1, 40), rng.uniform(0.5, 2, 40)
    y = 2 * x + rng.normal(0, 0.3, 40)
    slope, error = calibration.slope_of(x, y, np.zeros(40), weight)
    fit = sm.WLS(y, sm.add_constant(x), weights=weight).fit(cov_type="HC3")
    assert slope == pytest.approx(fit.params[1])
    assert error == pytest.approx(fit.bse[1], rel=0.1)


def test_credibility_by_hand() -> None:
    """Two players with two matches of ten decisions each: within and between can be worked out on paper."""
    player = np.array([0, 0, 1, 1])
    errors, decisions = np.array([1.0, 3.0, 6.0, 8.0]), np.full(4, 10.0)
    # Rates 0.1, 0.3 and 0.6, 0.8: within per decision = 10 (4 x 0.1^2) / 2 = 0.2; means 0.2 and 0.7.
    assert within_variance(player, errors, decisions) == pytest.approx(0.2)
    # Between = (20 (0.25^2 x 2) - 0.2) / (40 - 800 / 40) = (2.5 - 0.2) / 20 = 0.115.
    found = credibility(player, errors, decisions)
    assert found.worth == pytest.approx(0.2 / 0.115)
    assert found.mean == pytest.approx(0.45)


def test_a_match_is_not_predicted_from_itself() -> None:
    number = np.array([[0, 1], [0, 1], [0, 2]])
    errors = np.array([[1.0, 2.0], [1.0, 2.0], [9.0, 5.0]])
    decisions = np.full((3, 2), 10.0)
    before = rates_elsewhere(number, errors, decisions)
    errors[2, 0] = 1.0
    after = rates_elsewhere(number, errors, decisions)
    # Only through the mean and its worth, not through the player's own sum.
    credible = credibility(number.ravel(), errors.ravel(), decisions.ravel())
    assert after[2, 0] == pytest.approx(credible.rate(np.array([2.0]), np.array([20.0]))[0])
    assert before[0, 0] > after[0, 0]


def test_noise_is_mixed_to_the_error_rate_of_people() -> None:
    levels = pd.DataFrame(
        {
            "chequer_noise": [0.01, 0.02], "unforced_moves": [100, 100], "chequer_error_emg": [1.0, 3.0],
            "chequer_error_sizes": ["90 0 0 0 0 0 0 0 10 0 0 0", "80 0 0 0 0 0 0 0 0 20 0 0"],
            "chequer_loss_by_size": ["0 0 0 0 0 0 0 0 10000 0 0 0", "0 0 0 0 0 0 0 0 0 30000 0 0"],
        }
    )  # fmt: skip
    mixed = shape._mixed_sizes(levels, shape.DECISIONS["chequer play"], 0.02, np.random.default_rng(0))
    assert mixed is not None
    assert mixed.share[0, 0] == pytest.approx(0.85)
    assert mixed.loss[0].sum() == pytest.approx(0.02)
    assert mixed.loss[0, 8] / mixed.loss[0].sum() == pytest.approx(0.25)


def test_pairs_need_luck_and_an_end() -> None:
    import simulated_people

    table, _ = simulated_people.collection(np.random.default_rng(1), matches=20)
    assert len(pairs(table)) == 20
    table.loc[table["file"] == "00003.mat", "luck_adjusted_result"] = np.nan
    table.loc[table["file"] == "00004.mat", "match_length"] = 0
    assert len(pairs(table)) == 18


def test_xg_s_own_pr_stands_beside_ours_where_eight_players_have_it() -> None:
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        {
            "player": [f"p{number}" for number in range(9)],
            "file": "a.xg",
            "match": range(9),
            "chequer_error_emg": rng.uniform(0.2, 2.0, 9),
            "cube_error_emg": rng.uniform(0.0, 1.0, 9),
            "unforced_moves": rng.integers(60, 120, 9),
            "close_cube_decisions": rng.integers(5, 20, 9),
        }
    )
    rows["xg_chequer_error_emg"] = 1.5 * rows["chequer_error_emg"]
    rows["xg_cube_error_emg"] = 1.5 * rows["cube_error_emg"]
    rows["xg_decisions"] = 1.2 * (rows["unforced_moves"] + rows["close_cube_decisions"])
    rows.loc[8, "xg_decisions"] = math.nan  # a match that XG has not analysed
    (row,) = beside_xg(rows)
    assert [row["estimate"], row["ci_low"], row["ci_high"]] == pytest.approx([1.25] * 3)
    assert row["n_players"] == 8
    assert beside_xg(rows[1:]) == []
