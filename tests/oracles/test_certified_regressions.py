"""The fit of chances against R: Venables and Ripley, MASS, 4th ed. 2002, 7.2 (budworm)."""

import math

import numpy as np
import pytest

from bgrating.rating.chances import fit_chances
from bgrating.rating.fibs_formula import rating_difference_se, win_probability


def test_fit_of_chances_is_rs_logistic_regression_where_errors_are_binomial() -> None:
    """`glm(SF ~ sex + ldose - 1, family = binomial)`: sexF -3.4732, sexM -2.3724, ldose 1.0642.

    With the binomial errors of the fitted chances both solve the same equations, so errors are
    fitted in turns.
    """
    p = np.array([1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16]) / 20
    male = np.repeat([1.0, 0.0], 6)
    design = np.column_stack([1 - male, male, np.tile(np.arange(6.0), 2)]) * (-2000 / math.log(10))
    fitted = np.full(12, 0.5)
    for _ in range(40):
        errors = np.sqrt(fitted * (1 - fitted) / 20)
        found = fit_chances(p, np.ones(12), design, errors, np.zeros(3))
        fitted = win_probability(design @ found.params, 1)
    np.testing.assert_allclose(found.params, [-3.4732, -2.3724, 1.0642], atol=5e-5)
    # Ours are scaled by the misfit found, R's are not: 0.4685, 0.3855, 0.1311.
    unscaled = found.bse / math.sqrt(found.scale)
    np.testing.assert_allclose(unscaled, [0.4685, 0.3855, 0.1311], atol=5e-5)


def test_delta_method_by_hand() -> None:
    # dR/dP = -2000 / (ln 10 sqrt 5 0.4 0.6) = -1618.5: an error of 0.01 is 16.185 points.
    assert rating_difference_se(0.4, 0.01, 5) == pytest.approx(16.185, abs=5e-4)
