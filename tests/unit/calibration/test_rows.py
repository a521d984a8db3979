"""The measures of calibration on intervals and chances whose answer is known by hand."""

import math

import numpy as np
import pytest

from calibration.rows import Forecasts, Said, chance_row, interval_row


def test_a_unit_counts_once_however_many_intervals_it_has() -> None:
    said = Said(
        unit=[1, 1, 1, 2],
        low=[0, 0, 0, 5],
        high=[2, 2, 2, 6],
        estimate=[1, 1, 1, 5.5],
        truth=[1, 1, 1, 9],
    )
    row = interval_row("x", said)
    assert (row.units, row.coverage) == (2, 0.5)


def test_width_and_bias_are_relative() -> None:
    said = Said(
        unit=[1, 2],
        low=[-1, -1],
        high=[1, 3],
        estimate=[0, 1],
        truth=[0.3, 0.4],
        known_low=[0, 1],
        known_high=[1, 3],
        known=[0.5, 2],
    )
    row = interval_row("x", said)
    assert row.width == pytest.approx(2.0)  # (2 + 4) / (1 + 2)
    assert row.bias == pytest.approx(0.15 / 1.5)  # (-0.3 + 0.6) / 2 over half of 3
    assert row.known_coverage == 0.5  # 0.3 lies in 0 to 1, 0.4 not in 1 to 3
    assert row.known_bias == pytest.approx(0.9 / 1.5)  # (0.2 + 1.6) / 2 over half of 3


def test_an_interval_without_an_end_reaches_as_far_and_has_no_width() -> None:
    said = Said(
        unit=[1, 2],
        low=[math.nan, 0],
        high=[1, 1],
        estimate=[0, 0.5],
        truth=[-50, 2],
        known_low=0,
        known_high=1,
    )
    row = interval_row("x", said)
    assert (row.coverage, row.width) == (0.5, 1.0)


def test_the_reference_itself_gains_all_and_has_slope_1() -> None:
    rng = np.random.default_rng(1)
    chance = 1 / (1 + np.exp(-rng.normal(0, 1, 20_000)))
    happened = rng.random(20_000) < chance
    row = chance_row("x", Forecasts(np.arange(20_000), chance, happened, chance))
    assert row.gain == pytest.approx(1.0)
    assert row.slope == pytest.approx(1.0, abs=3 * row.slope_se)
    assert not row.misses()


def test_chances_twice_as_sure_as_true_have_slope_one_half_and_miss() -> None:
    odds = np.random.default_rng(2).normal(0, 1, 5_000)
    true, said = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(-2 * odds))
    row = chance_row("x", Forecasts(np.arange(5_000), said, true, true))
    assert row.slope == pytest.approx(0.5, abs=1e-6)
    assert row.known_slope == pytest.approx(1.0, abs=1e-6)
    assert row.gain < 0.8
    assert row.misses(2.6) == ["gain", "slope"]


def test_chances_that_are_far_too_timid_have_a_slope_where_a_fitted_one_rounds_to_1() -> None:
    odds = np.linspace(-13, 13, 2_001)
    said, true = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(-4 * odds))
    row = chance_row("x", Forecasts(np.arange(2_001), said, true, true))
    assert row.slope == pytest.approx(4.0, abs=1e-6)


def test_intervals_that_cover_too_seldom_are_wide_or_lean_miss() -> None:
    said = Said(
        unit=np.arange(100),
        low=-1,
        high=1,
        estimate=0.5,
        truth=np.arange(100) / 80,
        known_low=0,
        known_high=1.5,
    )
    assert interval_row("x", said).misses() == ["coverage", "width"]
    assert interval_row(
        "x", Said(np.arange(100), 0, 10, 9, 1.5 + np.arange(100) / 100)
    ).misses() == ["bias"]
