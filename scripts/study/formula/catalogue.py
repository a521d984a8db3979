"""The fits of a study by name, the tidy table of their coefficients, and the formula that follows.

The formula is the fit of all match lengths at once to winning chances, with luck as a control variate. Cube errors are
per close cube decision of today. People's ratings go by the formula of study/law. Why: in simulated studies with a
known formula (tests/oracles/test_fits_recovery.py) its intervals have their nominal coverage. Those of unweighted least
squares do not for a2. It is less biased than a weighted fit of R, whose weights depend on the result. And control
variates give narrower intervals than luck-adjusted results. Errors are those by player (formula/regressions.py), since
a formula that misfits a player does so at all lengths.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.terms import MULTIPLIES, PARTS
from bgrating.tables.dictionary import columns
from study.formula.points import (
    BILINEAR,
    LINEAR,
    EpcDefinition,
    Form,
    Observations,
    line_design,
    line_terms,
    observations,
)
from study.formula.regressions import CoefficientFit, UndeterminedError, fit_chances, fit_chances_by_player, fit_ratings

COLUMNS = columns("study/coefficients")
Answer = CoefficientFit | UndeterminedError
Regression = Callable[[Observations, Floats, tuple[str, ...]], CoefficientFit]


@dataclass(frozen=True)
class Kind:
    """A way to fit: the regression, and whether over all match lengths at once."""

    regression: Regression
    joint: bool
    words: str


KINDS: dict[str, Kind] = {
    "ols": Kind(fit_ratings, False, "least squares per length, as published"),
    "probability": Kind(fit_chances, False, "per length, fitted to winning chances"),
    "joint-probability": Kind(fit_chances, True, "all lengths at once, fitted to winning chances"),
    "joint-probability-clustered": Kind(
        fit_chances_by_player, True, "all lengths at once, fitted to winning chances, errors by player"
    ),
}
METHOD = "control-variate"
EPC: EpcDefinition = "today"
KIND = "joint-probability-clustered"
KIND_OF_FEW_PLAYERS = "joint-probability"  # the same estimate; its errors take every point as independent
KIND_OF_ONE_LENGTH = "probability"
# What pages, figures and documents read: by kind the estimator of the chance and the count of cube decisions.
KEPT: dict[str, tuple[tuple[str, EpcDefinition], ...]] = {
    "ols": (("luck-adjusted", "2003"),),
    "probability": ((METHOD, "today"), (METHOD, "2003")),
    "joint-probability": ((METHOD, "today"),),
    "joint-probability-clustered": ((METHOD, "today"),),
}


@dataclass(frozen=True)
class FitResult:
    """One answer of the catalogue: a fit, or the error with the reason why there is none.

    `match_length` is None for terms that hold at every length (const and inv).
    """

    form: Form
    kind: str
    method: str
    epc: EpcDefinition
    match_length: int | None
    answer: Answer

    @property
    def model(self) -> str:
        return f"{self.form.name}-{self.kind}"


def form_of(points: pd.DataFrame) -> Form:
    """Return the form whose coefficients a design determines.

    Chequer and cube coefficients need cube noise that is varied apart from chequer noise (Part II). A design with both
    always equal (Part I) determines the linear form only.
    """
    noise = points[["chequer_noise", "cube_noise"]].drop_duplicates().to_numpy(dtype=float)
    return BILINEAR if np.linalg.matrix_rank(noise) == 2 else LINEAR


def evaluate(kind: Kind, form: Form, points: Observations) -> dict[int | None, Answer]:
    """Run one kind of fit: coefficients for every match length, and of a joint one const and inv under None.

    Where the points do not determine the coefficients, the answer is the error with the reason.
    """
    answers: dict[int | None, Answer] = {}
    for length in () if kind.joint else points.lengths:
        here = points.at_length(length)
        try:
            answers[length] = kind.regression(here, here.predictors, form.terms)
        except UndeterminedError as error:
            answers[length] = error
    if kind.joint:
        try:
            line = joint(points, form, kind.regression)
            answers |= {length: read_off(line, length) for length in line.match_lengths}
            answers[None] = line
        except UndeterminedError as error:
            answers[None] = error
    return answers


def joint(points: Observations, form: Form, regression: Regression) -> CoefficientFit:
    return regression(points, line_design(points.predictors, points.match_length), line_terms(form.terms))


def read_off(line: CoefficientFit, length: int) -> CoefficientFit:
    """Return the coefficients at one match length, with the covariance of their parts."""
    named = [term.rpartition("_") for term in line.terms]
    terms = tuple(dict.fromkeys(term for term, _, _ in named))
    at = np.zeros((len(terms), len(named)))
    for column, (term, _, part) in enumerate(named):
        at[terms.index(term), column] = PARTS[part](length)
    return CoefficientFit(
        terms=terms,
        estimate=at @ line.estimate,
        covariance=at @ line.covariance @ at.T,
        dof=np.array([line.dof[int(np.flatnonzero(row)[0])] for row in at]),
        match_lengths=(length,),
        n_points=line.n_points,
        n_matches=line.n_matches,
        left_out=line.left_out,
    )


def fit_all(points: pd.DataFrame) -> Iterator[FitResult]:
    """Run every kind of fit for the form that the design determines, with the estimators and counts of KEPT.

    `points` is the points table. A fit that the points do not determine is there with its reason. One that should work
    and does not converge raises ConvergenceError.
    """
    form = form_of(points)
    for name, (method, epc) in [(kind, kept) for kind, variants in KEPT.items() for kept in variants]:
        rows = points[points["method"] == method]
        if len(rows):
            for length, answer in evaluate(KINDS[name], form, observations(rows, form, epc)).items():
                yield FitResult(form, name, method, epc, length, answer)


def coefficients(results: Iterable[FitResult]) -> pd.DataFrame:
    """Return results of the catalogue as a table with `COLUMNS`, one row per term of every fit.

    `match_length` is empty for const and inv terms. A fit that the points do not determine has rows without an estimate
    whose `status` gives the reason. Points that a fit left out are counted and named there too.
    """
    return pd.DataFrame([row for result in results for row in _rows(result)], columns=COLUMNS).astype(
        {"match_length": "Int64", "n_points": "Int64", "n_matches": "Int64", "chi_square_dof": "Int64"}
    )


def _rows(result: FitResult) -> list[dict[str, Any]]:
    form = result.form
    terms = line_terms(form.terms) if result.match_length is None else form.terms
    shared: dict[str, Any] = {
        "model": result.model, "method": result.method, "match_length": result.match_length, "confidence": CONFIDENCE,
        "epc_definition": result.epc,
    }  # fmt: skip
    fit = result.answer
    if not isinstance(fit, CoefficientFit):
        return [shared | {"term": term, "status": str(fit)} for term in terms]
    shared |= {
        "n_points": fit.n_points, "n_matches": fit.n_matches, "chi_square": fit.chi_square,
        "chi_square_dof": fit.chi_square_dof or None,
        "status": f"{len(fit.left_out)} points left out: {'; '.join(fit.left_out)}" if fit.left_out else "ok",
    }  # fmt: skip
    names = ("term", "estimate", "std_error", "dof", "ci_low", "ci_high")
    values = zip(terms, fit.estimate, fit.std_error, fit.dof, *fit.interval(), strict=True)
    return [shared | dict(zip(names, row, strict=True)) for row in values]


def recommended(results: Iterable[FitResult], points: pd.DataFrame, facts: Mapping[str, Any]) -> RatingFormula:
    """Return the recommended formula of a study; `facts` (study …) go into its file.

    Over two match lengths or more it is a formula of N; with one it holds at that length. Raises UndeterminedError with
    the reasons where it was not fitted.
    """
    form = form_of(points)
    offered = [r for r in results if r.method == METHOD and r.epc == EPC]
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
