"""The cost of an error, against scipy and statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from bgrating.engine.nets import committed_results
from bgrating.play.designs import frozen_table
from bgrating.play.matches import read_checked
from bgrating.rating.chances import fit_results
from bgrating.rating.published import published_formula
from simulated_people import rate_differences


def test_the_fit_of_single_matches_is_the_one_of_scipy_with_robust_errors() -> None:
    from scipy.optimize import least_squares

    table = read_checked(frozen_table(committed_results("1.07.001"), "part2", 5)).iloc[::20]
    table = table.astype(dict.fromkeys(table.select_dtypes("number").columns, float))
    formula = published_formula("bilinear")
    lengths = table["match_length"].to_numpy()
    units = np.column_stack([formula.coefficient(name, lengths)[0] for name in ("a2", "b")])
    design = rate_differences(table) * units
    found = fit_results(table["luck_adjusted_result"].to_numpy(), lengths, design)
    result = table["luck_adjusted_result"].to_numpy() + 0.5
    chance = lambda c: 1 / (1 + 10 ** (design @ c * np.sqrt(lengths) / 2000))  # noqa: E731
    other = least_squares(lambda c: result - chance(c), np.ones(2), xtol=1e-14, ftol=1e-14)
    assert found.params == pytest.approx(other.x, rel=1e-6)
    # The sandwich of the linearised fit is HC1 of a linear regression on its Jacobian.
    linear = sm.OLS(other.fun - other.jac @ other.x, -other.jac).fit(cov_type="HC1")
    assert found.bse == pytest.approx(linear.bse, rel=1e-4)
