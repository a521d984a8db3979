"""The law as a formula: known coefficients come back inside its domain, 1 point has its own, what holds outside."""

import numpy as np
import pytest

from bgrating.rating.fibs import win_probability
from bgrating.rating.formula import BETWEEN, BEYOND, MEASURED, RatingFormula
from study.formula.points import Observations
from study.formula.regressions import UndeterminedError
from study.law import formula as law

A, B, ONE, CUBE, PRODUCT = 10_000.0, 22_000.0, 36_000.0, 9_000.0, -20_000.0


def points(rng: np.random.Generator, product: float, lengths: tuple[int, ...] = (1, 3, 5, 11)) -> Observations:
    """Return design points whose chances follow the law with a product, within small errors."""
    length = np.repeat(lengths, 24)
    epm = np.tile(np.repeat([0.002, 0.006, 0.012, 0.02, 0.035, 0.05], 4), len(lengths))
    cube = np.where(length == 1, 0.0, np.tile([0.0, 0.004, 0.012, 0.025], 6 * len(lengths)))
    a2 = np.where(length == 1, ONE, A + B / length)
    rating = a2 * epm + CUBE * cube + product * np.sqrt(length) * epm * cube
    error = np.full(len(length), 0.004)
    p = win_probability(rating, length) + rng.normal(0, error)
    labels = np.array([f"player {i % 24} against expert" for i in range(len(length))])
    return Observations(length, np.column_stack([epm, cube]), p, error, np.full(len(length), 500), labels)


def test_a_known_law_comes_back_with_its_own_coefficient_at_one_point() -> None:
    fitted = law.fit_below(points(np.random.default_rng(1), 0.0), 450.0)
    z = (fitted.fit.estimate - [A, B, ONE, CUBE]) / fitted.fit.std_error
    assert fitted.fit.terms == ("a2_const", "a2_inv", "a2_one", "b_const")
    assert np.abs(z).max() < 4
    assert len(fitted.outside) > 0
    assert (law.design(fitted.inside, fitted.fit.terms) @ fitted.fit.estimate < 450).all()


def test_the_product_comes_back() -> None:
    product = law.fit_product(points(np.random.default_rng(2), PRODUCT))
    assert product.estimate[-1] == pytest.approx(PRODUCT, abs=4 * product.std_error[-1])


def test_intervals_hold_the_slope_at_small_mismatch_whichever_is_the_truth() -> None:
    seen = points(np.random.default_rng(2), PRODUCT)
    table = law.coverage(seen, 450.0, 200, 5).set_index(["world", "quantity"])
    ends = 0.815, 0.985  # 0.9 -+ four standard errors of a share of 200
    assert table["coverage"].between(*ends).all()
    assert table.loc["law", "fit_coverage"].between(*ends).all()
    assert table.loc[("product", "b"), "fit_coverage"] < 0.3  # the fit alone knows nothing of the product
    a2_one = table.xs("a2(1)", level="quantity")  # no cube: nothing to allow for
    assert (a2_one["coverage"] == a2_one["fit_coverage"]).all()


def test_one_length_determines_no_law() -> None:
    with pytest.raises(UndeterminedError, match="two lengths"):
        law.fit_below(points(np.random.default_rng(3), 0.0, (1, 5)), 450.0)


def test_no_length_is_extrapolated_in_silence() -> None:
    fit = law.fit_below(points(np.random.default_rng(4), 0.0), 450.0)
    formula = RatingFormula(fit.fit.terms, fit.fit.estimate, fit.fit.covariance, 50.0, 0.9, "moves", (1, 3, 5, 11))
    table = law.lengths(formula, formula).set_index(["term", "match_length"])
    assert [table.loc[("a2", n), "based_on"] for n in (1, 2, 3, 7, 25)] == [MEASURED, BEYOND, MEASURED, BETWEEN, BEYOND]
    assert table.loc[("a2", 1), "estimate"] == pytest.approx(fit.fit.estimate[2])
    assert table.loc[("a2", 7), "estimate"] == pytest.approx(fit.fit.estimate[0] + fit.fit.estimate[1] / 7)
    assert ("b", 1) not in table.index
    many, _ = formula.rating_difference(np.array([1.0, 7.0]), epm=np.array([0.01, 0.01]), epc=np.array([0.0, 0.01]))
    assert many == pytest.approx([formula.rating_difference(1, epm=0.01, epc=0.0)[0],
                                  formula.rating_difference(7, epm=0.01, epc=0.01)[0]])  # fmt: skip
