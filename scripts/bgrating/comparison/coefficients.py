"""Published against regenerated, coefficient by coefficient."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.published import published_formula
from bgrating.formula.recommended import KIND, KIND_OF_ONE_LENGTH, METHOD

AS_PUBLISHED = ("ols", "luck-adjusted")
FITS: dict[str, tuple[str, str]] = {
    "as published": AS_PUBLISHED,
    "this length": (KIND_OF_ONE_LENGTH, METHOD),
    "recommended": (KIND, METHOD),
}
COLUMNS = columns("comparison/coefficients")


def beside_published(studies: Iterable[tuple[Played, str]]) -> pd.DataFrame:
    """Set the coefficients of studies (each with its form) beside the published ones (COLUMNS).

    Published coefficients at a match length are read off the published lines; `ratio` is estimate over published, with
    the interval of the estimate (the paper gives none for its own). `relative_half_width` is half the interval over the
    estimate.
    """
    return pd.DataFrame([row for study, form in studies for row in _rows(study, form)], columns=COLUMNS).astype(
        {"match_length": "Int64", "n_points": "Int64", "n_matches": "Int64"}
    )


def _rows(study: Played, form: str) -> Iterator[dict[str, Any]]:
    paper = published_formula(form)
    lines = dict(zip(paper.terms, paper.estimate, strict=True))
    table = study.coefficients
    for fit, (kind, method) in FITS.items():
        mine = table[(table["model"] == f"{form}-{kind}") & (table["method"] == method) & table["estimate"].notna()]
        mine = mine[mine["epc_definition"] != "every"]  # the paper has no coefficient of errors over every decision
        for row in mine.to_dict("records"):
            length = None if pd.isna(row["match_length"]) else int(row["match_length"])
            term = str(row["term"])
            published = float(lines[term] if length is None else paper.coefficient(term, length)[0])
            low, high, estimate = float(row["ci_low"]), float(row["ci_high"]), float(row["estimate"])
            yield {
                "study": study.name, "term": term, "match_length": length, "fit": fit,
                "epc_definition": row["epc_definition"], "published": published, "estimate": estimate,
                "ci_low": low, "ci_high": high, "relative_half_width": (high - low) / 2 / abs(estimate),
                "ratio": estimate / published, "ratio_low": min(low / published, high / published),
                "ratio_high": max(low / published, high / published), "confidence": row["confidence"],
                "n_points": row["n_points"], "n_matches": row["n_matches"],
            }  # fmt: skip


def at_length(table: pd.DataFrame, term: str, length: int, fit: str, epc: str) -> tuple[float, float, float]:
    """Take estimate and ends of the interval of one coefficient from the table; NaN where it is not there."""
    here = (table["term"] == term) & (table["match_length"] == length) & (table["fit"] == fit)
    rows = table[here & (table["epc_definition"] == epc)]
    if rows.empty:
        return (np.nan, np.nan, np.nan)
    first = rows.iloc[0]
    return float(first["estimate"]), float(first["ci_low"]), float(first["ci_high"])
