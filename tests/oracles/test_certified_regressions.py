"""Regressions against certified and textbook answers.

NIST's Statistical Reference Datasets (www.itl.nist.gov/div898/strd), linear least squares: Norris, Longley, NoInt1,
NoInt2, with certified coefficients and standard errors. R: the fit of Venables and Ripley, Modern Applied Statistics
with S, 4th ed. 2002, section 7.2 (budworm).
"""

import math

import numpy as np
import pytest

from bgrating.rating.fibs import rating_difference_se, win_probability
from study.formula.points import Observations
from study.formula.regressions import CoefficientFit, fit_chances, fit_ratings

NORRIS_Y = """0.1 338.8 118.1 888.0 9.2 228.1 668.5 998.5 449.1 778.9 559.2 0.3 0.1 778.1 668.8 339.3 448.9 10.8 557.7
228.3 998.0 888.8 119.6 0.3 0.6 557.6 339.3 888.0 998.5 778.9 10.2 117.6 228.9 668.4 449.2 0.2"""
NORRIS_X = """0.2 337.4 118.2 884.6 10.1 226.5 666.3 996.3 448.6 777.0 558.2 0.4 0.6 775.5 666.9 338.0 447.5 11.6 556.0
228.1 995.8 887.6 120.2 0.3 0.3 556.8 339.1 887.2 999.0 779.0 11.1 118.3 229.2 669.1 448.9 0.5"""
LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""


def least_squares(y: object, design: object) -> CoefficientFit:
    """Fit given ratings, which are first made chances, as the regressions want them."""
    rating, x = np.asarray(y, dtype=float), np.asarray(design, dtype=float)
    p = win_probability(rating, 1)
    seen = Observations(
        np.ones(len(p), dtype=np.int64), x, p, np.full(len(p), 0.01), np.full(len(p), 9), np.array(["x"] * len(p))
    )
    return fit_ratings(seen, x, tuple(f"b{i}" for i in range(x.shape[1])))


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def test_norris() -> None:
    fit = least_squares(numbers(NORRIS_Y), [[1, x] for x in numbers(NORRIS_X)])
    np.testing.assert_allclose(fit.estimate, [-0.262323073774029, 1.00211681802045], rtol=1e-9)
    np.testing.assert_allclose(fit.std_error, [0.232818234301152, 0.429796848199937e-03], rtol=1e-9)


def test_longley() -> None:
    table = np.array([numbers(line) for line in LONGLEY.strip().splitlines()])
    # Thousandths of the response keep the chances away from 0; coefficients and errors shrink alike.
    fit = least_squares(table[:, 0] / 1000, np.column_stack([np.ones(16), table[:, 1:]]))
    certified = [
        (-3482258.63459582, 890420.383607373),
        (15.0618722713733, 84.9149257747669),
        (-0.358191792925910e-01, 0.334910077722432e-01),
        (-2.02022980381683, 0.488399681651699),
        (-1.03322686717359, 0.214274163161675),
        (-0.511041056535807e-01, 0.226073200069370),
        (1829.15146461355, 455.478499142212),
    ]
    np.testing.assert_allclose(1000 * fit.estimate, [value for value, _ in certified], rtol=1e-6)
    np.testing.assert_allclose(1000 * fit.std_error, [error for _, error in certified], rtol=1e-6)


def test_without_an_intercept() -> None:
    one = least_squares(np.arange(130, 141), np.arange(60, 71)[:, None])
    assert one.estimate[0] == pytest.approx(2.07438016528926, rel=1e-10)
    assert one.std_error[0] == pytest.approx(0.165289256198347e-01, rel=1e-9)
    two = least_squares([3, 4, 4], [[4], [5], [6]])
    assert two.estimate[0] == pytest.approx(0.727272727272727, rel=1e-10)
    assert two.std_error[0] == pytest.approx(0.420827318078432e-01, rel=1e-9)


def test_fit_of_chances_is_rs_logistic_regression_where_errors_are_binomial() -> None:
    """`glm(SF ~ sex + ldose - 1, family = binomial)`: sexF -3.4732, sexM -2.3724, ldose 1.0642, residual deviance
    6.757.

    With the binomial errors of the fitted chances both solve the same equations, so errors are fitted in turns.
    """
    dead = np.array([1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16])
    dose = np.tile(np.arange(6.0), 2)
    male = np.repeat([1.0, 0.0], 6)
    design = np.column_stack([1 - male, male, dose]) * (-2000 / math.log(10))  # FIBS points at one point
    p, fitted = dead / 20, np.full(12, 0.5)
    fit = None
    for _ in range(40):
        seen = Observations(
            np.ones(12, dtype=np.int64), design, p, np.sqrt(fitted * (1 - fitted) / 20), np.full(12, 20),
            np.array(["x"] * 12),
        )  # fmt: skip
        fit = fit_chances(seen, design, ("f", "m", "dose"))
        fitted = win_probability(design @ fit.estimate, 1)
    assert fit is not None
    np.testing.assert_allclose(fit.estimate, [-3.4732, -2.3724, 1.0642], atol=5e-5)
    # Ours are scaled by the misfit found, R's are not: 0.4685, 0.3855, 0.1311.
    unscaled = fit.std_error / math.sqrt(fit.chi_square / fit.chi_square_dof)
    np.testing.assert_allclose(unscaled, [0.4685, 0.3855, 0.1311], atol=5e-5)
    deviance = 2 * np.sum(
        np.where(dead > 0, dead * np.log(np.maximum(p, 1e-300) / fitted), 0)
        + np.where(dead < 20, (20 - dead) * np.log(np.maximum(1 - p, 1e-300) / (1 - fitted)), 0)
    )
    assert deviance == pytest.approx(6.757, abs=5e-4)


def test_delta_method_by_hand() -> None:
    # dR/dP = -2000 / (ln 10 sqrt 5 0.4 0.6) = -1618.5; an error of 0.01 in the chance is 16.185 points.
    assert rating_difference_se(0.4, 0.01, 5) == pytest.approx(16.185, abs=5e-4)
