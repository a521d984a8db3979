"""The catalogue of fits: what it leaves out, refuses and hands on."""

import numpy as np
import pandas as pd
import pytest

import simulated_studies as simulated
from bgrating.rating import chances
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs_formula import win_probability
from study.formula import catalogue
from study.formula.catalogue import KEPT, KINDS, coefficients, evaluate, fit_all, form_of, read_off
from study.formula.design_points import points
from study.formula.regressions import BILINEAR, LINEAR, CoefficientFit, UndeterminedError, fit

TRUTH = simulated.Truth()


def exact(lengths=(3, 5, 7), error=0.01) -> pd.DataFrame:
    """Sixteen points a length that lie on the formula."""
    rows = []
    for length in lengths:
        for player in simulated.sixteen():
            rating = TRUTH.rating_difference(length, player.epm, player.epc)
            chance = float(win_probability(rating, length))
            about = {"match_length": length, "player": player.name, "opponent": "expert"}
            about |= {"epm": player.epm, "epc": player.epc, "method": "control-variate"}
            rows.append(about | {"n_matches": 100, "p_win": chance, "p_win_se": error})
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def matches():
    return simulated.study(np.random.default_rng(5), matches=40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_fit_finds_a_formula_that_the_points_lie_on(kind):
    answers = evaluate(KINDS[kind], BILINEAR, exact(), "today")
    assert set(answers) == {3, 5, 7} | ({None} if KINDS[kind].joint else set())
    for length, found in answers.items():
        truth = TRUTH.values() if length is None else TRUTH.at(length)
        np.testing.assert_allclose(found.estimate, [truth[term] for term in found.terms], rtol=1e-6)
    counted = 3 if KINDS[kind].joint else 1
    assert (answers[5].n_points, answers[5].n_matches) == (16 * counted, 1600 * counted)


def test_a_point_outside_the_ends_stays_in_the_probability_scale_and_is_named_in_the_other():
    rows = exact((5,))
    rows.loc[15, "p_win"] = -0.002
    ratings = fit(KINDS["ols"], rows, BILINEAR, "today")
    chances = fit(KINDS["probability"], rows, BILINEAR, "today")
    point = f"5 points, {rows['player'][15]} against expert"
    assert ratings.left_out == (f"{point}: the chance lies at or outside 0 and 1",)
    assert (ratings.n_points, chances.n_points, chances.left_out) == (15, 16, ())


def test_points_that_no_fit_can_use_are_named(matches):
    table = points(matches)
    table = table[table["method"] == "actual"].reset_index(drop=True)
    table.loc[0, "p_win_se"] = 0.0
    table.loc[1, "epc"] = np.nan
    found = evaluate(KINDS["ols"], BILINEAR, table, "today")
    first, second = found[3].left_out
    point = "3 points, expert+noise-0.1 against expert"
    assert first == f"{point}: no decisions to take an error rate from"
    assert second.endswith(
        "noise-0.05 against expert: the variance of its results is unknown or zero"
    )
    assert found[5].left_out == ()
    status = coefficients(results_of(found)).set_index(["match_length", "term"])["status"]
    assert status[3, "a2"].startswith(f"2 points left out: {point}")
    assert status[5, "a2"] == "ok"


def results_of(answers):
    fits = answers.items()
    return [catalogue.FitResult(BILINEAR, "ols", "actual", "today", n, one) for n, one in fits]


# One point is left at 11, of a player who errs with chequers as the opponent, but for rounding.
ONE_AT_11 = exact((5, 11)).head(17).replace({"epm": {0.0: -7e-12}})
TOO_FEW = "a2, b with an error need at least 3 usable design points, not 2$"


@pytest.mark.parametrize(
    ("kind", "rows", "said"),
    [
        ("ols", exact((5,)).assign(epc=0.0), "vary chequer and cube noise independently"),
        ("joint-probability", exact((5,)), "needs two match lengths"),
        ("probability", exact((5,)).head(2), TOO_FEW),
        ("joint-probability", ONE_AT_11, "do not separate"),
    ],
)
def test_points_that_determine_nothing_are_refused(kind, rows, said):
    with pytest.raises(UndeterminedError, match=said):
        fit(KINDS[kind], rows, BILINEAR, "today")


def test_a_length_that_cannot_be_fitted_says_so_and_the_others_go_on():
    two_at_5 = exact((3, 5)).head(18)
    answers = evaluate(KINDS["ols"], BILINEAR, two_at_5, "today")
    assert isinstance(answers[3], CoefficientFit)
    missing = coefficients(results_of(answers)).query("estimate.isna()")
    assert list(missing["term"]) == ["a2", "b"]
    assert missing["status"].str.contains("design points").all()


def test_a_fit_that_does_not_converge_raises(monkeypatch):
    monkeypatch.setattr(chances, "STEPS", 2)
    rows = exact()
    rows["p_win"] = np.random.default_rng(1).uniform(0.01, 0.99, len(rows))
    with pytest.raises(ConvergenceError, match="did not converge"):
        fit(KINDS["joint-probability"], rows, BILINEAR, "today")


def test_reading_off_a_line():
    terms = ("a2_const", "a2_inv", "b_const", "b_inv")
    estimate = np.array([8000.0, 30000, 900, -500])
    line = CoefficientFit(terms, estimate, np.diag([4.0, 100, 9, 25]), 44.0, (3, 5), 32, 100)
    at_5 = read_off(line, 5)
    assert at_5.terms == ("a2", "b")
    np.testing.assert_allclose(at_5.estimate, [14000, 800])
    np.testing.assert_allclose(at_5.covariance, [[4 + 100 / 25, 0], [0, 9 + 25 / 25]])


def test_the_design_says_which_form_it_determines(matches):
    assert form_of(points(matches)) == BILINEAR
    equal = matches[matches["player"].isin(["noise-0.04+noise-0.4"])].assign(chequer_noise=0.4)
    assert form_of(points(equal)) == LINEAR


def single(length, a):
    return CoefficientFit(("a",), np.array([a]), np.array([[25.0]]), 4.0, (length,), 5, 100)


def test_student_t_by_hand():
    result = catalogue.FitResult(LINEAR, "ols", "actual", "today", 5, single(5, 100.0))
    row, half = coefficients([result]).iloc[0], 5 * 2.131847
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((100 - half, 100 + half))


def test_the_lines_of_2003_go_through_n_times_the_coefficients_of_single_lengths():
    line = catalogue.lines_of_2003([single(length, 100.0 + 50.0 / length) for length in (3, 5, 11)])
    assert line.terms == ("a_const", "a_inv")
    assert line.estimate == pytest.approx([100.0, 50.0])
    assert line.dof == 1.0


def test_fits_are_those_that_are_read_beside_published_values_by_the_same_count(matches):
    table = coefficients(fit_all(points(matches)))
    kinds = table[["model", "method", "epc_definition"]].drop_duplicates()
    assert len(kinds) == len(KEPT) + 1
    assert (kinds["model"] == "bilinear-ols-lines").sum() == 1
    here = table[(table["model"] == "bilinear-probability") & (table["match_length"] == 5)]
    here = here.set_index(["epc_definition", "term"])
    # They have more close decisions by the rule of 2003, so the same errors weigh more.
    ratio = here["estimate"]["2003", "b"] / here["estimate"]["today", "b"]
    assert ratio == pytest.approx(1.4, rel=0.15)
    found = here["value_2003"]
    assert found["2003-averaged", "a2"] == pytest.approx(8798 + 25526 / 5)
    assert found["2003-averaged", "b"] == pytest.approx(863 - 519 / 5)
    assert found[["today", "2003"]].isna().all()
    chosen = table[table["recommended"]]
    assert chosen["model"].unique().tolist() == ["bilinear-joint-probability-clustered"]
    assert chosen["match_length"].isna().all()
