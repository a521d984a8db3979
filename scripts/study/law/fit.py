"""Fit the formula of an engine to the cells of all its studies.

The formula is R = (A + B/N) EPM + b C, with a separate a2(1). C is cube error per unforced move. A
cell is a pair of players at a match length. Its chance of winning and its error rates come from the
same matches. So the variance of its deviation is estimated from the deviations of these matches.
Pairs of players scatter round every form, so the covariance of the coefficients treats pairs as
clusters.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.api import GLM, families

from bgrating.play.match_tables import SIDES
from bgrating.rating.chances import fit_chances
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.terms import multipliers, total
from study.formula.cells import PointMatches, Results, adjusted_results, cells
from study.formula.regressions import (
    CoefficientFit,
    UndeterminedError,
    by_cluster,
    chance_and_slope,
    goodness,
    linearised,
    scatter,
)
from study.law import CUBES, LIMIT

TERMS = ("a2_const", "a2_inv", "b_const")
ONE = "a2_one"
START = {"a2_const": 10_000.0, "a2_inv": 20_000.0, "b_const": 10_000.0, ONE: 30_000.0}
# Iterations of domain and weights; they hardly change after the second.
ROUNDS = 3


@dataclass(frozen=True)
class Points:
    """Cells as arrays, one entry per cell.

    `rates` (cells by four): EPM and cube error per unforced move (EMG) of the player, then of the
    opponent. `influences` has an array per cell (matches by three), with mean 0. It has the
    influence of each match on the chance, the difference of EPM and that of cube errors.
    `covariance` (cells by three by three) is that of its columns.
    """

    influences: NDArray[np.object_]
    study: NDArray[np.str_]
    pair: NDArray[np.str_]
    length: Floats
    matches: Floats
    chance: Floats
    rates: Floats
    covariance: Floats

    def __len__(self) -> int:
        return len(self.length)

    def select(self, keep: NDArray[np.bool_]) -> "Points":
        return Points(**{name: getattr(self, name)[keep] for name in self.__dataclass_fields__})

    @property
    def cubes(self) -> Floats:
        """The sum of both players' cube errors per unforced move, EMG."""
        return np.asarray(self.rates[:, 1] + self.rates[:, 3])


def points_of(
    matches: Mapping[str, pd.DataFrame], adjust: Callable[[Results], Floats] = adjusted_results
) -> Points:
    """Return the cells of studies, from their match tables by name (one row per match, with luck).

    `adjust` takes the luck off the results. Raises UndeterminedError if there is no cell.
    """
    rows = [_row(study, cell, adjust) for study, table in matches.items() for cell in cells(table)]
    if not rows:
        raise UndeterminedError("no study of the law has been played")
    influences, *columns = zip(*rows, strict=True)
    return Points(np.fromiter(influences, object), *(np.array(column) for column in columns))


def _row(study: str, cell: PointMatches, adjust: Callable[[Results], Floats]) -> tuple[Any, ...]:
    results = adjust(cell.results)
    influences = np.column_stack(
        [results - results.mean(), cell.influence("epm"), cell.influence("cube_per_move")]
    )
    sums = [cell.rates[rate][side] for side in SIDES for rate in ("epm", "cube_per_move")]
    rates = [errors.sum() / counts.sum() for errors, counts in sums]
    pair = f"{cell.player} against {cell.opponent}"
    length = float(cell.match_length)
    chance = results.mean() + 0.5
    covariance = np.cov(influences, rowvar=False)
    return influences, study, pair, length, float(cell.n_matches), chance, rates, covariance


def predictors(points: Points, terms: Iterable[str]) -> Floats:
    """Return the multipliers of the terms (cells by terms)."""
    chequer, cube = (points.rates[:, :2] - points.rates[:, 2:]).T
    return np.column_stack(multipliers(tuple(terms), points.length, {"epm": chequer, "epc": cube}))


def predicted_by(coefficients: Mapping[str, float], points: Points) -> Floats:
    """Return the predicted rating differences of cells, from coefficients by term."""
    return np.asarray(predictors(points, coefficients) @ np.array(list(coefficients.values())))


def deviation_variances(points: Points, coefficients: Mapping[str, float]) -> Floats:
    """Return the variance of one match's deviation.

    The deviation is its result less the influence of its errors on the prediction.
    """
    slope = chance_and_slope(predicted_by(coefficients, points), points.length)[1]
    factors = multipliers(tuple(coefficients), points.length, {"epm": 1.0, "epc": 0.0})
    chequer = total(factors, list(coefficients.values()))
    direction = np.column_stack(
        [np.ones(len(points)), -slope * chequer, -slope * coefficients["b_const"]]
    )
    return np.asarray(np.einsum("pi,pij,pj->p", direction, points.covariance, direction))


def smooth_variances(points: Points, coefficients: Mapping[str, float]) -> Floats:
    """Return the variance of one match's deviation as a smooth function of the cell.

    A cell's own variance correlates with its mean, since deviations of matches are skewed. So it is
    smoothed: a Gamma regression with a logarithmic link on ln N, R, R² and the roots of both sums
    of errors.
    """
    difference = np.abs(predicted_by(coefficients, points)) / LIMIT
    columns = [
        np.ones(len(points)),
        difference,
        difference**2,
        np.sqrt(points.rates[:, 0] + points.rates[:, 2]),
    ]
    if (points.length != points.length[0]).any():
        columns.append(np.log(points.length))
    if points.cubes.any():
        columns.append(np.sqrt(points.cubes))
    regressors = np.column_stack(columns)
    variances = deviation_variances(points, coefficients)
    family = families.Gamma(families.links.Log())
    return np.asarray(
        GLM(variances, regressors, family=family, var_weights=points.matches - 1).fit().fittedvalues
    )


@dataclass(frozen=True, kw_only=True)
class Fitted(CoefficientFit):
    """Coefficients with their covariance (pairs as clusters), and the cells inside the domain that
    they were fitted to.

    `variance` is that of each cell's deviation.
    """

    inside: Points
    variance: Floats

    @property
    def pairs(self) -> int:
        return len(np.unique(self.inside.pair))

    def predicted(self, points: Points) -> Floats:
        return predictors(points, self.terms) @ self.estimate


def fit(points: Points, limit: float = LIMIT, cubes: float = CUBES) -> Fitted:
    """Fit the cells inside the domain.

    There R is predicted below the limit, and the cube errors of both players are at most `cubes`.
    Raises UndeterminedError if they do not determine the coefficients.
    """
    terms = (*TERMS, ONE) if (points.length == 1).any() else TERMS
    estimate = np.array([START[term] for term in terms])
    for _ in range(ROUNDS):
        predicted = predictors(points, terms) @ estimate
        inside = points.select((np.abs(predicted) < limit) & (points.cubes <= cubes))
        pairs = len(np.unique(inside.pair))
        if len(np.unique(inside.length[inside.length > 1])) < 2 or pairs <= len(terms):
            raise UndeterminedError(
                f"a formula needs {len(terms) + 1} pairs of players and two lengths above 1 point"
                f" inside the domain; there are {pairs} pairs"
            )
        variance = (
            smooth_variances(inside, dict(zip(terms, estimate.tolist(), strict=True)))
            / inside.matches
        )
        design = predictors(inside, terms)
        estimate = estimate_of(inside, design, variance, estimate)
    return with_errors(inside, terms, design, variance, estimate)


def estimate_of(points: Points, design: Floats, variance: Floats, start: Floats) -> Floats:
    return np.asarray(
        fit_chances(points.chance, points.length, design, np.sqrt(variance), start).params
    )


def with_errors(
    inside: Points, terms: tuple[str, ...], design: Floats, variance: Floats, estimate: Floats
) -> Fitted:
    """Return fitted coefficients with their covariance, pairs as clusters, and chi-square.

    The covariance is that of the jackknife that leaves one pair out at a time (`by_cluster`). With
    the sixteen pairs of 1.07.001, intervals by the plain sandwich cover the truth too seldom. Fewer
    pairs play to 1 point. All terms share the degrees of freedom of all pairs. So the error of
    a2(1) is widened until its interval is that by Student's t of these pairs.
    """
    error = np.sqrt(variance)
    difference = design @ estimate
    residual, _, gradient = linearised(inside.chance, inside.length, error, design, difference)
    covariance = by_cluster(gradient, residual, inside.pair)
    dof = len(np.unique(inside.pair)) - 1
    if ONE in terms:
        dof_at_one = len(np.unique(inside.pair[inside.length == 1])) - 1
        wider = quantile(CONFIDENCE, dof_at_one) / quantile(CONFIDENCE, dof)
        factor = np.where(np.array(terms) == ONE, wider, 1.0)
        covariance *= np.outer(factor, factor)
    return Fitted(
        terms=terms,
        estimate=estimate,
        covariance=covariance,
        dof=float(dof),
        match_lengths=tuple(np.unique(inside.length).astype(int).tolist()),
        n_points=len(inside),
        n_matches=int(inside.matches.sum()),
        chi_square=float(residual @ residual),
        chi_square_dof=len(inside) - len(terms),
        inside=inside,
        variance=variance,
    )


def law_scatter(fitted: Fitted) -> tuple[float, float, float]:
    """Return tau, the scatter of a player as a share of the loss, and the ends of its 90 %
    interval.
    """
    points = fitted.inside
    design = predictors(points, fitted.terms)
    error = np.sqrt(fitted.variance)
    difference = design @ fitted.estimate
    residual, slope, gradient = linearised(points.chance, points.length, error, design, difference)
    return scatter(gradient, slope * both_losses(fitted, points), residual, points.pair)


def both_losses(fitted: Fitted, points: Points) -> Floats:
    """Return the root of the sum of the squared losses of both players of each cell.

    It says how far their scatters add up.
    """
    alone = (
        fitted.predicted(replace(points, rates=points.rates * of_one))
        for of_one in ([1, 1, 0, 0], [0, 0, 1, 1])
    )
    return np.asarray(np.hypot(*alone))


def formula(points: Points, fitted: Fitted, engine_version: str) -> RatingFormula:
    """Return the formula that rates a player, with the scatter of players round it among its
    facts.
    """
    inside = fitted.inside
    tau = law_scatter(fitted)
    differences = inside.rates[:, :2] - inside.rates[:, 2:]
    return RatingFormula(
        terms=fitted.terms,
        estimate=fitted.estimate,
        covariance=fitted.covariance,
        dof=fitted.dof,
        confidence=CONFIDENCE,
        epc_definition="moves",
        match_lengths=fitted.match_lengths,
        ranges={
            rate: (float(values.min()), float(values.max()))
            for rate, values in zip(("epm", "epc"), differences.T, strict=True)
        },
        metadata={
            "study": "law",
            "studies": sorted({str(name) for name in inside.study}),
            "nets": engine_version,
            "limit": LIMIT,
            "cube_limit": CUBES,
            "tau": tau[0],
            "tau_interval": list(tau[1:]),
            "count": COUNTS["moves"].description,
            "words": (
                f"fitted where it predicts less than {LIMIT:.0f} points and both players' cube"
                f" errors together are at most {1000 * CUBES:.0f} milli-EMG per unforced move;"
                " pairs of players as clusters"
            ),
            "n_pairs": fitted.pairs,
            "n_points": fitted.n_points,
            "n_outside": len(points) - fitted.n_points,
            "n_matches": fitted.n_matches,
            "goodness_of_fit": goodness(fitted.chi_square, fitted.chi_square_dof),
        },
    )
