"""The fourth test: which of two forms with fixed coefficients predicts the matches, the law or the frozen form.

docs/preregistration-frozen-form.md has the rule. The position of the measured chances between both predictions is 0
where the law is right and 1 where the frozen form is: a weighted least squares estimate, weights by smooth variances.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.play.designs import Design
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import quantile
from bgrating.tables.dictionary import columns
from study.formula.regressions import UndeterminedError
from study.law import FOURTH_TEST, LIMIT
from study.law.forms import FORMS, FROZEN, RATES_OF_A_SIDE, LawForm, Points, Smooth, chance_moved, outcome, variances

LAW, FROZEN_FORM, UNDECIDED, NEITHER = "law", "frozen", "undecided", "both refuted"
PAIR: dict[str, LawForm] = {LAW: FORMS["law"], FROZEN_FORM: FROZEN}
SETS = ((11.0, 15.0), (7.0,), (11.0,), (15.0,), (7.0, 11.0, 15.0))  # of match lengths; the first decides
CONFIDENCE = 0.98  # of the position's interval: a form that is right is refuted with a chance of 0.02
DRAWS, SEED = 10_000, 20_136
COSTS = (0.96, 0.98, 1.02)  # true forms of the power table whose differences are multiplied by this

Fixed = Mapping[str, tuple[Floats, Floats]]


def verdict(low: float, high: float) -> str:
    law, frozen = low <= 0 <= high, low <= 1 <= high
    if law and frozen:
        return UNDECIDED
    return LAW if law else FROZEN_FORM if frozen else NEITHER


def positions(points: Points, fixed: Fixed) -> pd.DataFrame:
    """Return the position between both forms by sets of match lengths (law/between).

    `points` have smooth variances. One counts that both forms predict below LIMIT. Raises UndeterminedError where none
    counts.
    """
    rows = []
    for lengths in SETS:
        here = _counted(points.select(np.isin(points.length, lengths)), fixed)
        weights, error = _weights(here, fixed)
        position = float(weights @ (here.chance - _chances(here, LAW, fixed[LAW][0])))
        half = quantile(CONFIDENCE) * error
        of_coefficients = []
        for name, form in PAIR.items():
            estimate, covariance = fixed[name]
            moved = weights @ chance_moved(form, estimate, here)
            of_coefficients.append(float(np.sqrt(moved @ covariance @ moved)))
        slopes = [outcome(here, form, *fixed[name]).slope for name, form in PAIR.items()]
        about = (
            " and ".join(f"{length:g}" for length in lengths), len(here), int(here.matches.sum()), position, error,
            position - half, position + half, CONFIDENCE, *of_coefficients, *slopes,
            verdict(position - half, position + half),
        )  # fmt: skip
        rows.append(dict(zip(columns("law/between"), about, strict=True)))
    return pd.DataFrame(rows)


def _counted(points: Points, fixed: Fixed) -> Points:
    predicted = [form.difference(points.rates, points.length, fixed[name][0]) for name, form in PAIR.items()]
    counted = points.select(np.maximum(*predicted) < LIMIT)
    if not len(counted):
        raise UndeterminedError(f"no point of {FOURTH_TEST} is predicted below {LIMIT:g}")
    return counted


def _chances(points: Points, name: str, coefficients: Floats) -> Floats:
    return win_probability(PAIR[name].difference(points.rates, points.length, coefficients), points.length)


def _weights(points: Points, fixed: Fixed) -> tuple[Floats, float]:
    apart = np.subtract(*[_chances(points, name, fixed[name][0]) for name in (FROZEN_FORM, LAW)])
    weights = apart / variances(PAIR[LAW], fixed[LAW][0], points)
    return weights / (weights @ apart), float((weights @ apart) ** -0.5)


def level_rates(matches: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return EPM and cube error per unforced move of each level, pooled over both sides of a table of matches."""
    names = ["chequer_error_emg", "cube_error_emg", "unforced_moves"]
    sides = [matches[[side, *(f"{side}_{name}" for name in names)]] for side in ("player", "opponent")]
    sums = pd.concat([side.set_axis(["level", *names], axis=1) for side in sides]).groupby("level", observed=True).sum()
    return {
        str(level): (float(row.iloc[0] / row.iloc[2]), float(row.iloc[1] / row.iloc[2]))
        for level, row in sums.iterrows()
    }


def planned(design: Design, sides: Mapping[str, tuple[float, float]], smooth: Smooth) -> Points:
    """Return the points of a design before it is played: rates of levels (EPM, cube error per move), variances."""
    cells = design.points
    rates = np.zeros((len(cells), 2 * len(RATES_OF_A_SIDE)))
    rates[:, :2] = [sides[cell.player] for cell in cells]
    rates[:, len(RATES_OF_A_SIDE) :][:, :2] = [sides[cell.opponent] for cell in cells]
    matches, length = (np.array([getattr(cell, name) for cell in cells]) for name in ("matches", "match_length"))
    pair = np.array([f"{cell.player} against {cell.opponent}" for cell in cells])
    covariance = np.zeros((len(cells), rates.shape[1] + 1, rates.shape[1] + 1))
    points = Points(pair, pair, length.astype(float), matches, np.full(len(cells), np.nan), rates, covariance)
    covariance[:, 0, 0] = smooth.variance(points) / matches
    return points


def power(points: Points, fixed: Fixed) -> pd.DataFrame:
    """Return how often each verdict comes out, by what is true (law/frozen-form-power): DRAWS simulated tests each.

    The truth is a form with the fixed coefficients, or with coefficients drawn from their errors.
    """
    rng, rows = np.random.default_rng(SEED), []
    here = _counted(points.select(np.isin(points.length, SETS[0])), fixed)
    weights, error = _weights(here, fixed)
    law, frozen = (_chances(here, name, fixed[name][0]) for name in PAIR)
    both = FORMS["denominator"].difference(here.rates, here.length, fixed[FROZEN_FORM][0])
    truths = [
        (name, "fixed", true) for name, true in ((LAW, law), (FROZEN_FORM, frozen), ("halfway", (law + frozen) / 2))
    ]
    truths.append(("denominator", "fixed", win_probability(both, here.length)))
    for name, (estimate, covariance) in fixed.items():
        drawn = [_chances(here, name, one) for one in rng.multivariate_normal(estimate, covariance, DRAWS)]
        truths.append((name, "drawn", np.array(drawn)))
        for cost in COSTS:
            difference = cost * PAIR[name].difference(here.rates, here.length, estimate)
            truths.append((f"{cost:g} times {name}", "fixed", win_probability(difference, here.length)))
    for name, coefficients, true in truths:
        seen = (true - law) @ weights + rng.normal(0, error, DRAWS)
        half = quantile(CONFIDENCE) * error
        said = pd.Series([verdict(value - half, value + half) for value in seen]).value_counts(normalize=True)
        shares = [float(said.get(word, 0.0)) for word in (LAW, FROZEN_FORM, UNDECIDED, NEITHER)]
        about = (name, coefficients, float(seen.mean()), error, *shares)
        rows.append(dict(zip(columns("law/frozen-form-power"), about, strict=True)))
    return pd.DataFrame(rows)
