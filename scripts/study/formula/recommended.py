"""The formula that this project fits to a study, taken from the results of the catalogue.

It is the fit of all match lengths at once to winning chances, with luck as a control variate. Cube errors are per close
cube decision of today. People's ratings go by the formula of study/law. Why: in
simulated studies with a known formula (tests/oracles/test_fits_recovery.py) its intervals have their nominal coverage.
Those of unweighted least squares do not for a2. It is less biased than a weighted fit of R, whose weights depend on the
result. And control variates give narrower intervals than luck-adjusted results. Errors are those by player
(formula/regressions.py), since a formula that misfits a player does so at all lengths.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from bgrating.rating.formula import MULTIPLIES, RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from study.formula.catalogue import KINDS, FitResult, forms
from study.formula.regressions import CoefficientFit, UndeterminedError
from study.formula.shapes import EpcDefinition

METHOD = "control-variate"
EPC: EpcDefinition = "today"
KIND = "joint-probability-clustered"
KIND_OF_FEW_PLAYERS = "joint-probability"  # the same estimate; its errors take every point as independent
KIND_OF_ONE_LENGTH = "probability"


def recommended(results: Iterable[FitResult], points: pd.DataFrame, facts: Mapping[str, Any]) -> RatingFormula:
    """Return the recommended formula of a study; `facts` (study …) go into its file.

    Its form is the first of those that the design determines (`forms`). Over two match lengths or more it is a formula
    of N; with one it holds at that length. Raises UndeterminedError with the reasons where it was not fitted.
    """
    form = forms(points)[0]
    offered = [r for r in results if r.method == METHOD and r.epc == EPC and r.form == form]
    wanted = [r for kind in (KIND, KIND_OF_FEW_PLAYERS) for r in offered if r.kind == kind and r.match_length is None]
    lengths = {r.match_length for r in offered if r.kind == KIND_OF_ONE_LENGTH and r.match_length is not None}
    if len(lengths) == 1:
        wanted += [r for r in offered if r.kind == KIND_OF_ONE_LENGTH and r.match_length is not None]
    for result in wanted:
        if isinstance(fit := result.answer, CoefficientFit):
            used = points[(points["method"] == METHOD) & points["match_length"].isin(fit.match_lengths)]
            return RatingFormula(
                terms=fit.terms,
                estimate=fit.estimate,
                covariance=fit.covariance,
                dof=float(fit.dof[0]),
                confidence=CONFIDENCE,
                epc_definition=EPC,
                match_lengths=fit.match_lengths,
                ranges={
                    MULTIPLIES[term]: (float(np.nanmin(used[column])), float(np.nanmax(used[column])))
                    for term, column in zip(form.terms, form.rates[EPC], strict=True)
                },
                facts={
                    **facts, "model": result.model, "method": METHOD, "words": KINDS[result.kind].words,
                    "n_points": fit.n_points, "n_matches": fit.n_matches, "left_out": list(fit.left_out),
                    "goodness_of_fit": {
                        "chi_square": fit.chi_square, "dof": fit.chi_square_dof,
                        "p_value": float(special.chdtrc(fit.chi_square_dof, fit.chi_square)),
                    },
                },
            )  # fmt: skip
    reasons = "; ".join(dict.fromkeys(f"{r.model}: {r.answer}" for r in wanted))
    raise UndeterminedError(f"no formula can be recommended: {reasons}")
