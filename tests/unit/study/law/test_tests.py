"""The tests of forms: what was written down is what is computed, and the rule gives the form that it says."""

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.rating.formula import read_formula
from bgrating.tables.tables import read_table
from study.formula.regressions import UndeterminedError
from study.law import CUBES, LIMIT, THIRD_TEST
from study.law.forms import FORMS, Fitted, Outcome, Points
from study.law.formula import allowed_slope, widened
from study.law.tests import FAILED, PASSED, WRITTEN_DOWN, fixed_coefficients, verdict


def outcome(p_value: float, low: float, high: float) -> Outcome:
    return Outcome(10, 1000, 10.0, p_value, (low + high) / 2, low, high, 0.01)


@pytest.mark.parametrize(
    ("p_value", "low", "high", "said"),
    [
        (0.3, 0.96, 1.04, "confirmed"),
        (0.05, 0.95, 1.05, "confirmed"),
        (0.04, 0.96, 1.04, "undecided"),
        (0.3, 0.94, 1.04, "undecided"),
        (0.009, 0.96, 1.04, "refuted"),
        (0.3, 0.80, 0.94, "refuted"),
        (0.3, 1.051, 1.2, "refuted"),
    ],
)
def test_the_verdict_is_the_one_written_down(p_value: float, low: float, high: float, said: str) -> None:
    assert verdict(outcome(p_value, low, high)) == said


def test_every_test_has_its_page_and_date(project) -> None:  # type: ignore[no-untyped-def]
    for test in WRITTEN_DOWN:
        assert f"Written on {test.date}" in (project / "docs" / test.page).read_text(encoding="utf-8")


def third(**verdicts: str) -> pd.DataFrame:
    rows = [{"form": form, "verdict": said, "slope": 0.9} for form, said in verdicts.items()]
    return pd.DataFrame(rows, columns=["form", "verdict", "slope"])


def test_the_simplest_form_that_passes_rates_people_and_never_the_denominator() -> None:
    assert allowed_slope(third(law=PASSED, moves=PASSED, denominator=PASSED)) == 1.0
    assert allowed_slope(third(law=FAILED, moves=FAILED, denominator=PASSED)) == 1.0
    assert allowed_slope(third(law=FAILED, moves=FAILED, denominator=FAILED)) == 0.9
    assert allowed_slope(third()) == 1.0
    with pytest.raises(UndeterminedError, match="cannot rate by"):
        allowed_slope(third(law=FAILED, moves=PASSED, denominator=PASSED))


def test_where_no_form_passes_each_variance_gains_what_was_written_down() -> None:
    path = committed_results("1.08") / "law" / "people-range-fixed.json"
    estimate, covariance = fixed_coefficients(path)["law"]
    nothing = Points(*(np.array([]) for _ in Points.__dataclass_fields__))
    fitted = Fitted(FORMS["law"], estimate, covariance, nothing, 1.0)
    gain = np.diag(widened(fitted, 0.97).covariance - covariance)
    assert gain == pytest.approx((0.03 * estimate) ** 2)


@pytest.mark.parametrize("nets", ["1.08", "1.07.001"])
def test_the_formula_kept_is_the_law_inside_its_domain_and_its_intervals_cover(nets: str) -> None:
    formula = read_formula(committed_results(nets) / "formula.json")
    assert (formula.facts["limit"], formula.facts["cube_limit"], formula.facts["form"]) == (LIMIT, CUBES, "law")
    coverage = read_table(committed_results(nets) / "law" / "coverage.csv")
    own = coverage[coverage["world"] == "law"]
    assert own["coverage"].between(0.88, 0.92).all()


def test_the_kept_third_test_passed_by_the_rule() -> None:
    table = read_table(committed_results("1.08") / "law" / "tests.csv")
    rows = table[table["study"] == THIRD_TEST].set_index("form")
    inside = (rows["slope_low"] >= 0.95) & (rows["slope_high"] <= 1.05)
    assert (rows["verdict"].eq(PASSED) == inside).all()
    assert rows.loc["law", "verdict"] == PASSED
