"""The formula of an engine."""

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.rating.formula import read_formula
from bgrating.tables.tables import read_table
from study.formula.regressions import UndeterminedError
from study.law import CUBES, LIMIT
from study.law.forms import FORMS, Fitted, Points
from study.law.tables import allowed_slope, widened
from study.law.tests import FAILED, PASSED, fixed_coefficients


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
    of_law = coverage[coverage["world"] == "law"].set_index(["weights", "quantity"])
    smooth = of_law.loc["smooth"]
    assert smooth["coverage"].between(0.87, 0.95).all()
    assert (smooth["bias"].abs() < 0.002 * smooth["truth"]).all()
    assert of_law.loc[("own", "a2(7)"), "coverage"] < smooth.loc["a2(7)", "coverage"]
