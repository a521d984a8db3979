"""The fits of a study by name, the tidy table of their coefficients, and the formula that follows.

The formula is the fit of all match lengths at once to winning chances, with luck as a control variate. Cube errors are
per close cube decision of today. People's ratings go by the formula of study/law. Why: in simulated studies with a
known formula (tests/oracles/test_fits_recovery.py) its intervals have their nominal coverage. Those of unweighted least
squares do not for a2. It is less biased than a weighted fit of R, whose weights depend on the result. And control
variates give narrower intervals than luck-adjusted results. Errors are those by player (formula/regressions.py), since
a formula that misfits a player does so at all lengths.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import block_diag

from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.published import published_formula
from bgrating.rating.terms import MULTIPLIES, PARTS
from bgrating.tables.dictionary import columns
from study.formula.regressions import (
    BILINEAR,
    LINE,
    LINEAR,
    CoefficientFit,
    EpcDefinition,
    Form,
    Kind,
    UndeterminedError,
    fit,
    goodness,
    line_terms,
)

COLUMNS = columns("study/coefficients")
LINES_OF_2003 = "ols-lines"  # N times the coefficients of "ols", fitted by a line each, as published
KINDS = {
    "ols": Kind("least squares per length, as published", to_ratings=True),
    "probability": Kind("per length, fitted to winning chances"),
    "joint-probability": Kind("all lengths at once, fitted to winning chances", joint=True),
    "joint-probability-clustered": Kind(
        "all lengths at once, fitted to winning chances, errors by player", joint=True, by_player=True
    ),
}
METHOD = "control-variate"
EPC: EpcDefinition = "today"
KIND = "joint-probability-clustered"
KIND_OF_FEW_PLAYERS = "joint-probability"  # the same estimate; its errors take every point as independent
KIND_OF_ONE_LENGTH = "probability"
# What pages, figures and documents read: a kind, the estimator of the chance and the count of cube decisions.
KEPT: tuple[tuple[str, str, EpcDefinition], ...] = (
    ("ols", "luck-adjusted", "2003"),
    ("probability", METHOD, "today"),
    ("probability", METHOD, "2003"),
    (KIND_OF_FEW_PLAYERS, METHOD, "today"),
    (KIND, METHOD, "today"),
)


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
    answer: CoefficientFit | UndeterminedError

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


def fit_all(points: pd.DataFrame) -> Iterator[FitResult]:
    """Run every kind of fit of KEPT for the form that the design determines.

    `points` is the points table. A fit that the points do not determine is there with its reason. One that should work
    and does not converge raises ConvergenceError.
    """
    form = form_of(points)
    for name, method, epc in KEPT:
        rows = points[points["method"] == method]
        if len(rows):
            answers = evaluate(KINDS[name], form, rows, epc)
            for length, answer in answers.items():
                yield FitResult(form, name, method, epc, length, answer)
            fits = [answer for answer in answers.values() if isinstance(answer, CoefficientFit)]
            if name == "ols" and len(fits) > len(LINE):
                yield FitResult(form, LINES_OF_2003, method, epc, None, lines_of_2003(fits))


def evaluate(
    kind: Kind, form: Form, rows: pd.DataFrame, epc: EpcDefinition
) -> dict[int | None, CoefficientFit | UndeterminedError]:
    """Run one kind of fit: coefficients for every match length, and of a joint one const and inv under None.

    Where the points do not determine the coefficients, the answer is the error with the reason.
    """
    answers: dict[int | None, CoefficientFit | UndeterminedError] = {}
    parts: dict[int | None, pd.DataFrame] = (
        {None: rows}
        if kind.joint
        else {n: rows[rows["match_length"] == n] for n in sorted(rows["match_length"].unique())}
    )
    for length, own in parts.items():
        try:
            found = fit(kind, own, form, epc)
        except UndeterminedError as error:
            answers[length] = error
            continue
        if kind.joint:
            answers |= {n: read_off(found, n) for n in found.match_lengths}
        answers[length] = found
    return answers


def read_off(line: CoefficientFit, length: int) -> CoefficientFit:
    """Return the coefficients at one match length, with the covariance of their parts."""
    named = [term.rpartition("_") for term in line.terms]
    terms = tuple(dict.fromkeys(term for term, _, _ in named))
    at = np.array([[PARTS[part](length) * (own == term) for own, _, part in named] for term in terms])
    return replace(
        line,
        terms=terms,
        estimate=at @ line.estimate,
        covariance=at @ line.covariance @ at.T,
        match_lengths=(length,),
        chi_square=float("nan"),
        chi_square_dof=0,
    )


def lines_of_2003(fits: Sequence[CoefficientFit]) -> CoefficientFit:
    """Return the lines of N times each coefficient over N, by least squares, as the study of 2003 found them.

    `fits` are those of single lengths, at least three.
    """
    lengths = np.array([float(fit.match_lengths[0]) for fit in fits])
    found = [
        np.polyfit(lengths, lengths * values, 1, cov=True) for values in np.array([fit.estimate for fit in fits]).T
    ]
    return CoefficientFit(
        terms=line_terms(fits[0].terms),
        estimate=np.concatenate([line for line, _ in found]),
        covariance=block_diag(*(covariance for _, covariance in found)),
        dof=float(len(fits) - len(LINE)),
        match_lengths=tuple(fit.match_lengths[0] for fit in fits),
        n_points=sum(fit.n_points for fit in fits),
        n_matches=sum(fit.n_matches for fit in fits),
    )


def coefficients(results: Iterable[FitResult]) -> pd.DataFrame:
    """Return results of the catalogue as a table with `COLUMNS`, one row per term of every fit.

    `match_length` is empty for const and inv terms. A fit that the points do not determine has rows without an estimate
    whose `status` gives the reason. Points that a fit left out are counted and named there too.
    """
    results = list(results)
    chosen = next((result for result in _offered(results) if isinstance(result.answer, CoefficientFit)), None)
    rows = [row | {"recommended": result is chosen} for result in results for row in _rows(result)]
    return pd.DataFrame(rows, columns=COLUMNS).astype(
        {"match_length": "Int64", "n_points": "Int64", "n_matches": "Int64", "chi_square_dof": "Int64"}
    )


def _rows(result: FitResult) -> list[dict[str, Any]]:
    found = result.answer
    terms = line_terms(result.form.terms) if result.match_length is None else result.form.terms
    rows: list[dict[str, Any]] = [
        {
            "model": result.model,
            "method": result.method,
            "match_length": result.match_length,
            "confidence": CONFIDENCE,
            "epc_definition": result.epc,
            "term": term,
            "value_2003": value_2003(term, result.match_length, result.epc),
        }
        for term in terms
    ]
    if isinstance(found, UndeterminedError):
        return [row | {"status": str(found)} for row in rows]
    left_out = found.left_out
    about = {
        "n_points": found.n_points,
        "n_matches": found.n_matches,
        "chi_square": found.chi_square,
        "chi_square_dof": found.chi_square_dof or None,
        "status": f"{len(left_out)} points left out: {'; '.join(left_out)}" if left_out else "ok",
        "dof": found.dof,
    }
    values = zip(found.estimate, found.std_error, *found.interval(), strict=True)
    names = ("estimate", "std_error", "ci_low", "ci_high")
    return [row | about | dict(zip(names, own, strict=True)) for row, own in zip(rows, values, strict=True)]


def value_2003(term: str, length: int | None, epc: str) -> float | None:
    """Return the coefficient of 2003; none for a cube coefficient by another count, or a part of another form."""
    name = term.partition("_")[0]
    paper = published_formula("linear" if name == "a" else "bilinear")
    if name == "b" and epc != paper.epc_definition:
        return None
    if length is not None:
        return float(paper.coefficient(name, float(length))[0])
    return float(paper.estimate[paper.terms.index(term)]) if term in paper.terms else None


def _offered(results: Iterable[FitResult]) -> list[FitResult]:
    """Return the fits that may be the study's formula, the best first.

    Over two match lengths or more it is a formula of N; with one it holds at that length.
    """
    offered = [r for r in results if r.method == METHOD and r.epc == EPC]
    wanted = [r for kind in (KIND, KIND_OF_FEW_PLAYERS) for r in offered if r.kind == kind and r.match_length is None]
    at_lengths = [r for r in offered if r.kind == KIND_OF_ONE_LENGTH]
    return wanted + (at_lengths if len(at_lengths) == 1 else [])


def recommended(results: Iterable[FitResult], points: pd.DataFrame, facts: Mapping[str, Any]) -> RatingFormula:
    """Return the recommended formula of a study; `facts` (study …) go into its file.

    Raises UndeterminedError with the reasons where it was not fitted.
    """
    reasons = list[str]()
    for result in _offered(results):
        found = result.answer
        if isinstance(found, UndeterminedError):
            reasons.append(f"{result.model}: {found}")
            continue
        form, used = result.form, points[points["method"] == METHOD]
        used = used[used["match_length"].isin(found.match_lengths)]
        ranges = {
            MULTIPLIES[term]: (float(used[column].min()), float(used[column].max()))
            for term, column in zip(form.terms, form.rates[EPC], strict=True)
        }
        return RatingFormula(
            terms=found.terms,
            estimate=found.estimate,
            covariance=found.covariance,
            dof=found.dof,
            confidence=CONFIDENCE,
            epc_definition=EPC,
            match_lengths=found.match_lengths,
            ranges=ranges,
            facts={
                **facts,
                "model": result.model,
                "method": METHOD,
                "words": KINDS[result.kind].words,
                "n_points": found.n_points,
                "n_matches": found.n_matches,
                "left_out": list(found.left_out),
                "tau": found.tau[0],
                "tau_interval": list(found.tau[1:]),
                "goodness_of_fit": goodness(found.chi_square, found.chi_square_dof),
            },
        )
    raise UndeterminedError(f"no formula can be recommended: {'; '.join(dict.fromkeys(reasons))}")
