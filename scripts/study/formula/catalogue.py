"""The fits of a study by name, the tidy table of their coefficients, and the recommended formula.

The recommended formula is the fit of all match lengths at once to winning chances, with luck as a
control variate. Cube errors are per close cube decision of today. (People are rated by the formula
of study/law.) The reasons come from simulated studies with a known formula
(tests/oracles/test_fits_recovery.py). There its intervals have their nominal coverage; those of
unweighted least squares do not for a2. It is less biased than a weighted fit of R, whose weights
depend on the result. Control variates give narrower intervals than luck-adjusted results. Errors
are clustered by player (formula/regressions.py), since a formula that misfits a player does so at
all lengths.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import block_diag

from bgmatch.records import Record
from bgrating.rating.formula import RatingFormula
from bgrating.rating.formula_of_2003 import published_formula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.terms import FORMS, MULTIPLIES
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

# The kind of `lines_of_2003`.
LINES_OF_2003 = "ols-lines"
KINDS = {
    "ols": Kind("least squares per length, as published", to_ratings=True),
    "probability": Kind("per length, fitted to winning chances"),
    "joint-probability": Kind("all lengths at once, fitted to winning chances", joint=True),
    "joint-probability-clustered": Kind(
        "all lengths at once, fitted to winning chances, errors by player",
        joint=True,
        by_player=True,
    ),
}
METHOD = "control-variate"
EPC: EpcDefinition = "today"
KIND = "joint-probability-clustered"
# The same estimate as of KIND; its errors treat every point as independent.
KIND_OF_FEW_PLAYERS = "joint-probability"
KIND_OF_ONE_LENGTH = "probability"
# The study of 2003: its luck-adjusted results, and its error rates averaged over matches.
METHOD_OF_2003 = "luck-adjusted"
EPC_OF_2003: EpcDefinition = "2003-averaged"
# The fits that pages, figures and documents read: kind, estimator of the chance, and error rates.
# The first is that of 2003. The next three change its rates, its estimator, or both, and nothing
# else.
KEPT: tuple[tuple[str, str, EpcDefinition], ...] = (
    ("ols", METHOD_OF_2003, EPC_OF_2003),
    ("ols", METHOD_OF_2003, "2003"),
    ("probability", METHOD_OF_2003, EPC_OF_2003),
    ("probability", METHOD_OF_2003, "2003"),
    ("probability", METHOD, "today"),
    (KIND_OF_FEW_PLAYERS, METHOD, "today"),
    (KIND, METHOD, "today"),
)


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fit of the catalogue, or the error with the reason why there is none.

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

    Chequer and cube coefficients need cube noise that varies independently of chequer noise (Part
    II). A design with both always equal (Part I) determines the linear form only.
    """
    noise = points[["chequer_noise", "cube_noise"]].drop_duplicates().to_numpy(dtype=float)
    return BILINEAR if np.linalg.matrix_rank(noise) == 2 else LINEAR


def fit_all(points: pd.DataFrame) -> Iterator[FitResult]:
    """Run every fit of KEPT for the form that the design determines.

    `points` is the points table. A fit that the points do not determine is yielded with the reason.
    Raises ConvergenceError for a fit that they determine but that does not converge.
    """
    form = form_of(points)
    for name, method, epc in KEPT:
        rows = points[points["method"] == method]
        if len(rows):
            answers = evaluate(KINDS[name], form, rows, epc)
            for length, answer in answers.items():
                yield FitResult(form, name, method, epc, length, answer)
            fits = [answer for answer in answers.values() if isinstance(answer, CoefficientFit)]
            if name == "ols" and epc == EPC_OF_2003 and len(fits) > len(LINE):
                yield FitResult(form, LINES_OF_2003, method, epc, None, lines_of_2003(fits))


def evaluate(
    kind: Kind, form: Form, rows: pd.DataFrame, epc: EpcDefinition
) -> dict[int | None, CoefficientFit | UndeterminedError]:
    """Run one kind of fit; return the coefficients by match length.

    Under None are const and inv of a joint fit. If the points do not determine the coefficients,
    the value is the error with the reason.
    """
    answers: dict[int | None, CoefficientFit | UndeterminedError] = {}
    for length in [None] if kind.joint else sorted(rows["match_length"].unique()):
        points = rows if length is None else rows[rows["match_length"] == length]
        try:
            fitted = fit(kind, points, form, epc)
        except UndeterminedError as error:
            answers[length] = error
            continue
        if kind.joint:
            answers |= {n: read_off(fitted, n) for n in fitted.match_lengths}
        answers[length] = fitted
    return answers


def read_off(line: CoefficientFit, length: int) -> CoefficientFit:
    """Return the coefficients at one match length, with the covariance of their parts."""
    names, parts = np.array([term.split("_") for term in line.terms]).T
    terms = tuple(dict.fromkeys(names.tolist()))
    multipliers = np.array([FORMS[part](length) for part in parts])
    at = (np.array(terms)[:, None] == names) * multipliers
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
    """Return straight lines through N times each coefficient against N, by least squares, as in the
    study of 2003.

    `fits` are at least three fits of single lengths.
    """
    match_lengths = tuple(fit.match_lengths[0] for fit in fits)
    lengths = np.array(match_lengths, dtype=float)
    estimates = np.array([fit.estimate for fit in fits])
    lines = [np.polyfit(lengths, lengths * values, 1, cov=True) for values in estimates.T]
    return CoefficientFit(
        terms=line_terms(fits[0].terms),
        estimate=np.concatenate([line for line, _ in lines]),
        covariance=block_diag(*(covariance for _, covariance in lines)),
        dof=float(len(fits) - len(LINE)),
        match_lengths=match_lengths,
        n_points=sum(fit.n_points for fit in fits),
        n_matches=sum(fit.n_matches for fit in fits),
    )


def coefficients(results: Iterable[FitResult]) -> pd.DataFrame:
    """Return results of the catalogue as a table (study/coefficients), one row per term of every
    fit.

    `match_length` is empty for const and inv terms. A fit that the points do not determine has rows
    without an estimate whose `status` gives the reason. `status` also counts and names the points
    that a fit left out.
    """
    results = list(results)
    best = _candidates(results)[:1]
    rows = [
        row | {"recommended": result in best and "estimate" in row}
        for result in results
        for row in _rows(result)
    ]
    integers = ("match_length", "n_points", "n_matches", "chi_square_dof")
    return pd.DataFrame(rows, columns=columns("study/coefficients")).astype(
        dict.fromkeys(integers, "Int64")
    )


def _rows(result: FitResult) -> list[dict[Any, Any]]:
    fitted = result.answer
    length = result.match_length
    terms = line_terms(result.form.terms) if length is None else result.form.terms
    table = pd.DataFrame({"term": terms}).assign(
        model=result.model,
        method=result.method,
        match_length=length,
        confidence=CONFIDENCE,
        epc_definition=result.epc,
        status="ok",
    )
    table["value_2003"] = [value_2003(term, length, result.epc) for term in terms]
    if isinstance(fitted, UndeterminedError):
        return table.assign(status=str(fitted)).to_dict("records")
    if fitted.left_out:
        table["status"] = f"{len(fitted.left_out)} points left out: {'; '.join(fitted.left_out)}"
    low, high = fitted.interval()
    table = table.assign(
        estimate=fitted.estimate,
        std_error=fitted.std_error,
        ci_low=low,
        ci_high=high,
        n_points=fitted.n_points,
        n_matches=fitted.n_matches,
        chi_square=fitted.chi_square,
        chi_square_dof=fitted.chi_square_dof or None,
        dof=fitted.dof,
    )
    return table.to_dict("records")


def value_2003(term: str, length: int | None, epc: str) -> float | None:
    """Return the coefficient of 2003.

    It is None beside rates that are not averaged as then, and for a term of another form.
    """
    if epc != EPC_OF_2003:
        return None
    name = term.partition("_")[0]
    paper = published_formula("linear" if name == "a" else "bilinear")
    if length is not None:
        return float(paper.coefficient(name, float(length))[0])
    return float(paper.estimate[paper.terms.index(term)]) if term in paper.terms else None


def _candidates(results: Iterable[FitResult]) -> list[FitResult]:
    """Return the fits that may be the study's formula: the best first, or if the points determine
    none the simplest.

    With two match lengths or more the formula is a function of N; with one it holds at that length
    only.
    """
    fits = [r for r in results if r.method == METHOD and r.epc == EPC]
    candidates = [r for r in reversed(fits) if r.match_length is None]  # the last of KEPT first
    at_lengths = [r for r in fits if r.kind == KIND_OF_ONE_LENGTH]
    if len(at_lengths) == 1:
        candidates += at_lengths
    fitted = [r for r in candidates if isinstance(r.answer, CoefficientFit)]
    return fitted or candidates[::-1]


def recommended(
    results: Iterable[FitResult], points: pd.DataFrame, metadata: Record
) -> RatingFormula:
    """Return the recommended formula of a study; `metadata` (study …) goes into its file.

    Raises UndeterminedError with the reason if there is none.
    """
    best = _candidates(results)[0]
    fitted = best.answer
    if isinstance(fitted, UndeterminedError):
        raise UndeterminedError(f"no formula can be recommended: {fitted}")
    used = points[(points["method"] == METHOD) & points["match_length"].isin(fitted.match_lengths)]
    ranges = {
        MULTIPLIES[term]: (float(used[column].min()), float(used[column].max()))
        for term, column in zip(best.form.terms, best.form.rates[EPC], strict=True)
    }
    return RatingFormula(
        terms=fitted.terms,
        estimate=fitted.estimate,
        covariance=fitted.covariance,
        dof=fitted.dof,
        confidence=CONFIDENCE,
        epc_definition=EPC,
        match_lengths=fitted.match_lengths,
        ranges=ranges,
        metadata={
            **metadata,
            "model": best.model,
            "method": METHOD,
            "words": KINDS[best.kind].description,
            "n_points": fitted.n_points,
            "n_matches": fitted.n_matches,
            "left_out": list(fitted.left_out),
            "tau": fitted.tau[0],
            "tau_interval": list(fitted.tau[1:]),
            "goodness_of_fit": goodness(fitted.chi_square, fitted.chi_square_dof),
        },
    )
