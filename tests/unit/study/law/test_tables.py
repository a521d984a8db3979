"""The formula of an engine."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import sqrtm

from bgrating.engine.nets import committed_results
from bgrating.rating.formula import read_formula
from bgrating.tables.tables import read_table
from study.formula.regressions import UndeterminedError
from study.law import CUBES, LIMIT
from study.law.forms import FORMS, Fitted, Points
from study.law.tables import _root, allowed_slope, widened
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
    own = coverage[coverage["world"] == "law"]
    assert own["coverage"].between(0.88, 0.92).all()


def test_simulated_errors_come_from_the_only_symmetric_root() -> None:
    covariance = np.cov(np.random.default_rng(1).normal(size=(4, 30)))
    covariance[3] = covariance[:, 3] = 0.0
    assert _root(covariance) == pytest.approx(sqrtm(covariance + 1e-30 * np.eye(4)), abs=1e-12)
