"""The evaluator: by hand, and the same for arrays as for numbers."""

import numpy as np
import pytest

from bgrating.rating.terms import at_depth, linear, multipliers, total, variance

TERMS = ("a2_const", "a2_inv", "b_const", "a2_one")
ESTIMATE = (10_000.0, 20_000.0, 9_000.0, 33_000.0)


@pytest.mark.parametrize(("length", "points"), [(1, 0.01 * 33_000 + 0.004 * 9_000), (5, 0.01 * 14_000 + 0.004 * 9_000)])
def test_at_one_point_a_coefficient_of_that_name_stands_alone(length: int, points: float) -> None:
    assert total(multipliers(TERMS, ESTIMATE, length, {"epm": 0.01, "epc": 0.004}), ESTIMATE) == pytest.approx(points)


def test_arrays_come_to_what_numbers_come_to() -> None:
    rng = np.random.default_rng(1)
    lengths, rates = rng.integers(1, 26, 50), {name: rng.uniform(0, 0.05, 50) for name in ("epm", "epc")}
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T
    together = multipliers(TERMS, ESTIMATE, lengths, rates)
    for place, length in enumerate(lengths.tolist()):
        alone = multipliers(TERMS, ESTIMATE, length, {name: float(values[place]) for name, values in rates.items()})
        assert total(alone, ESTIMATE) == pytest.approx(total(together, ESTIMATE)[place])
        assert variance(alone, covariance.tolist()) == pytest.approx(np.array(alone) @ covariance @ alone)
        assert variance(alone, covariance.tolist()) == pytest.approx(variance(together, covariance)[place])


def test_a_root_divides_and_its_multiplier_is_the_derivative() -> None:
    terms, estimate, rates = (
        ("a2_const", "a2_inv", "b_const", "a2_root"),
        [11e3, 2e4, 9800.0, 0.03],
        {"epm": 0.01, "epc": 0.004},
    )
    for length in (2, 7, 23):
        found = multipliers(terms, estimate, length, rates)
        value = total(found, linear(terms, estimate))
        assert value == pytest.approx(0.01 * (11e3 + 2e4 / length) / (1 + 0.03 * (length / 7) ** 0.5) + 0.004 * 9800.0)
        for place, multiplier in enumerate(found):
            moved = [one * (1 + 1e-6 * (number == place)) for number, one in enumerate(estimate)]
            more = total(multipliers(terms, moved, length, rates), linear(terms, moved)) - value
            assert multiplier == pytest.approx(more / (1e-6 * estimate[place]), rel=1e-5)
    assert at_depth(terms, estimate, np.eye(4).tolist(), {"epm": (2.0, 0.1), "epc": (2.0, 0.1)})[0][3] == 0.03


def test_deeper_errors_have_smaller_coefficients_and_the_factors_own_errors() -> None:
    """Against the variance of simulated quotients, for small errors of the factors."""
    covariance = np.diag([30.0, 60.0, 25.0, 70.0]) ** 2
    factors = {"epm": (1.1, 0.01), "epc": (0.9, 0.02)}
    estimate, found = at_depth(TERMS, ESTIMATE, covariance.tolist(), factors)
    rng = np.random.default_rng(2)
    draws = {rate: rng.normal(*factor, 200_000) for rate, factor in factors.items()}
    quotients = np.stack(
        [
            rng.normal(value, error, 200_000) / draws["epc" if term == "b_const" else "epm"]
            for term, value, error in zip(TERMS, ESTIMATE, np.sqrt(np.diag(covariance)), strict=True)
        ]
    )
    assert estimate == pytest.approx(quotients.mean(axis=1), rel=2e-3)
    assert np.array(found) == pytest.approx(np.cov(quotients), rel=0.05, abs=300.0)
