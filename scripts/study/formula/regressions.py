"""The fits of a study's design points: thin, checked calls of statsmodels.

Errors by player: a formula that misfits a player does so at every match length alike. The player's
points are then not independent, and standard errors that assume independence are too small. In
simulated studies where players scatter round the formula, errors by player give intervals near
their nominal coverage. Errors scaled by chi-square do not. Errors by player are those of the
jackknife that leaves one player out at a time, linearised. Student's t has one degree of freedom
less than there are players. Sources: Bell and McCaffrey, Survey Methodology 28 (2002) 169;
MacKinnon, Nielsen and Webb, Journal of Applied Econometrics 38 (2023) 671: CV3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.rating import chances
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs_formula import (
    Floats,
    log_odds_per_point,
    rating_difference,
    win_probability,
)
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.terms import FORMS

# The counts of rating/cube_counts.py that points are fitted with. The last has the rates of
# AVERAGED (study/error_rates.py).
EpcDefinition = Literal["today", "2003", "2003-averaged"]
LINE = ("const", "inv")
LARGEST_SCATTER = 0.5


class UndeterminedError(BgratingError, ValueError):
    """The design points do not determine the coefficients."""


@dataclass(frozen=True)
class Form:
    """Coefficients by name, and the columns of the points table that they multiply, by count of
    cube decisions.
    """

    name: str
    terms: tuple[str, ...]
    rates: Mapping[EpcDefinition, tuple[str, ...]] = field(hash=False)


LINEAR = Form(
    "linear",
    ("a",),
    {"today": ("depd",), "2003": ("depd_2003",), "2003-averaged": ("depd_2003_averaged",)},
)
BILINEAR = Form(
    "bilinear",
    ("a2", "b"),
    {
        "today": ("epm", "epc"),
        "2003": ("epm", "epc_2003"),
        "2003-averaged": ("epm_averaged", "epc_2003_averaged"),
    },
)


@dataclass(frozen=True)
class Kind:
    """A way to fit: ratings or chances, all match lengths at once or each alone.

    Its errors may be by player.
    """

    description: str
    to_ratings: bool = False
    joint: bool = False
    by_player: bool = False


@dataclass(frozen=True)
class CoefficientFit:
    """Coefficients of one fit with their covariance and the goodness of fit.

    `dof`: degrees of freedom of Student's t. `chi_square` adds up squared deviations of the chance
    over its variance, on `chi_square_dof` degrees of freedom. `left_out` names points that were not
    fitted, with the reason. `tau` is the result of `scatter`, for fits to chances.
    """

    terms: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    dof: float
    match_lengths: tuple[int, ...]
    n_points: int
    n_matches: int
    chi_square: float = float("nan")
    chi_square_dof: int = 0
    left_out: tuple[str, ...] = ()
    tau: tuple[float, float, float] = (float("nan"),) * 3

    @property
    def std_error(self) -> Floats:
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def interval(self) -> tuple[Floats, Floats]:
        """Return the lower and the upper ends of the intervals of all terms."""
        half = quantile(CONFIDENCE, self.dof) * self.std_error
        return self.estimate - half, self.estimate + half


def line_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the parts of each term, a line in 1 / N: a2 -> a2_const, a2_inv."""
    return tuple(f"{term}_{part}" for term in terms for part in LINE)


def fit(kind: Kind, points: pd.DataFrame, form: Form, epc: EpcDefinition) -> CoefficientFit:
    """Fit the rows of one method of a points table.

    Ratings are fitted by least squares without an intercept, the published method. Chances are
    fitted by weighted non-linear least squares through the FIBS formula. They are averages already,
    so no average is taken after a nonlinear transform when P nears 0. Errors are scaled by the
    misfit found, or are those by player. Raises UndeterminedError and ConvergenceError.
    """
    rates = list(form.rates[epc])
    rows, left_out = _usable(kind, points, rates)
    chance, length, error = rows[["p_win", "match_length", "p_win_se"]].to_numpy(float).T
    terms = form.terms
    design = rows[rates].to_numpy(float)
    if kind.joint:
        terms = line_terms(terms)
        design = np.column_stack([x * FORMS[part](length) for x in design.T for part in LINE])
    pairs = (rows["player"] + " against " + rows["opponent"]).to_numpy(dtype=np.str_)
    n_pairs = len(np.unique(pairs))
    if kind.by_player and n_pairs <= len(terms):
        raise UndeterminedError(
            f"errors of {', '.join(terms)} by player need at least {len(terms) + 1} pairs of"
            f" players, not {n_pairs}"
        )
    _check(design, terms, left_out)
    dof = len(rows) - len(terms)
    if kind.to_ratings:
        from statsmodels.regression.linear_model import OLS  # noqa: PLC0415

        regression = OLS(rating_difference(chance, length), design).fit()
    else:
        try:
            regression = chances.fit_chances(chance, length, design, error, np.zeros(len(terms)))
        except ConvergenceError as problem:
            raise ConvergenceError(f"the fit of {', '.join(terms)} {problem}") from None
    difference = design @ regression.params
    residual, slope, gradient = linearised(chance, length, error, design, difference)
    fitted = CoefficientFit(
        terms=terms,
        estimate=regression.params,
        covariance=regression.cov_params(),
        dof=float(dof),
        match_lengths=tuple(np.unique(rows["match_length"]).tolist()),
        n_points=len(rows),
        n_matches=int(rows["n_matches"].sum()),
        chi_square=float(residual @ residual),
        chi_square_dof=dof,
        left_out=left_out,
    )
    if kind.to_ratings:
        return fitted
    fitted = replace(fitted, tau=scatter(gradient, slope * difference, residual, pairs))
    if not kind.by_player:
        return fitted
    return replace(fitted, covariance=by_cluster(gradient, residual, pairs), dof=n_pairs - 1.0)


def chance_and_slope(difference: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Return the chances of winning at rating differences, and their derivatives by the
    difference.
    """
    chance = win_probability(difference, length)
    return chance, log_odds_per_point(length) * chance * (1 - chance)


def linearised(
    chance: Floats, length: Floats, error: Floats, design: Floats, difference: Floats
) -> tuple[Floats, Floats, Floats]:
    """Linearise a fit to chances near the rating differences that it predicts.

    Return the residuals, and the derivatives of the chances by the difference and by the
    coefficients (points by terms). All are in standard errors of the points.
    """
    predicted, slope = chance_and_slope(difference, length)
    slope /= error
    return (chance - predicted) / error, slope, slope[:, None] * design


def _usable(
    kind: Kind, rows: pd.DataFrame, rates: list[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the points that a fit can use, and the names of the others with the reason.

    A chance at or outside 0 and 1 has no rating, but a fit to chances can use it.
    """
    reasons = {
        "no decisions to take an error rate from": rows[rates].isna().any(axis=1),
        "the variance of its results is unknown or zero": ~(rows["p_win_se"] > 0),
    }
    if kind.to_ratings:
        reasons["the chance lies at or outside 0 and 1"] = ~rows["p_win"].between(
            0, 1, inclusive="neither"
        )
    left_out = list[str]()
    for reason, is_out in reasons.items():
        unusable = rows[is_out[rows.index]]
        names = ["match_length", "player", "opponent"]
        for length, player, opponent in unusable[names].itertuples(index=False):
            left_out.append(f"{length} points, {player} against {opponent}: {reason}")
        rows = rows.drop(unusable.index)
    return rows, tuple(left_out)


def _check(design: Floats, terms: tuple[str, ...], left_out: tuple[str, ...]) -> None:
    if len(design) <= len(terms):
        reasons = dict.fromkeys(point.rpartition(": ")[2] for point in left_out)
        omission = f" ({len(left_out)} left out: {'; '.join(reasons)})" if left_out else ""
        raise UndeterminedError(
            f"{', '.join(terms)} with an error need at least {len(terms) + 1} usable design points,"
            f" not {len(design)}{omission}"
        )
    scale = np.linalg.norm(design, axis=0)
    # Rates that should be equal may differ by rounding; that difference does not give the design
    # full rank.
    if np.any(scale == 0) or np.linalg.matrix_rank(design / scale, rtol=1e-6) < design.shape[1]:
        raise UndeterminedError(
            f"the design points do not separate {', '.join(terms)}: "
            "vary chequer and cube noise independently; a line in 1/N needs two match lengths"
        )


def by_cluster(design: Floats, residual: Floats, clusters: NDArray[np.str_]) -> Floats:
    """Return the jackknife covariance of a least-squares fit (rows by terms), residuals correlated
    within clusters.

    Each of the G clusters is left out in turn. The covariance is (G - 1) / G times the sum of
    squared shifts of the estimate. Raises UndeterminedError if a coefficient is undetermined
    without one of the clusters.
    """
    inverse = np.linalg.inv(design.T @ design)
    middle = np.zeros_like(inverse)
    names = np.unique(clusters)
    for cluster in names:
        rows = design[clusters == cluster]
        residual_maker = np.eye(len(rows)) - rows @ inverse @ rows.T
        if np.linalg.eigvalsh(residual_maker).min() < 1e-9:
            raise UndeterminedError(
                f"without {cluster} the other design points do not determine the coefficients"
            )
        score = rows.T @ np.linalg.solve(residual_maker, residual[clusters == cluster])
        middle += np.outer(score, score)
    return np.asarray((len(names) - 1) / len(names) * inverse @ middle @ inverse)


def scatter(
    design: Floats, along: Floats, residual: Floats, clusters: NDArray[np.str_]
) -> tuple[float, float, float]:
    """Return tau, the relative scatter of players round a formula, and the ends of its 90 %
    interval.

    Restricted maximum likelihood for residuals r = X t + g u + e, all in standard errors. u is one
    normal number a pair with standard deviation tau, and e is standard normal. g (`along`) is the
    derivative of the residual by a relative change of what scatters, X (`design`) that by the
    coefficients. In the interval twice the log likelihood is within its chi-square quantile of the
    maximum. Source: Patterson and Thompson, Biometrika 58 (1971) 545.
    """
    stacked = np.column_stack([design, residual])
    number = np.unique(clusters, return_inverse=True)[1]
    products = stacked.T @ stacked
    by_pair = np.column_stack([np.bincount(number, along * column) for column in stacked.T])
    information = np.bincount(number, along**2)

    def deviance(tau: float) -> float:
        weights = tau**2 / (1 + tau**2 * information)
        total = products - by_pair.T @ (weights[:, None] * by_pair)
        inner = total[:-1, :-1]
        misfit = total[-1, -1] - total[-1, :-1] @ np.linalg.solve(inner, total[:-1, -1])
        return float(np.log1p(tau**2 * information).sum() + np.linalg.slogdet(inner)[1] + misfit)

    best = optimize.minimize_scalar(deviance, bounds=(0.0, LARGEST_SCATTER), method="bounded")
    tau = float(best.x) if best.fun < deviance(0.0) else 0.0
    limit = float(best.fun) + float(special.chdtri(1, 1 - CONFIDENCE))

    def beyond_limit(tau: float) -> float:
        return deviance(tau) - limit

    low = 0.0
    high = LARGEST_SCATTER
    if beyond_limit(low) > 0:
        low = optimize.brentq(beyond_limit, low, tau)
    if beyond_limit(high) > 0:
        high = optimize.brentq(beyond_limit, tau, high)
    return tau, float(low), float(high)


def goodness(chi_square: float, dof: int) -> Json:
    return {"chi_square": chi_square, "dof": dof, "p_value": float(special.chdtrc(dof, chi_square))}
