"""Rows of the table of calibration, and how they are computed from what was said and what is true.

An interval is right as often as it says, no wider than it needs to be, and without bias. A chance
gains on a coin what a forecaster gains who knows the population, and its log-odds have slope 1.
Figures are means over units, which are independent of each other. A club, a person or a test has
the weight 1 however many intervals it has.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from statsmodels.api import Logit, add_constant
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

Floats = NDArray[np.float64]

LEAST_COVERAGE, WIDEST, MOST_BIAS = 0.86, 1.1, 0.2
"""Rule of 90 % intervals: coverage, width over that of the reference, bias as a share of the
half-width."""
LEAST_GAIN, SLOPES = 0.8, (0.85, 1.15)
"""Rule of chances: share of the reference's gain over a coin in log loss, and the slope on the
log-odds."""
MOST_GAIN_SE = 0.5
"""Largest standard error of a gain that is shown: the reference gains hardly anything there."""
UNITS = 1200
"""Independent units of a row in the full run, or more."""
ALL = "all"


@dataclass(frozen=True)
class Scale:
    """How much of the full table is simulated.

    The share is 1 for all of it, less for the test of two minutes.
    """

    share: float = 1.0

    def units(self, full: int = UNITS) -> int:
        """Return the number of units to simulate where the full table has `full`."""
        return max(20, round(full * self.share))


@dataclass(frozen=True)
class Row:
    """A row: a figure (a key of figures.toml), the group of its units, their number, the measures.

    A measure is NaN where it does not apply. Each `_se` is a standard error over units. `width` and
    `gain` are relative to the reference; `bias` is the mean of estimate less truth over half the
    interval's width. `known_coverage`, `known_bias` and `known_slope` are those of the reference
    itself, for the same units.
    """

    figure: str
    group: str
    units: int
    coverage: float = math.nan
    coverage_se: float = math.nan
    width: float = math.nan
    width_se: float = math.nan
    bias: float = math.nan
    bias_se: float = math.nan
    gain: float = math.nan
    gain_se: float = math.nan
    slope: float = math.nan
    slope_se: float = math.nan
    known_coverage: float = math.nan
    known_bias: float = math.nan
    known_slope: float = math.nan

    def misses(self, errors: float = 0.0) -> list[str]:
        """Return which parts of the rule the row misses, by more than so many standard errors of
        the simulation.
        """
        return [
            name
            for name, excess, error in self._excesses()
            if excess > errors * np.nan_to_num(error)
        ]

    def _excesses(self) -> list[tuple[str, float, float]]:
        """Return each measure with its distance beyond the rule and its standard error.

        The distance is negative or NaN where the rule is kept.
        """
        low, high = SLOPES
        return [
            ("coverage", LEAST_COVERAGE - self.coverage, self.coverage_se),
            ("width", self.width - WIDEST, self.width_se),
            ("bias", abs(self.bias) - MOST_BIAS, self.bias_se),
            ("gain", LEAST_GAIN - self.gain, self.gain_se),
            ("slope", max(low - self.slope, self.slope - high), self.slope_se),
        ]


@dataclass(frozen=True)
class Said:
    """Intervals that were shown, one element each: ends, estimate, the truth, number of the unit.

    `known_low`, `known_high` and `known` are ends and estimate of one who knows the population and
    sees the same data (NaN: none).
    """

    unit: ArrayLike
    low: ArrayLike
    high: ArrayLike
    estimate: ArrayLike
    truth: ArrayLike
    known_low: ArrayLike = math.nan
    known_high: ArrayLike = math.nan
    known: ArrayLike = math.nan


def interval_row(figure: str, said: Said, group: str = ALL) -> Row:
    """Return the row of intervals.

    An infinite or missing end counts as an interval that reaches as far.
    """
    one = _columns(said)
    unit = one["unit"]
    truth = one["truth"]
    low = np.where(np.isnan(one["low"]), -math.inf, one["low"])
    high = np.where(np.isnan(one["high"]), math.inf, one["high"])
    covered = _by_unit(unit, (low <= truth) & (truth <= high))
    width = high - low
    wider, wider_se = _relative(unit, width, one["known_high"] - one["known_low"])
    both = np.isfinite(width) & (width > 0)
    bias = _by_unit(unit[both], one["estimate"][both] - truth[both])
    half = float(width[both].mean()) / 2 if both.any() else math.nan
    known_coverage = math.nan
    known_bias = math.nan
    if np.isfinite(one["known"]).all():
        is_inside = (one["known_low"] <= truth) & (truth <= one["known_high"])
        known_coverage = float(_by_unit(unit, is_inside).mean())
        known_bias = float(_by_unit(unit, one["known"] - truth).mean()) / half
    return Row(
        figure,
        group,
        len(covered),
        coverage=float(covered.mean()),
        coverage_se=_error(covered),
        width=wider,
        width_se=wider_se,
        bias=float(bias.mean()) / half if len(bias) else math.nan,
        bias_se=_error(bias) / half,
        known_coverage=known_coverage,
        known_bias=known_bias,
    )


def _columns(table: Any) -> dict[str, Floats]:
    """Return the fields of `Said` or `Forecasts` as arrays of one length."""
    names = list(table.__dataclass_fields__)
    arrays = [np.asarray(getattr(table, name), dtype=float) for name in names]
    return dict(zip(names, np.broadcast_arrays(*arrays), strict=True))


def _relative(unit: Floats, width: Floats, reference: Floats) -> tuple[float, float]:
    """Return the mean width over that of the reference, and its standard error."""
    finite = np.isfinite(width) & np.isfinite(reference)
    if not finite.any():
        return math.nan, math.nan
    usual = float(reference[finite].mean())
    wider = float(width[finite].mean()) / usual
    excess = _by_unit(unit[finite], width[finite] - wider * reference[finite])
    return wider, _error(excess) / usual


@dataclass(frozen=True)
class Forecasts:
    """Chances that were shown, one element each, with what happened and what the reference said.

    `happened` is 1 or 0, or the true chance where that is known (less noise). `reference` is the
    chance by one who knows the population and sees the same data. `coin` is that of one who has
    seen no data.
    """

    unit: ArrayLike
    said: ArrayLike
    happened: ArrayLike
    reference: ArrayLike
    coin: ArrayLike = 0.5


def chance_row(figure: str, forecasts: Forecasts, group: str = ALL) -> Row:
    """Return the row of chances."""
    one = _columns(forecasts)
    unit = one["unit"]
    happened = one["happened"]
    losses = {name: _log_loss(one[name], happened) for name in ("said", "reference", "coin")}
    gained = _by_unit(unit, losses["coin"] - losses["said"])
    possible = _by_unit(unit, losses["coin"] - losses["reference"])
    gain = float(gained.mean() / possible.mean())
    gain_se = _error(gained - gain * possible) / abs(float(possible.mean()))
    slope, slope_se = _slope(unit, one["said"], happened)
    if gain_se > MOST_GAIN_SE:
        gain = math.nan
        gain_se = math.nan
    return Row(
        figure,
        group,
        len(gained),
        gain=gain,
        gain_se=gain_se,
        slope=slope,
        slope_se=slope_se,
        known_slope=_slope(unit, one["reference"], happened)[0],
    )


def _by_unit(unit: Floats, values: ArrayLike) -> Floats:
    """Return the mean of the values of every unit."""
    number = np.unique(unit, return_inverse=True)[1]
    return np.asarray(np.bincount(number, np.asarray(values, dtype=float)) / np.bincount(number))


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def _log_loss(said: Floats, happened: Floats) -> Floats:
    """Return the loss in nats; a chance of 0 or 1 counts as one in a million."""
    safe = np.clip(said, 1e-6, 1 - 1e-6)
    return np.asarray(-happened * np.log(safe) - (1 - happened) * np.log1p(-safe))


def _slope(unit: Floats, said: Floats, happened: Floats) -> tuple[float, float]:
    """Return the slope of a logistic regression of what happened on the log-odds that were said.

    The regression has an intercept. The slope's error takes units as independent (sandwich).
    """
    odds = special.logit(np.clip(said, 1e-6, 1 - 1e-6))
    clusters = {"groups": unit, "use_correction": False}
    # GLM divides by zero where a chance rounds to 1; Logit has its Hessian in closed form.
    model = Logit(happened, add_constant(odds))
    # What happened may be the true chance, which the regression then meets exactly.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fitted = model.fit(disp=False, cov_type="cluster", cov_kwds=clusters)
    return float(fitted.params[1]), float(fitted.bse[1])
