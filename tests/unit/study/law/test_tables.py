"""The formula of an engine."""

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.play.matches import read_checked
from bgrating.rating.formula import read_formula
from bgrating.tables.tables import read_table
from study.law import CUBES, FIFTH_TEST, FOURTH_TEST, LIMIT, STUDIES
from study.law.forms import FORMS, Fitted, Points, points_of, smooth, together
from study.law.tables import coefficients, later_apart, rated, shipped, widened
from study.law.tests import FAILED, PASSED, fixed_coefficients


def fourth(verdict: str, position: float) -> pd.DataFrame:
    """Return the table of the fourth test: what decides, and a last row that does not."""
    first = {"verdict": verdict, "position": position, "slope_law": 0.96, "slope_frozen": 1.02}
    return pd.DataFrame([first, {"verdict": "law", "position": 0.0, "slope_law": 0.5, "slope_frozen": 0.5}])


def judged(law: str, frozen: str) -> pd.DataFrame:
    """Return the table of tests: the verdict of each form in the fourth test, and another test that does not count."""
    rows = [("short-long", "law", FAILED, 0.5), (FOURTH_TEST, "law", law, 0.97), (FOURTH_TEST, "frozen", frozen, 1.03)]
    return pd.DataFrame(rows, columns=["study", "form", "verdict", "slope"])


@pytest.mark.parametrize(
    ("verdict", "position", "ships"),
    [
        ("law", 0.1, ("law", 1.0)), ("frozen", 0.7, ("frozen", 1.0)), ("undecided", 0.7, ("law", 0.96)),
        ("both refuted", 0.4, ("law", 0.96)), ("both refuted", 0.6, ("frozen", 1.02)),
        ("both refuted", 1.6, ("frozen", 1.02)),
    ],
)  # fmt: skip
def test_what_ships_is_what_was_written_down(verdict: str, position: float, ships: tuple[str, float]) -> None:
    assert shipped(fourth(verdict, position), judged(PASSED, PASSED)) == ships


def test_a_form_that_wins_and_does_not_pass_gets_wider_intervals() -> None:
    assert shipped(fourth("frozen", 0.7), judged(PASSED, FAILED)) == ("frozen", 1.03)
    assert shipped(fourth("frozen", 0.7), judged(FAILED, PASSED)) == ("frozen", 1.0)
    assert shipped(fourth("law", 0.1), judged(FAILED, PASSED)) == ("law", 0.97)


def test_a_form_that_fails_in_the_fifth_test_gets_the_wider_of_both_intervals() -> None:
    fifth = pd.DataFrame([(FIFTH_TEST, "frozen", FAILED, 0.96)], columns=["study", "form", "verdict", "slope"])
    assert shipped(fourth("frozen", 0.7), pd.concat([judged(PASSED, PASSED), fifth])) == ("frozen", 0.96)
    assert shipped(fourth("frozen", 0.7), pd.concat([judged(PASSED, FAILED), fifth])) == ("frozen", 0.96)
    assert shipped(fourth("law", 0.1), pd.concat([judged(PASSED, PASSED), fifth])) == ("law", 1.0)


def test_what_was_played_after_the_tests_is_a_study_of_its_own() -> None:
    held = {"part1": pd.DataFrame({"match_length": [5, 7, 11, 23]}), "part2": pd.DataFrame({"match_length": [23]})}
    apart = later_apart(held, "1.08")
    assert [table["match_length"].tolist() for table in (apart["part1"], apart[FIFTH_TEST])] == [[5, 7], [11, 23]]
    assert apart["part2"] is held["part2"]
    assert later_apart(held, "1.07.001") == held


def test_nets_without_the_test_take_its_form_and_without_any_test_it_is_the_law() -> None:
    elsewhere = judged(PASSED, PASSED).iloc[:0]
    assert shipped(fourth("frozen", 0.7), elsewhere) == ("frozen", 1.0)
    assert shipped(pd.DataFrame(), elsewhere) == ("law", 1.0)


def test_the_frozen_form_rates_as_the_form_that_was_tested() -> None:
    """The evaluator of the product against the form of the study, and its errors against drawn coefficients."""
    rng, form = np.random.default_rng(4), FORMS["denominator"].with_one()
    estimate = np.array([11_000.0, 20_000.0, 9_800.0, 4.0, 33_000.0])
    covariance = np.diag([100.0, 600.0, 70.0, 0.3, 800.0]) ** 2
    one = Points(*(np.zeros((1, 14)) if name == "rates" else np.ones(1) for name in Points.__dataclass_fields__))
    formula = rated(Fitted(form, estimate, covariance, one, 1.0))
    lengths, rates = np.array([1.0, 3.0, 11.0, 25.0]), np.zeros((4, 14))
    rates[:, 0], rates[:, 1] = 0.012, 0.006 * (lengths > 1)  # a match to 1 point has no cube
    value, error = formula.rating_difference(lengths, epm=rates[:, 0], epc=rates[:, 1])
    frozen = FORMS["frozen"].with_one()
    assert value == pytest.approx(frozen.difference(rates, lengths, estimate))
    drawn = [
        frozen.difference(rates, lengths, drawing) for drawing in rng.multivariate_normal(estimate, covariance, 20_000)
    ]
    assert error == pytest.approx(np.std(drawn, axis=0), rel=0.03)


def test_where_no_form_passes_each_variance_gains_what_was_written_down() -> None:
    path = committed_results("1.08") / "law" / "people-range-fixed.json"
    estimate, covariance = fixed_coefficients(path)["law"]
    nothing = Points(*(np.array([]) for _ in Points.__dataclass_fields__))
    fitted = Fitted(FORMS["law"], estimate, covariance, nothing, 1.0)
    gain = np.diag(widened(fitted, 0.97).covariance - covariance)
    assert gain == pytest.approx((0.03 * estimate) ** 2)


@pytest.mark.parametrize("nets", ["1.08", "1.07.001"])
@pytest.mark.parametrize("world", ["law", "denominator"])
def test_the_formula_kept_is_the_one_that_won_and_its_intervals_cover(nets: str, world: str) -> None:
    formula = read_formula(committed_results(nets) / "formula.json")
    assert (formula.facts["limit"], formula.facts["cube_limit"]) == (LIMIT, CUBES)
    assert formula.facts["form"] == read_table(committed_results("1.08") / "law" / "between.csv")["verdict"].iloc[0]
    coverage = read_table(committed_results(nets) / "law" / "coverage.csv")
    here = coverage[coverage["world"] == world].set_index(["weights", "quantity"])
    smooth = here.loc["smooth"]
    assert smooth["coverage"].between(0.87, 0.95).all()
    # A quarter of a standard error costs one per cent of coverage.
    assert (smooth["bias"].abs() < 0.15 * smooth["half_width"]).all()
    assert here.loc[("own", "a2(7)"), "coverage"] < smooth.loc["a2(7)", "coverage"]


@pytest.mark.slow
def test_the_coefficients_kept_are_found_again_from_the_matches() -> None:
    results = committed_results("1.07.001")
    frozen = {name: sorted((results / name / "frozen").glob("*.parquet")) for name in STUDIES}
    held = {name: pd.concat(map(read_checked, paths)) for name, paths in frozen.items() if paths}
    own = {name: points_of({name: table}) for name, table in held.items()}
    weights = smooth(together(own.values()))
    found = coefficients({name: weights.weigh(points) for name, points in own.items()})
    kept = read_table(results / "law" / "coefficients.csv")
    assert found["term"].tolist() == kept["term"].tolist()
    for name in ("estimate", "std_error", "chi_square"):
        np.testing.assert_allclose(found[name], kept[name], rtol=1e-9)
