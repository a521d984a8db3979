"""Pairs of players that no formula was fitted to: measured, published and predicted."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.beside_published import beside_published
from bgrating.formula.formula import RatingFormula
from bgrating.formula.recommended import METHOD

Floats = NDArray[np.float64]

COLUMNS = columns("comparison/out_of_sample")


def out_of_sample(studies: list[Played], formula: RatingFormula | None, other: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of pairs (COLUMNS).

    `predicted` is by `formula` (of Part II, EPC of today), `alternative` by `other` (cube error per unforced move);
    a deviation is measured less predicted over the root of both squared errors. `published_formula` has our error rates
    with EPC counted as in 2003; `distance` is how far our rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        for name, rate, source, error in (
            ("predicted", "epc", formula, "deviation"),
            ("alternative", "epc_moves", other, "alternative_deviation"),
        ):
            rows[name], rows[f"{name}_se"] = _predict(source, *rows[["match_length", "epm", rate]].to_numpy(float).T)
            spread = np.hypot(rows["rating_difference_se"], rows[f"{name}_se"])
            rows[error] = (rows["rating_difference"] - rows[name]) / spread
        parts.append(rows)
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS)


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that says nothing about their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error
