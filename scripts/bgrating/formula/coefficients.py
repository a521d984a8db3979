"""The tidy coefficients table: one row per term of every fit of the catalogue."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.catalogue import Result
from bgrating.formula.intervals import quantile
from bgrating.formula.regressions import Fit
from bgrating.formula.shapes import line_terms

COLUMNS = columns("study/coefficients")


def interval(fit: Fit, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give both ends of the interval of every term.

    Student's t with the degrees of freedom of the fit; for a bootstrap the quantiles of its replicates.
    """
    if fit.replicates is not None:
        low, high = np.quantile(fit.replicates, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
        return low, high
    half = quantile(confidence, fit.dof) * fit.std_error
    return fit.estimate - half, fit.estimate + half


def coefficients(results: Iterable[Result], confidence: float = 0.9) -> pd.DataFrame:
    """Write results of the catalogue as a table with `COLUMNS`.

    `match_length` is empty for const and inv terms. A fit that the points do not determine has rows without
    an estimate whose `status` gives the reason; points that a fit left out are counted and named there too.
    """
    return pd.DataFrame([row for result in results for row in _rows(result, confidence)], columns=COLUMNS).astype(
        {"match_length": "Int64", "n_points": "Int64", "n_matches": "Int64", "chi_square_dof": "Int64"}
    )


def _rows(result: Result, confidence: float) -> list[dict[str, Any]]:
    form = result.form
    terms = line_terms(form.terms, form.parts) if result.match_length is None else form.terms
    shared: dict[str, Any] = {
        "model": result.model,
        "method": result.method,
        "match_length": result.match_length,
        "confidence": confidence,
        "epc_definition": result.epc,
    }
    fit = result.answer
    if not isinstance(fit, Fit):
        return [shared | {"term": term, "status": str(fit)} for term in terms]
    low, high = interval(fit, confidence)
    shared |= {
        "n_points": fit.n_points,
        "n_matches": fit.n_matches,
        "chi_square": fit.chi_square,
        "chi_square_dof": fit.chi_square_dof or None,
        "status": f"{len(fit.left_out)} points left out: {'; '.join(fit.left_out)}" if fit.left_out else "ok",
    }
    return [
        shared
        | {
            "term": term,
            "estimate": fit.estimate[i],
            "std_error": fit.std_error[i],
            "ci_low": low[i],
            "ci_high": high[i],
            "dof": fit.dof[i],
        }
        for i, term in enumerate(terms)
    ]
