"""Every fit that this project offers, by name, and the tidy table of their coefficients."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns
from study.formula.fits import Answer, Regression, by_length, joint, lines, read_off
from study.formula.points import Observations, observations
from study.formula.regressions import CoefficientFit, UndeterminedError, fit_chances, fit_chances_by_player, fit_ratings
from study.formula.shapes import BILINEAR, LINEAR, EpcDefinition, Form, line_terms

COLUMNS = columns("study/coefficients")


@dataclass(frozen=True)
class Kind:
    """A way to fit: the regression, and whether over all match lengths at once."""

    regression: Regression
    joint: bool
    words: str


_AS_PUBLISHED: Regression = partial(fit_ratings, weighting="none")

KINDS: dict[str, Kind] = {
    "ols": Kind(_AS_PUBLISHED, False, "least squares per length and lines in N, as published"),
    "probability": Kind(fit_chances, False, "per length, fitted to winning chances"),
    "joint-probability": Kind(fit_chances, True, "all lengths at once, fitted to winning chances"),
    "joint-probability-clustered": Kind(
        fit_chances_by_player, True, "all lengths at once, fitted to winning chances, errors by player"
    ),
}

_BEST, _PUBLISHED = "control-variate", "luck-adjusted"
_EVERY: tuple[EpcDefinition, ...] = ("today", "2003", "every", "moves")
# The fits that a report or the comparison reads, so a study's tables keep them. By kind: the estimators of the chance
# and the counts of cube decisions.
KEPT: dict[str, tuple[tuple[str, ...], tuple[EpcDefinition, ...]]] = {
    "ols": ((_PUBLISHED, _BEST), ("today", "2003")),
    "probability": ((_BEST,), _EVERY),
    "joint-probability": ((_BEST,), _EVERY),
    "joint-probability-clustered": ((_BEST,), _EVERY),
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
        """Name in the tables: the form and the kind of fit."""
        return f"{self.form.name}-{self.kind}"


def forms(points: pd.DataFrame) -> list[Form]:
    """Return the forms whose coefficients a design determines.

    Chequer and cube coefficients need cube noise that is varied apart from chequer noise (Part II). A design with both
    always equal (Part I) determines the linear form only. The first is that of a study's own formula.
    """
    noise = points[["chequer_noise", "cube_noise"]].drop_duplicates().to_numpy(dtype=float)
    return [BILINEAR, LINEAR] if np.linalg.matrix_rank(noise) == 2 else [LINEAR]


def evaluate(kind: Kind, form: Form, points: Observations) -> dict[int | None, Answer]:
    """Run one kind of fit: coefficients for every match length, and const and inv under None.

    Where the points do not determine the coefficients, the answer is the error with the reason.
    """
    answers: dict[int | None, Answer] = {}
    if not kind.joint:
        single = by_length(points, form.terms, kind.regression)
        answers.update(single.items())
    try:
        if kind.joint:
            line = joint(points, form, kind.regression)
            answers.update({length: read_off(line, length) for length in line.match_lengths})
        else:
            line = lines({length: fit for length, fit in single.items() if isinstance(fit, CoefficientFit)})
        answers[None] = line
    except UndeterminedError as error:
        answers[None] = error
    return answers


def fit_all(
    points: pd.DataFrame,
    kinds: Iterable[str] = tuple(KINDS),
    kept: Mapping[str, tuple[tuple[str, ...], tuple[EpcDefinition, ...]]] | None = None,
) -> Iterator[FitResult]:
    """Run kinds of fit for every form the design allows, every method and EPC definition, or those of `kept` alone.

    `points` is the points table. A fit that the points do not determine is there with its reason. One that should work
    and does not converge raises ConvergenceError.
    """
    chosen = [(name, KINDS[name]) for name in kinds]
    definitions = [(form, epc) for form in forms(points) for epc in form.rates]
    for (form, epc), method in product(definitions, points["method"].unique()):
        seen = observations(points[points["method"] == method], form, epc)
        for name, kind in chosen:
            if kept is not None and (method not in kept[name][0] or epc not in kept[name][1]):
                continue
            for length, answer in evaluate(kind, form, seen).items():
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
