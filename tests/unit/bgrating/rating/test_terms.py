"""The evaluator: by hand, and the same for arrays as for numbers."""

import numpy as np
import pytest

from bgrating.rating.terms import at_depth, multipliers, total, variance

TERMS = ("a2_const", "a2_inv", "b_const", "a2_one")
ESTIMATE = (10_000.0, 20_000.0, 9_000.0, 33_000.0)


@pytest.mark.parametrize(("length", "points"), [(1, 0.01 * 33_000 + 0.004 * 9_000), (5, 0.01 * 14_000 + 0.004 * 9_000)])
def test_at_one_point_a_coefficient_of_that_name_stands_alone(length: int, points: float) -> None:
    assert total(multipliers(TERMS, length, {"epm": 0.01, "epc": 0.004}), ESTIMATE) == pytest.approx(points)


def test_arrays_come_to_what_numbers_come_to() -> None:
    rng = np.random.default_rng(1)
    lengths, rates = rng.integers(1, 26, 50), {name: rng.uniform(0, 0.05, 50) for name in ("epm", "epc")}
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T
    together = multipliers(TERMS, lengths, rates)
    for place, length in enumerate(lengths.tolist()):
        alone = multipliers(TERMS, length, {name: float(values[place]) for name, values in rates.items()})
        assert total(alone, ESTIMATE) == pytest.approx(total(together, ESTIMATE)[place])
        assert variance(alone, covariance.tolist()) == pytest.approx(np.array(alone) @ covariance @ alone)
        assert variance(alone, covariance.tolist()) == pytest.approx(variance(together, covariance)[place])


def test_deeper_errors_have_smaller_coefficients_and_the_factors_own_errors() -> None:
    """Against the variance of simulated quotients, for small errors of the factors."""
    covariance = np.diag([30.0, 60.0, 25.0, 70.0]) ** 2
    factors = {"epm": (1.1, 0.01), "epc": (0.9, 0.02)}
    estimate, found = at_depth(TERMS, ESTIMATE, covariance.tolist(), factors)
    rng = np.random.default_rng(2)
    draws = {rate: rng.normal(*factor, 200_000) for rate, factor in factors.items()}
    fitted = rng.normal(ESTIMATE, np.sqrt(np.diag(covariance)), (200_000, 4)).T
    quotients = np.stack(
        [own / draws["epc" if term == "b_const" else "epm"] for term, own in zip(TERMS, fitted, strict=True)]
    )
    assert estimate == pytest.approx(quotients.mean(axis=1), rel=2e-3)
    assert np.array(found) == pytest.approx(np.cov(quotients), rel=0.05, abs=300.0)


def test_coefficients_for_deeper_errors_by_hand() -> None:
    """Chequer errors are found twice, 10 % of it uncertain; cube errors half, for certain."""
    estimate, covariance = at_depth(
        ("a2_const", "b_const"),
        (10_000.0, 9_000.0),
        ((400.0, 60.0), (60.0, 900.0)),
        {"epm": (2.0, 0.2), "epc": (0.5, 0.0)},
    )
    assert estimate == [5_000.0, 18_000.0]
    assert covariance == [[100.0 + 500.0**2, 60.0], [60.0, 3_600.0]]
