"""How coefficients depend on match length N: one fit a length, lines through those, or one fit over all."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bgrating.model.observations import Observations
from bgrating.model.regressions import Fit, UndeterminedError

Floats = NDArray[np.float64]
Answer = Fit | UndeterminedError
Regression = Callable[[Observations, Floats, tuple[str, ...]], Fit]


def line_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Name the part without N and the part over N of each term: a2 -> a2_const, a2_inv."""
    return tuple(f"{term}_{part}" for term in terms for part in ("const", "inv"))


def line_design(predictors: Floats, match_length: NDArray[np.int64]) -> Floats:
    """Columns x and x / N for every predictor x: points by twice the terms, in the order of `line_terms`."""
    inverse = 1 / np.asarray(match_length, dtype=float)
    rows, terms = predictors.shape  # a resample may have no usable point
    return np.stack([predictors, predictors * inverse[:, None]], axis=2).reshape(rows, 2 * terms)


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


def joint(points: Observations, terms: tuple[str, ...], regression: Regression) -> Fit:
    """Fit all match lengths at once, every coefficient being const + inv / N."""
    return regression(points, line_design(points.predictors, points.match_length), line_terms(terms))


def lines(fits: dict[int, Fit]) -> Fit:
    """Draw the published lines: N a(N) = const N + inv by least squares over match lengths, for every term.

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
    return Fit(
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


def read_off(line: Fit, length: int) -> Fit:
    """Read const + inv / N off at one match length, with the covariance of the line."""
    k = len(line.terms) // 2
    at = np.kron(np.eye(k), [[1.0, 1 / length]])
    return Fit(
        terms=tuple(term.removesuffix("_const") for term in line.terms[::2]),
        estimate=at @ line.estimate,
        covariance=at @ line.covariance @ at.T,
        dof=line.dof[::2],
        match_lengths=(length,),
        n_points=line.n_points,
        n_matches=line.n_matches,
        left_out=line.left_out,
        replicates=None if line.replicates is None else line.replicates @ at.T,
    )
