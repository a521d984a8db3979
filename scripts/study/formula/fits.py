"""Fits over match lengths: one per length, lines through those, or one over all."""

from collections.abc import Callable

import numpy as np

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import PARTS
from study.formula.points import Observations
from study.formula.regressions import CoefficientFit, UndeterminedError
from study.formula.shapes import Form, line_design, line_terms

Answer = CoefficientFit | UndeterminedError
Regression = Callable[[Observations, Floats, tuple[str, ...]], CoefficientFit]


def by_length(points: Observations, terms: tuple[str, ...], regression: Regression) -> dict[int, Answer]:
    """Fit every match length by itself; where points do not determine the terms, the answer is the error."""
    answers: dict[int, Answer] = {}
    for length in points.lengths:
        here = points.at_length(length)
        try:
            answers[length] = regression(here, here.predictors, terms)
        except UndeterminedError as error:
            answers[length] = error
    return answers


def joint(points: Observations, form: Form, regression: Regression) -> CoefficientFit:
    """Fit all match lengths at once, every coefficient having the parts that the form says."""
    design = line_design(points.predictors, points.match_length)
    return regression(points, design, line_terms(form.terms))


def lines(fits: dict[int, CoefficientFit]) -> CoefficientFit:
    """Return the published lines: N a(N) = const N + inv by least squares over match lengths, for every term.

    The covariance is carried from the fits of the single lengths, which are independent; the degrees of
    freedom follow Welch and Satterthwaite. Raises UndeterminedError with fewer than two lengths.
    """
    if len(fits) < 2:
        raise UndeterminedError("a line over match lengths needs two lengths at least: play another length")
    length = np.array(sorted(fits), dtype=float)
    # Least squares of N a(N) on (N, 1), written as the matrix that takes a(N) to (const, inv).
    to_line = np.linalg.pinv(np.column_stack([length, np.ones_like(length)])) * length
    single = [fits[int(n)] for n in length]
    k = len(single[0].terms)
    spread = [np.kron(np.eye(k), to_line[:, [i]]) for i in range(len(single))]
    parts = [s @ fit.covariance @ s.T for s, fit in zip(spread, single, strict=True)]
    covariance = np.sum(parts, axis=0)
    share = np.array([np.diag(part) ** 2 / np.repeat(fit.dof, 2) for part, fit in zip(parts, single, strict=True)])
    return CoefficientFit(
        terms=line_terms(single[0].terms),
        estimate=np.sum([s @ fit.estimate for s, fit in zip(spread, single, strict=True)], axis=0),
        covariance=covariance,
        dof=np.diag(covariance) ** 2 / share.sum(axis=0),
        match_lengths=tuple(sorted(fits)),
        n_points=sum(fit.n_points for fit in single),
        n_matches=sum(fit.n_matches for fit in single),
        chi_square=sum(fit.chi_square for fit in single),
        chi_square_dof=sum(fit.chi_square_dof for fit in single),
        left_out=tuple(name for fit in single for name in fit.left_out),
    )


def read_off(line: CoefficientFit, length: int) -> CoefficientFit:
    """Return the coefficients at one match length, with the covariance of their parts."""
    named = [term.rpartition("_") for term in line.terms]
    terms = tuple(dict.fromkeys(term for term, _, _ in named))
    at = np.zeros((len(terms), len(named)))
    for column, (term, _, part) in enumerate(named):
        at[terms.index(term), column] = PARTS[part](np.array(float(length)))
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
