"""The regressions, shapes and catalogue: what they leave out, refuse and hand on."""

import numpy as np
import pytest

import simulated
from bgrating.rating import chances
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs import win_probability
from study.formula import catalogue
from study.formula.catalogue import KEPT, KINDS, coefficients, evaluate, fit_all, form_of, joint, read_off
from study.formula.points import BILINEAR, LINEAR, Observations, observations, points
from study.formula.regressions import CoefficientFit, UndeterminedError, fit_chances, fit_ratings

TRUTH = simulated.Truth()


def exact(lengths=(3, 5, 7), truth=TRUTH, p_se=0.01) -> Observations:
    """Sixteen points a length that lie on the formula."""
    players = simulated.sixteen()
    length = np.repeat(lengths, len(players))
    predictors = np.tile([[p.epm, p.epc] for p in players], (len(lengths), 1))
    rating = [truth.rating_difference(n, *x) for n, x in zip(length, predictors, strict=True)]
    return Observations(
        match_length=length,
        predictors=predictors,
        p=win_probability(rating, length),
        p_se=np.full(len(length), p_se),
        n_matches=np.full(len(length), 100),
        pairs=np.array([str(i) for i in range(len(length))]),
    )


@pytest.fixture(scope="module")
def matches():
    return simulated.study(np.random.default_rng(5), matches=40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_fit_finds_a_formula_that_the_points_lie_on(kind):
    answers = evaluate(KINDS[kind], BILINEAR, exact())
    assert set(answers) == {3, 5, 7} | ({None} if KINDS[kind].joint else set())
    for length, fit in answers.items():
        truth = TRUTH.values() if length is None else TRUTH.at(length)
        np.testing.assert_allclose(fit.estimate, [truth[term] for term in fit.terms], rtol=1e-6)
    counted = 3 if KINDS[kind].joint else 1
    assert (answers[5].n_points, answers[5].n_matches) == (16 * counted, 1600 * counted)


def test_a_point_outside_the_ends_stays_in_the_probability_scale_and_is_named_in_the_other():
    points = exact((5,))
    points.p[15] = -0.002
    ratings = fit_ratings(points, points.predictors, ("a2", "b"))
    assert ratings.left_out == ("5 points, 15: the chance lies at or outside 0 and 1",)
    assert ratings.n_points == 15
    chances = fit_chances(points, points.predictors, ("a2", "b"))
    assert chances.left_out == ()
    assert chances.n_points == 16


def test_points_that_no_fit_can_use_are_named(matches):
    table = points(matches)
    table = table[table["method"] == "actual"].copy()
    table.iloc[0, table.columns.get_loc("p_win_se")] = 0.0
    table.iloc[1, table.columns.get_loc("epc")] = np.nan
    seen = observations(table, BILINEAR)
    assert len(seen) == 46
    assert seen.left_out == (
        "3 points, expert+noise-0.1 against expert: no decisions to take an error rate from",
        "3 points, expert+noise-0.05 against expert: the variance of its results is unknown or zero",
    )
    assert len(observations(table, LINEAR)) == 47
    status = coefficients(
        catalogue.FitResult(BILINEAR, "ols", "actual", "today", n, fit)
        for n, fit in evaluate(KINDS["ols"], BILINEAR, seen).items()
    ).set_index(["match_length", "term"])["status"]
    assert status[3, "a2"].startswith("2 points left out: 3 points, expert+noise-0.1 against expert")
    assert status[5, "a2"] == "ok"


def test_observations_take_one_method_at_a_time(matches):
    with pytest.raises(ValueError, match="one method at a time"):
        observations(points(matches), BILINEAR)


def test_a_singular_design_is_refused():
    flat = exact((5,))
    flat.predictors[:, 1] = 0
    with pytest.raises(UndeterminedError, match="vary chequer and cube noise independently"):
        fit_ratings(flat, flat.predictors, ("a2", "b"))
    with pytest.raises(UndeterminedError, match="needs two match lengths"):
        joint(exact((5,)), BILINEAR, fit_chances)
    two = exact((5,)).select(np.arange(16) < 2)
    with pytest.raises(UndeterminedError, match="2 usable design points do not determine a2, b with an error"):
        fit_chances(two, two.predictors, ("a2", "b"))


def test_a_design_that_rounding_alone_makes_whole_is_refused():
    some = exact((5, 11)).select(np.arange(32) < 17)  # one point is left at 11
    some.predictors[16, 0] = -7e-12  # of a player whose chequer errors are those of his opponent
    with pytest.raises(UndeterminedError, match="do not separate"):
        joint(some, BILINEAR, fit_chances)


def test_a_length_that_cannot_be_fitted_says_so_and_the_others_go_on():
    some = exact((3, 5)).select(np.arange(32) < 18)  # two points are left at 5
    answers = evaluate(KINDS["ols"], BILINEAR, some)
    assert isinstance(answers[3], CoefficientFit)
    assert isinstance(answers[5], UndeterminedError)
    table = coefficients(catalogue.FitResult(BILINEAR, "ols", "actual", "today", n, fit) for n, fit in answers.items())
    missing = table[table["estimate"].isna()]
    assert list(missing["term"]) == ["a2", "b"]
    assert missing["status"].str.contains("design points").all()
    assert isinstance(evaluate(KINDS["joint-probability"], BILINEAR, exact((5,)))[None], UndeterminedError)


def test_a_fit_that_does_not_converge_raises(monkeypatch):
    monkeypatch.setattr(chances, "STEPS", 2)
    points = exact()
    points.p[:] = np.random.default_rng(1).uniform(0.01, 0.99, len(points))
    with pytest.raises(ConvergenceError, match="did not converge"):
        joint(points, BILINEAR, fit_chances)


def single(length, a, variance, dof):
    return CoefficientFit(("a",), np.array([a]), np.array([[variance]]), np.array([dof]), (length,), 5, 100)


def test_reading_off_a_line():
    fit = CoefficientFit(
        ("a2_const", "a2_inv", "b_const", "b_inv"),
        np.array([8000.0, 30000, 900, -500]),
        np.diag([4.0, 100, 9, 25]),
        np.full(4, 44.0),
        (3, 5),
        32,
        100,
    )
    at_5 = read_off(fit, 5)
    assert at_5.terms == ("a2", "b")
    np.testing.assert_allclose(at_5.estimate, [14000, 800])
    np.testing.assert_allclose(at_5.covariance, [[4 + 100 / 25, 0], [0, 9 + 25 / 25]])


def test_the_design_says_which_form_it_determines(matches):
    assert form_of(points(matches)) == BILINEAR
    equal = matches[matches["player"].isin(["noise-0.04+noise-0.4"])].assign(chequer_noise=0.4)
    assert form_of(points(equal)) == LINEAR


def test_student_t_by_hand():
    result = catalogue.FitResult(LINEAR, "ols", "actual", "today", 5, single(5, 100.0, 25.0, 4.0))
    row = coefficients([result]).iloc[0]
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((100 - 5 * 2.131847, 100 + 5 * 2.131847))


def test_fits_are_those_that_are_read(matches):
    table = coefficients(fit_all(points(matches)))
    kinds = table[["model", "method", "epc_definition"]].drop_duplicates()
    assert len(kinds) == sum(map(len, KEPT.values()))
    assert set(kinds["epc_definition"]) == {"today", "2003"}
    # The simulated players have more close decisions by the rule of 2003, so the same errors weigh more.
    b = table[(table["model"] == "bilinear-probability") & (table["term"] == "b") & (table["match_length"] == 5)]
    b = b.set_index("epc_definition")["estimate"]
    assert b["2003"] == pytest.approx(1.4 * b["today"], rel=0.05)
