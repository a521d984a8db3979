"""The comparison with 2003: coefficients divided by the published ones."""

from collections.abc import Mapping

import pandas as pd

from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.tables.dictionary import columns
from study.formula.catalogue import KIND_OF_ONE_LENGTH, METHOD

# By cause: the study, the kind of its fit, the estimator of the chance, the count of close decisions, a description.
# `check-zadeh` was played with the match-equity table of 2003.
CAUSES = {
    "all together": ("part2", KIND_OF_ONE_LENGTH, METHOD, "today", "measured today, over published"),
    "count of 2003": (
        "part2",
        KIND_OF_ONE_LENGTH,
        METHOD,
        "2003",
        "close cube decisions counted as in 2003, over published",
    ),
    "what is left": (
        "check-zadeh",
        "ols",
        "luck-adjusted",
        "2003",
        "count, fit and match-equity table all as in 2003, over published: the engine itself, and chance",
    ),
}


def causes(coefficients: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return coefficients divided by the published ones, for which the paper gives no error (comparison/causes).

    `coefficients` are tables of studies by name; a study that was not played has no rows.
    """
    paper, parts = published_formula("bilinear"), [pd.DataFrame()]
    for cause, (study, kind, method, epc, words) in CAUSES.items():
        if study not in coefficients:
            continue
        table = coefficients[study]
        is_used = (table[["model", "method", "epc_definition"]] == [f"bilinear-{kind}", method, epc]).all(axis=1)
        rows = table[is_used & table["match_length"].notna()]
        reference = [paper.coefficient(term, n)[0] for term, n in zip(rows["term"], rows["match_length"], strict=True)]
        factor, error = rows["estimate"] / reference, rows["std_error"] / reference
        half = quantile(CONFIDENCE, rows["dof"].to_numpy(float)) * error
        rows = rows.assign(cause=cause, value=rows["estimate"], reference=reference, words=words)
        parts.append(rows.assign(factor=factor, ci_low=factor - half, ci_high=factor + half))
    return pd.concat(parts, ignore_index=True).reindex(columns=columns("comparison/causes"))
