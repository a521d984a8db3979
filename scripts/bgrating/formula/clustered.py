"""Errors of a fit over several match lengths when what a player's points deviate by is common to his lengths.

Where the formula misfits a player, it does so at every match length alike. His points are then no independent
witnesses, and errors that take them for such are too small: over simulated studies in which players scatter round the
formula, 90 % intervals of a joint fit hold the truth in 59 to 92 % of cases with errors scaled by chi-square, and in
88 to 92 % with the errors here (evidence/coverage.py counts again). They are those of the jackknife that leaves one
player out at a time, linearised (Bell and McCaffrey, Survey Methodology 28 (2002) 169; MacKinnon, Nielsen and Webb,
Journal of Applied Econometrics 38 (2023) 671: CV3), with Student's t of one degree of freedom less than players.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bgrating.formula.fibs import log_odds_per_point, win_probability
from bgrating.formula.observations import Observations
from bgrating.formula.regressions import Fit, UndeterminedError, fit_chances

Floats = NDArray[np.float64]


def fit_chances_by_player(points: Observations, design: Floats, terms: tuple[str, ...]) -> Fit:
    """Fit chances as `fit_chances` does, with errors that hold where a pair of players misfits at all lengths alike.

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
    """Give the jackknife covariance of a least-squares fit (rows by terms) whose residuals hang together in clusters.

    (G - 1) / G times the sum of squared shifts of the estimate when each of the G clusters is left out, the shifts
    taken about the estimate itself.

    Raises UndeterminedError where one cluster alone carries a coefficient.
    """
    inverse = np.linalg.inv(design.T @ design)
    middle = np.zeros_like(inverse)
    names = np.unique(clusters)
    for cluster in names:
        own = design[clusters == cluster]
        left = np.eye(len(own)) - own @ inverse @ own.T
        if np.linalg.eigvalsh(left).min() < 1e-9:
            raise UndeterminedError(f"without {cluster} the other design points do not determine the coefficients")
        score = own.T @ np.linalg.solve(left, residual[clusters == cluster])
        middle += np.outer(score, score)
    return np.asarray((len(names) - 1) / len(names) * inverse @ middle @ inverse)
