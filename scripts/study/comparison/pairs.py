"""Single pairs of players, predicted from other fits."""

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.tables.dictionary import columns
from study.comparison.studies import PlayedStudy
from study.formula.recommended import METHOD
from study.published import beside_published


def out_of_sample(studies: list[PlayedStudy], formula: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of pairs (comparison/out_of_sample).

    `predicted` is by `formula` (of Part II, EPC of today). A deviation is measured less predicted over the root of both
    squared errors. `published_formula` has our error rates with EPC counted as in 2003; `distance` is how far our
    rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        predicted = _predict(formula, *rows[["match_length", "epm", "epc"]].to_numpy(float).T)
        rows["predicted"], rows["predicted_se"] = predicted
        spread = np.hypot(rows["rating_difference_se"], rows["predicted_se"])
        rows["deviation"] = (rows["rating_difference"] - rows["predicted"]) / spread
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/out_of_sample"))


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that does not hold at their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error
