"""The regressions themselves: thin, checked calls of statsmodels and scipy that give a `Fit`.

Errors by player: where the formula misfits a player, it does so at every match length alike. His points are then not
independent, and standard errors that assume independence are too small. In simulated studies where players scatter
round the formula, errors by player give intervals near their nominal coverage. Errors scaled by chi-square do not. They
are those of the jackknife that leaves one player out at a time, linearised (Bell and McCaffrey, Survey Methodology 28
(2002) 169; MacKinnon, Nielsen and Webb, Journal of Applied Econometrics 38 (2023) 671: CV3), with Student's t of one
degree of freedom less than players.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bgrating import BgratingError
from bgrating.rating import chances
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.intervals import CONFIDENCE, quantile
from study.formula.points import Observations


class UndeterminedError(BgratingError, ValueError):
    """The design points do not determine the coefficients."""


@dataclass(frozen=True)
class CoefficientFit:
    """Coefficients of one fit with their covariance and how well they describe the points.

    `estimate` and `dof` (degrees of freedom of Student's t) have one entry per term. `covariance` is terms by terms.
    `chi_square` adds up squared deviations of the chance over its variance, on `chi_square_dof` degrees of freedom.
    """

    terms: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    dof: Floats
    match_lengths: tuple[int, ...]
    n_points: int
    n_matches: int
    chi_square: float = float("nan")
    chi_square_dof: int = 0
    left_out: tuple[str, ...] = ()

    @property
    def std_error(self) -> Floats:
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def interval(self) -> tuple[Floats, Floats]:
        """Return both ends of the interval of every term.

        Student's t with the degrees of freedom of the fit.
        """
        half = quantile(CONFIDENCE, self.dof) * self.std_error
        return self.estimate - half, self.estimate + half


def fit_ratings(points: Observations, design: Floats, terms: tuple[str, ...]) -> CoefficientFit:
    """Fit rating differences by least squares without an intercept.

    `design` is points by terms. It is the published method, with classical errors. Points without a finite rating
    difference are left out by name. Raises UndeterminedError.
    """
    # It takes a second, which pages that fit nothing need not wait for.
    from statsmodels.regression.linear_model import OLS  # noqa: PLC0415

    finite = np.isfinite(points.rating_difference)
    points, design = points.select(finite, "the chance lies at or outside 0 and 1"), design[finite]
    _check(points, design, terms)
    result = OLS(points.rating_difference, design).fit()
    return _fit(points, design, terms, result.params, result.cov_params())


def fit_chances(points: Observations, design: Floats, terms: tuple[str, ...]) -> CoefficientFit:
    """Fit match-winning chances: weighted non-linear least squares through the FIBS formula.

    It minimises the sum of squares of (P - 1 / (1 + 10^(R sqrt(N) / 2000))) / standard error of P. R is `design` times
    the coefficients. The chances are averages themselves, so nothing is averaged after a bent transform when P nears 0.
    Errors are scaled by the misfit found (chi-square over its degrees of freedom). Raises UndeterminedError and
    ConvergenceError.
    """
    _check(points, design, terms)
    try:
        found = chances.fit_chances(points.p, points.match_length, design, points.p_se, np.zeros(len(terms)))
    except ConvergenceError as problem:
        raise ConvergenceError(f"the fit of {', '.join(terms)} {problem}") from None
    return _fit(points, design, terms, found.params, found.cov_params())


def fit_chances_by_player(points: Observations, design: Floats, terms: tuple[str, ...]) -> CoefficientFit:
    """Fit chances as `fit_chances` does, with errors for pairs of players that misfit at all lengths alike.

    Student's t has one degree of freedom less than there are pairs. Raises UndeterminedError where there are no more
    pairs than terms, and as `fit_chances` does.
    """
    pairs = np.unique(points.pairs)
    if len(pairs) <= len(terms):
        raise UndeterminedError(
            f"{len(pairs)} pairs of players are too few for errors of {', '.join(terms)} by player: "
            f"at least {len(terms) + 1} are needed"
        )
    fit = fit_chances(points, design, terms)
    p = win_probability(design @ fit.estimate, points.match_length)
    slope = (p * (1 - p) * log_odds_per_point(points.match_length) / points.p_se)[:, None] * design
    covariance = by_cluster(slope, (points.p - p) / points.p_se, points.pairs)
    return replace(fit, covariance=covariance, dof=np.full(len(terms), float(len(pairs) - 1)))


def by_cluster(design: Floats, residual: Floats, clusters: NDArray[np.str_]) -> Floats:
    """Return the jackknife covariance of a least-squares fit (rows by terms), residuals correlated within clusters.

    Leave each of the G clusters out in turn. The covariance is (G - 1) / G times the sum of squared shifts of the
    estimate. Raises UndeterminedError where one cluster alone carries a coefficient.
    """
    inverse = np.linalg.inv(design.T @ design)
    middle = np.zeros_like(inverse)
    names = np.unique(clusters)
    for cluster in names:
        rows = design[clusters == cluster]
        left = np.eye(len(rows)) - rows @ inverse @ rows.T
        if np.linalg.eigvalsh(left).min() < 1e-9:
            raise UndeterminedError(f"without {cluster} the other design points do not determine the coefficients")
        score = rows.T @ np.linalg.solve(left, residual[clusters == cluster])
        middle += np.outer(score, score)
    return np.asarray((len(names) - 1) / len(names) * inverse @ middle @ inverse)


def _check(points: Observations, design: Floats, terms: tuple[str, ...]) -> None:
    if len(points) <= len(terms):
        left_out = f" ({len(points.left_out)} left out: {'; '.join(points.left_out)})" if points.left_out else ""
        raise UndeterminedError(
            f"{len(points)} usable design points do not determine {', '.join(terms)} with an error: "
            f"at least {len(terms) + 1} are needed{left_out}"
        )
    scale = np.linalg.norm(design, axis=0)
    # Error rates that should be equal differ by roundings: a design is not of full rank for those.
    if np.any(scale == 0) or np.linalg.matrix_rank(design / scale, rtol=1e-6) < design.shape[1]:
        raise UndeterminedError(
            f"the design points do not separate {', '.join(terms)}: "
            "vary chequer and cube noise independently; a line in 1/N needs two match lengths"
        )


def _fit(
    points: Observations, design: Floats, terms: tuple[str, ...], estimate: Floats, covariance: Floats
) -> CoefficientFit:
    deviations = (points.p - win_probability(design @ estimate, points.match_length)) / points.p_se
    dof = len(points) - len(terms)
    return CoefficientFit(
        terms=terms,
        estimate=np.asarray(estimate, dtype=float),
        covariance=np.asarray(covariance, dtype=float),
        dof=np.full(len(terms), float(dof)),
        match_lengths=points.lengths,
        n_points=len(points),
        n_matches=int(points.n_matches.sum()),
        chi_square=float(deviations @ deviations),
        chi_square_dof=dof,
        left_out=points.left_out,
    )
