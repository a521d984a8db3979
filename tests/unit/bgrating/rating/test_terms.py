"""The evaluator: by hand, and the same for arrays as for numbers."""

import numpy as np
import pytest

from bgrating.rating.terms import multipliers, total, variance

TERMS = ("a2_const", "a2_inv", "b_const", "a2_one")
ESTIMATE = (10_000.0, 20_000.0, 9_000.0, 33_000.0)


@pytest.mark.parametrize(
    ("length", "points"), [(1, 0.01 * 33_000 + 0.004 * 9_000), (5, 0.01 * 14_000 + 0.004 * 9_000)]
)
def test_at_one_point_a_coefficient_of_that_name_stands_alone(length: int, points: float) -> None:
    assert total(
        multipliers(TERMS, length, {"epm": 0.01, "epc": 0.004}), ESTIMATE
    ) == pytest.approx(points)


def test_arrays_come_to_what_numbers_come_to() -> None:
    rng = np.random.default_rng(1)
    lengths, rates = (
        rng.integers(1, 26, 50),
        {name: rng.uniform(0, 0.05, 50) for name in ("epm", "epc")},
    )
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T
    together = multipliers(TERMS, lengths, rates)
    for place, length in enumerate(lengths.tolist()):
        alone = multipliers(
            TERMS, length, {name: float(values[place]) for name, values in rates.items()}
        )
        assert total(alone, ESTIMATE) == pytest.approx(total(together, ESTIMATE)[place])
        assert variance(alone, covariance.tolist()) == pytest.approx(
            np.array(alone) @ covariance @ alone
        )
        assert variance(alone, covariance.tolist()) == pytest.approx(
            variance(together, covariance)[place]
        )
