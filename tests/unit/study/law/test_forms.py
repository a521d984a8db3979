"""Forms of the formula: fits, tests and variances where results and rates come from the same matches."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime, curve_fit

from bgrating.rating.fibs import win_probability
from study.law import forms
from study.law.forms import (
    FORMS,
    Points,
    cells_of,
    fit,
    outcome,
    points_of,
    points_of_cells,
    resampled,
    smooth,
    split_halves,
    variances,
)
from study.law.tests import passes

TRUTH = np.array([11_000.0, 19_000.0, 9_700.0])
LENGTHS = (3, 5, 7, 11)


def played(rng: np.random.Generator, matches: int = 200, skewed: bool = False) -> pd.DataFrame:
    """Return matches of noisy pairs whose result contains their own errors (correlation about 0.6), as in real ones.

    Deviations that are not from errors are normal, or skewed (-2).
    """
    parts = []
    for length in LENGTHS:
        for epm, cube in ((0.005, 0.002), (0.01, 0.004), (0.02, 0.001), (0.025, 0.003), (0.015, 0.006)):
            moves = np.full(matches, 11.0 * length)
            sides = {}
            for side, rates in (("player", (epm + 0.005, cube + 0.001)), ("opponent", (0.005, 0.001))):
                sides[f"{side}_unforced_moves"] = moves
                sides |= {f"{side}_{name}_cube_decisions": moves / 4 for name in ("close", "total")}
                sides[f"{side}_close_cube_decisions_2003"] = moves / 4
                for kind, rate in zip(("chequer", "cube"), rates, strict=True):
                    mean = rate * moves
                    sides[f"{side}_{kind}_error_emg"] = rng.gamma(2.0, mean / 2.0)
            difference = FORMS["law"].difference(_rates(epm, cube), np.array([float(length)]), TRUTH)
            chance = win_probability(difference, length)[0]
            slope = forms._slope(FORMS["law"], TRUTH, _one(length, epm, cube))[0]
            shift = (TRUTH[0] + TRUTH[1] / length) * (
                sides["player_chequer_error_emg"] - sides["opponent_chequer_error_emg"]
            ) / moves + TRUTH[2] * (sides["player_cube_error_emg"] - sides["opponent_cube_error_emg"]) / moves
            rest = 0.1 * (1 - rng.gamma(1.0, size=matches)) if skewed else rng.normal(0, 0.05, matches)
            adjusted = chance + slope * (shift - difference[0]) + rest
            luck = rng.normal(0, 0.3, (2, matches))
            parts.append(
                pd.DataFrame(
                    {
                        "games": np.full(matches, length / 2), "chequer_noise": epm, "cube_noise": cube,
                        "match_length": length, "player": f"p{epm}-{cube}", "opponent": "o",
                        "actual_result": adjusted - 0.5 + luck[0] - luck[1], "luck_adjusted_result": adjusted - 0.5,
                        "player_luck_mwc": luck[0], "opponent_luck_mwc": luck[1], **sides,
                    }
                )
            )  # fmt: skip
    return pd.concat(parts)


def _rates(epm: float, cube: float) -> np.ndarray:
    others = [0.0] * (len(forms.RATES_OF_A_SIDE) - 2)
    return np.array([[epm + 0.005, cube + 0.001, *others, 0.005, 0.001, *others]])


def _one(length: int, epm: float, cube: float) -> Points:
    rates = _rates(epm, cube)
    zero = np.zeros((1, rates.shape[1] + 1, rates.shape[1] + 1))
    names = np.array(["s"]), np.array(["p"])
    return Points(*names, np.array([float(length)]), np.array([1]), np.array([0.5]), rates, zero)


def test_variances_of_deviations_pass_the_split_half_check_and_sums_of_variances_do_not() -> None:
    matches = {"s": played(np.random.default_rng(1), 400)}
    fitted = fit(points_of(matches), FORMS["law"])
    assert 0.85 < split_halves(matches, fitted, 20, np.random.default_rng(2)).mean() < 1.15
    points = points_of(matches)
    assert (variances(FORMS["law"], fitted.estimate, points.as_if_apart()) > 1.3 * variances(
        FORMS["law"], fitted.estimate, points_of(matches))).mean() > 0.9  # fmt: skip


@pytest.mark.slow
def test_the_slope_of_the_true_formula_is_covered_as_often_as_its_interval_promises() -> None:
    rng, held, slopes = np.random.default_rng(3), 0, []
    for _ in range(50):
        found = outcome(points_of({"s": played(rng, 60)}), FORMS["law"], TRUTH, np.zeros((3, 3)))
        held += found.slope_low <= 1 <= found.slope_high
        slopes.append(found.slope)
    assert held >= 38
    assert np.mean(slopes) == pytest.approx(1, abs=0.01)


def test_own_variances_of_skewed_matches_make_a_true_slope_too_small_and_smooth_ones_do_not() -> None:
    rng, slopes = np.random.default_rng(7), []
    for _ in range(40):
        own = points_of({"s": played(rng, 60, skewed=True)})
        slopes.append(
            [outcome(points, FORMS["law"], TRUTH, np.zeros((3, 3))).slope for points in (own, smooth(own).weigh(own))]
        )
    (own_mean, smooth_mean), error = np.mean(slopes, axis=0), np.std(slopes, axis=0, ddof=1) / np.sqrt(40)
    assert own_mean < 1 - 4 * error[0]
    assert abs(smooth_mean - 1) < 3 * error[1]


def test_smooth_variances_are_the_true_ones_of_matches() -> None:
    own = points_of({"s": played(np.random.default_rng(8), 4000)})
    weighed = smooth(own).weigh(own)
    scatter = [variances(FORMS["law"], TRUTH, points) * points.matches for points in (own, weighed)]
    assert scatter[1] == pytest.approx(scatter[0], rel=0.1)


def test_a_match_that_is_drawn_twice_counts_twice() -> None:
    cell = cells_of({"s": played(np.random.default_rng(9), 30)})[3]
    times = np.arange(30) % 3
    repeated = replace(
        cell, **{name: np.repeat(getattr(cell, name), times, axis=0) for name in ("chances", "errors", "counts")}
    )
    for ours, theirs in zip(cell.point(times.astype(float))[3:], repeated.point(np.ones(times.sum()))[3:], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-18)


def test_drawn_cells_scatter_as_their_covariance_has_it() -> None:
    cells, rng = cells_of({"s": played(np.random.default_rng(10), 100)})[:2], np.random.default_rng(11)
    draws = [resampled(cells, rng) for _ in range(1500)]
    seen = np.array([[*points.chance, *points.rates[:, 0]] for points in draws])
    kept = points_of_cells(cells)
    expected = [*kept.covariance[:, 0, 0], *kept.covariance[:, 1, 1]]
    assert seen.mean(axis=0) == pytest.approx([*kept.chance, *kept.rates[:, 0]], rel=0.01)
    assert seen.var(axis=0) == pytest.approx(expected, rel=0.15)


def test_the_fit_finds_the_coefficients_and_agrees_with_another_library_at_the_same_weights() -> None:
    points = points_of({"s": played(np.random.default_rng(4), 400)})
    fitted = fit(points, FORMS["law"])
    assert np.all(np.abs(fitted.estimate - TRUTH) < 4 * fitted.std_error)
    points = fitted.inside
    error = np.sqrt(variances(FORMS["law"], fitted.estimate, points))

    def chances(length: object, *coefficients: float) -> object:
        difference = FORMS["law"].difference(points.rates, points.length, np.array(coefficients))
        return win_probability(difference, points.length)

    estimate, covariance = curve_fit(chances, points.length, points.chance, TRUTH, error, absolute_sigma=True)
    assert fitted.estimate == pytest.approx(estimate, rel=1e-5)
    scale = fitted.chi_square / fitted.dof
    assert fitted.covariance / scale == pytest.approx(covariance, rel=1e-3)


@pytest.mark.parametrize("name", ["law", "moves", "denominator"])
def test_derivatives_along_the_imaginary_axis_are_those_of_finite_differences(name: str) -> None:
    form, points = FORMS[name], points_of({"s": played(np.random.default_rng(5), 40)})
    coefficients = np.array([*TRUTH, 3.0][: len(form.terms)])
    for point in (0, 7, 13):
        one = points.select(np.arange(len(points)) == point)

        def of_rates(rates: np.ndarray, one: Points = one) -> float:
            return form.difference(rates[None], one.length, coefficients)[0]

        def of_coefficients(values: np.ndarray, one: Points = one) -> float:
            return form.difference(one.rates, one.length, values)[0]

        steps = forms._derivatives(lambda r, one=one: form.difference(r, one.length, coefficients), one.rates)[0]
        assert steps == pytest.approx(approx_fprime(one.rates[0], of_rates, 1e-7), rel=1e-4, abs=1e-2)
        multiplied = forms._multiplied(form, coefficients, one)[0]
        assert multiplied == pytest.approx(approx_fprime(coefficients, of_coefficients, 1e-3), rel=1e-4, abs=1e-6)


def test_a_form_passes_only_with_its_whole_interval_inside() -> None:
    points = points_of({"s": played(np.random.default_rng(6), 400)})
    found = outcome(points, FORMS["law"], TRUTH, np.zeros((3, 3)))
    assert passes(found)
    wrong = outcome(points, FORMS["law"], 1.1 * TRUTH, np.zeros((3, 3)))
    assert not passes(wrong)
    assert wrong.slope == pytest.approx(found.slope / 1.1, abs=0.02)


@pytest.mark.parametrize("name", ["law", "denominator"])
def test_where_the_search_begins_decides_no_digit_of_a_fit(name: str) -> None:
    """Nor does the processor, whose last digits lead the search along another way."""
    points, form = points_of({"s": played(np.random.default_rng(6), 100)}), FORMS[name]
    elsewhere = replace(form, start=tuple(value * 1.3 ** (-1) ** place for place, value in enumerate(form.start)))
    ours, theirs = fit(points, form), fit(points, elsewhere)
    assert theirs.estimate == pytest.approx(ours.estimate, rel=1e-10)
    assert theirs.covariance == pytest.approx(ours.covariance, rel=1e-9)
