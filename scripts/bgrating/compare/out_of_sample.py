"""Pairs of players that no formula was fitted to: measured, published and predicted."""

import numpy as np
import pandas as pd

from bgrating.compare.rates import differences
from bgrating.compare.sources import Played
from bgrating.model.cells import KEY
from bgrating.model.comparison import beside_published
from bgrating.model.formula import FormulaError, RatingFormula
from bgrating.model.recommended import METHOD

COLUMNS = [
    "study", "match_length", "player", "opponent", "n_matches", "epm", "epc", "epc_2003", "cube_per_move",
    "rating_difference", "rating_difference_se", "ci_low", "ci_high", "predicted", "predicted_se", "deviation",
    "alternative", "alternative_se", "alternative_deviation", "published_formula", "published_difference",
    "published_low", "published_high", "distance", "analysis",
]  # fmt: skip


def out_of_sample(studies: list[Played], formula: RatingFormula | None, other: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of pairs (COLUMNS).

    `predicted` is by `formula` (of Part II, EPC of today), `alternative` by `other` (cube error per unforced move);
    a deviation is measured less predicted over the root of both squared errors. `published_formula` has our error rates
    with EPC counted as in 2003; `distance` is how far our rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rates = differences(study.matches)[[*KEY, "cube_per_move"]]
        rows = rows.merge(rates, on=KEY).assign(study=study.name, analysis=study.facts["analysis"]["name"])
        for name, rate, source, error in (
            ("predicted", "epc", formula, "deviation"),
            ("alternative", "cube_per_move", other, "alternative_deviation"),
        ):
            said = [_predict(source, int(n), e, c) for n, e, c in rows[["match_length", "epm", rate]].to_numpy(float)]
            rows[name], rows[f"{name}_se"] = [value for value, _ in said], [se for _, se in said]
            spread = np.hypot(rows["rating_difference_se"], rows[f"{name}_se"])
            rows[error] = (rows["rating_difference"] - rows[name]) / spread
        parts.append(rows)
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS)


def _predict(formula: RatingFormula | None, length: int, epm: float, epc: float) -> tuple[float, float]:
    """Predict one pair; NaN where there is no formula, or one that says nothing about this match length."""
    if formula is None:
        return (np.nan, np.nan)
    try:
        return formula.rating_difference(length, epm=epm, epc=epc)
    except FormulaError:
        return (np.nan, np.nan)
