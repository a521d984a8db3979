"""The fourth test: which of two forms with fixed coefficients predicts the matches, the law or the frozen form.

docs/preregistration-frozen-form.md has the rule. The position of the measured chances between both predictions is 0
where the law is right and 1 where the frozen form is: a weighted least squares estimate, weights by smooth variances.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import quantile
from bgrating.tables.dictionary import columns
from study.formula.regressions import UndeterminedError
from study.law import FOURTH_TEST, LIMIT
from study.law.forms import FORMS, LawForm, Points, chance_moved, outcome, variances

LAW, FROZEN_FORM, UNDECIDED, NEITHER = "law", "frozen", "undecided", "both refuted"
PAIR: dict[str, LawForm] = {name: FORMS[name] for name in (LAW, FROZEN_FORM)}
SETS = ((11.0, 15.0), (7.0,), (11.0,), (15.0,), (7.0, 11.0, 15.0))  # of match lengths; the first decides
CONFIDENCE = 0.98  # of the position's interval: a form that is right is refuted with a chance of 0.02

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
