"""Stopping early: what a confidence sequence holds, and what looking repeatedly does to an ordinary interval."""

import numpy as np
import pytest

from bgrating.rating.intervals import anytime_factor
from study.evidence.coverage_tables import DECIDED, FIXED, SEQUENCE, WIDTH, simulated_stopping
from study.evidence.simulation import Population


def test_factor_by_hand():
    # Waudby-Smith and others, theorem 2.2, written out at alpha = 0.1, rho2 = 0.01, n = 400.
    rho2 = (-2 * np.log(0.1) + np.log(-2 * np.log(0.1)) + 1) / 714.0
    n = 400.0
    wide = np.sqrt(2 * (n * rho2 + 1) / (n**2 * rho2) * np.log(np.sqrt(n * rho2 + 1) / 0.1))
    assert anytime_factor(n, 0.9, 714.0) == pytest.approx(wide * np.sqrt(n))
    assert anytime_factor(714.0, 0.9, 714.0) < anytime_factor(100.0, 0.9, 714.0)
    with pytest.raises(ValueError, match="confidence lies between"):
        anytime_factor(100.0, 1.0, 500.0)


def test_a_sequence_holds_at_every_look_at_once():
    rng = np.random.default_rng(8)
    n = np.arange(100, 3001, 50)
    walks = rng.normal(0, 1, (1500, 3000)).cumsum(axis=1)[:, n - 1] / n
    inside = np.abs(walks) <= anytime_factor(n, 0.9, 1000.0) / np.sqrt(n)
    assert inside.all(axis=1).mean() >= 0.9
    assert (np.abs(walks) <= 1.645 / np.sqrt(n)).all(axis=1).mean() < 0.7


def test_stopping_by_the_value_hurts_an_ordinary_interval_and_not_a_sequence():
    rng = np.random.default_rng(9)
    result = np.where(rng.random(1000) < 0.4, 0.5, -0.5)
    result[:400], result[400:] = 0.5, -0.5
    luck = {f"{s}_luck_mwc": rng.normal(0, 0.01, 1000) for s in ("player", "opponent")}
    one = Population(5, "x", "y", 0.0, 0.4, {}, {"actual_result": result, **luck}, np.full(1000, 1e-3))
    table = simulated_stopping(one, rng, runs=600, batch=100, most=1500, target=60.0)
    share = table.set_index(["stops_when", "interval"])["coverage"]
    assert share[DECIDED, FIXED] < 0.75
    assert share[DECIDED, SEQUENCE] >= 0.88
    assert 0.86 <= share[WIDTH, FIXED] <= 0.94
    assert table.set_index(["stops_when", "interval"])["stopped"][WIDTH, FIXED] == 1
