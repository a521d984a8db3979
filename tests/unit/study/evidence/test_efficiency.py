"""Estimators side by side, efficiency and errors in variables: numbers by hand, and rows that say what is missing."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import simulated
from study.evidence import efficiency
from study.evidence.efficiency import errors_in_variables, estimator_table
from study.formula.cells import UnusableMatchesError
from study.formula.points import points


@pytest.fixture(scope="module")
def matches():
    return simulated.study(np.random.default_rng(12), lengths=(5,), matches=80)


def test_coefficients_and_variances_are_those_of_a_regression(matches):
    table = estimator_table(matches).set_index("player")
    assert len(table) == 16
    name = "intermediate+noise-0.4" if "intermediate+noise-0.4" in table.index else table.index[5]
    rows = matches[matches["player"] == name]
    luck = rows[["player_luck_mwc", "opponent_luck_mwc"]].to_numpy()
    fit = sm.OLS(rows["actual_result"].to_numpy(), sm.add_constant(luck)).fit()
    got = table.loc[name]
    assert got["player_luck_coefficient"] == pytest.approx(fit.params[1])
    assert got["opponent_luck_coefficient"] == pytest.approx(fit.params[2])
    assert got["luck_adjusted_variance"] == pytest.approx(rows["luck_adjusted_result"].var())
    assert got["control_over_adjusted"] == pytest.approx(
        got["control_variate_variance"] / got["luck_adjusted_variance"]
    )
    assert got["with_errors_variance"] < got["actual_variance"]


def test_points_without_an_estimate_say_so(matches):
    name = matches["player"].iloc[0]
    few = matches[matches["player"] == name].head(1)
    lost = matches[matches["player"] == matches["player"].iloc[-1]].assign(actual_result=-0.5)
    table = estimator_table(pd.concat([few, lost])).set_index("player")
    one, flat = table.loc[name], table.loc[lost["player"].iloc[0]]
    assert "too few matches" in one["status"]
    assert np.isnan(one["actual_variance"])
    assert pd.isna(one["narrowest"])
    assert "do not vary" in flat["status"]
    assert np.isnan(flat["control_over_adjusted"])
    holes = matches.assign(player_chequer_error_emg=np.nan)
    with pytest.raises(UnusableMatchesError, match="empty values in player_chequer_error_emg"):
        estimator_table(holes)


def coefficient(model, method, epc, length, term, estimate, error, chi_square=14.0):
    return {
        "model": model, "method": method, "epc_definition": epc, "match_length": length, "term": term,
        "estimate": estimate, "std_error": error, "chi_square": chi_square, "chi_square_dof": 14,
    }  # fmt: skip


def test_efficiency_by_hand():
    table = pd.DataFrame(
        [
            coefficient("bilinear-ols-bootstrap", "luck-adjusted", "today", 5, "b", 1000.0, 100.0),
            coefficient("bilinear-probability-bootstrap", "control-variate", "every", 5, "b", 4000.0, 160.0, 56.0),
            coefficient("bilinear-joint-probability-bootstrap", "control-variate", "every", 5, "b", 4000.0, 80.0, 25.0),
            coefficient(
                "bilinear-joint-probability-bootstrap", "control-variate", "every", None, "b_inv", 1.0, 1.0, 200.0
            )
            | {"chi_square_dof": 18},
            coefficient("even-joint-probability-bootstrap", "control-variate", "moves", 5, "b", 8000.0, 80.0),
            coefficient("even-joint-probability-bootstrap", "control-variate", "moves", None, "b_const", 1.0, 1.0, 32.0)
            | {"chi_square_dof": 8},
        ]
    )
    got = efficiency.efficiency(table)
    single, joint, even = (
        got[(got["model"] == model) & got["match_length"].notna()].iloc[0]
        for model in (efficiency.SINGLE, efficiency.JOINT, efficiency.EVEN)
    )
    assert single["ratio"] == pytest.approx(0.04 / 0.1)
    assert single["ratio_with_misfit"] == pytest.approx(0.4 * 2)
    assert joint["ratio"] == pytest.approx(0.2)
    assert joint["ratio_with_misfit"] == pytest.approx(0.2 * np.sqrt(200 / 18))
    # Joining adds 144 on 4 degrees of freedom to 56 on 14: F = 36 / 4.
    assert joint["ratio_with_joining"] == pytest.approx(0.2 * 3)
    assert single["ratio_with_joining"] == single["ratio"]
    assert even["ratio_with_misfit"] == pytest.approx(0.1 * 2)
    assert np.isnan(even["ratio_with_joining"])  # no length was fitted alone with this count
    means = got[got["match_length"].isna()]
    assert len(means) == 3
    assert set(means["bound"]) == {0.5, 0.35}
    assert efficiency.efficiency(table.head(1)).empty


def test_errors_in_the_rates_are_let_in(matches):
    table = points(matches)
    rows = table[table["method"] == "control-variate"]
    got = errors_in_variables(rows)
    assert set(got["epc_definition"]) == {"today", "2003", "every", "moves"}
    assert (got["shift"].abs() < 2).all()
    exact = errors_in_variables(
        rows.assign(**{name: 1e-9 for name in rows if name.startswith("ep") and name.endswith("_se")})
    )
    assert (exact["shift"].abs() < 1e-3).all()  # without errors in the rates it is weighted least squares
    assert errors_in_variables(rows.head(2)).empty
