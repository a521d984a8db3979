"""The comparison with 2003: coefficients over the published ones."""

from collections.abc import Mapping

import pandas as pd

from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.tables.dictionary import columns
from study.formula.catalogue import KIND_OF_ONE_LENGTH, METHOD

TOTAL, COUNT, REST = "all together", "count of 2003", "what is left"
CAUSES = {
    TOTAL: ("part2", KIND_OF_ONE_LENGTH, METHOD, "today"),
    COUNT: ("part2", KIND_OF_ONE_LENGTH, METHOD, "2003"),
    REST: ("check-zadeh", "ols", "luck-adjusted", "2003"),
}
"""By cause the study, its kind of fit, the estimator of the chance and the count of close decisions.

`check-zadeh` was played with the match-equity table of 2003.
"""
WORDS = {
    TOTAL: "measured today, over published",
    COUNT: "close cube decisions counted as in 2003, over published",
    REST: "count, fit and match-equity table all as in 2003, over published: the engine itself, and chance",
}


def causes(coefficients: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set coefficients over the published ones, which have no error in the paper (comparison/causes).

    `coefficients` are tables of studies by name; a study that was not played has no rows.
    """
    paper, parts = published_formula("bilinear"), [pd.DataFrame()]
    for cause, (study, kind, *others) in CAUSES.items():
        if study not in coefficients:
            continue
        table = coefficients[study]
        is_wanted = (table[["model", "method", "epc_definition"]] == [f"bilinear-{kind}", *others]).all(axis=1)
        rows = table[is_wanted & table["match_length"].notna()]
        reference = [paper.coefficient(term, n)[0] for term, n in zip(rows["term"], rows["match_length"], strict=True)]
        factor, half = (rows[name] / reference for name in ("estimate", "std_error"))
        half *= quantile(CONFIDENCE, rows["dof"].to_numpy(float))
        rows = rows.assign(cause=cause, value=rows["estimate"], reference=reference, words=WORDS[cause])
        parts.append(rows.assign(factor=factor, ci_low=factor - half, ci_high=factor + half))
    return pd.concat(parts, ignore_index=True).reindex(columns=columns("comparison/causes"))
