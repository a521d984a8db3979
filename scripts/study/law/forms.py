"""Forms of the rating formula: what each predicts from both players' rates, fitted and tested with right variances.

The chance of winning and the error rates of a design point come from the same matches. A match's luck-adjusted result
contains its own errors. So the variance of a deviation (measured less predicted chance) is that of the matches' own
deviations. It is not the sum of two variances.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgrating.play.matches import SIDES
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.intervals import CONFIDENCE, quantile
from study.formula.cells import adjusted_results, cells
from study.formula.regressions import UndeterminedError
from study.law import CUBES, LIMIT, PEOPLES_CUBES

RATES_OF_A_SIDE = (
    "epm",
    "cube_per_move",
    "chequer_match",
    "epc",
    "cube_per_decision",
    "cube_per_game",
    "chequer_games",
)
_SIDE = len(RATES_OF_A_SIDE)
# Step of a derivative along the imaginary axis: exact to rounding (Squire and Trapp, SIAM Review 40 (1998) 110).
_TINY = 1e-30


@dataclass(frozen=True)
class LawForm:
    """A form: its words, its coefficients, and the rating difference that it predicts.

    `difference(rates, length, coefficients)` returns rating points. Rates are points by RATES_OF_A_SIDE of the player,
    then of the opponent, in EMG per decision, game or match.
    """

    words: str
    terms: tuple[str, ...]
    start: tuple[float, ...]
    difference: Callable[[Floats, Floats, Floats], Floats]

    def with_one(self) -> "LawForm":
        """Return the form with a chequer coefficient of its own at 1 point, `a2_one`: there is no cube."""

        def difference(rates: Floats, length: Floats, coefficients: Floats) -> Floats:
            at_one = coefficients[-1] * _less(rates, "epm")
            return np.asarray(np.where(length == 1, at_one, self.difference(rates, length, coefficients[:-1])))

        return LawForm(self.words, (*self.terms, "a2_one"), (*self.start, 30_000.0), difference)


def _less(rates: Floats, name: str) -> Floats:
    place = RATES_OF_A_SIDE.index(name)
    return np.asarray(rates[:, place] - rates[:, _SIDE + place])


def _linear(*parts: tuple[str, int]) -> Callable[[Floats, Floats, Floats], Floats]:
    """Return a form with a coefficient for each rate over a power of the match length."""

    def difference(rates: Floats, length: Floats, coefficients: Floats) -> Floats:
        terms = [_less(rates, name) / length**power for name, power in parts]
        return np.asarray(np.column_stack(terms) @ coefficients)

    return difference


def _over(rates: Floats, length: Floats, coefficients: Floats, both: "Floats | float") -> Floats:
    worth = 1 + coefficients[3] * np.sqrt(length / 7) * both
    chequer = (coefficients[0] + coefficients[1] / length) * _less(rates, "epm") / worth
    return np.asarray(chequer + coefficients[2] * _less(rates, "cube_per_move"))


def _denominator(rates: Floats, length: Floats, coefficients: Floats) -> Floats:
    return _over(rates, length, coefficients, rates[:, 1] + rates[:, _SIDE + 1])


def _frozen(rates: Floats, length: Floats, coefficients: Floats) -> Floats:
    return _over(rates, length, coefficients, PEOPLES_CUBES)


_LINE = ("a2_const", "a2_inv", "b_const")
_CHEQUER, _OPEN = (("epm", 0), ("epm", 1)), (10_000.0, 20_000.0)
_START = (*_OPEN, 10_000.0)
FORMS: dict[str, LawForm] = {
    "law": LawForm("EPM and cube error per unforced move", _LINE, _START, _linear(*_CHEQUER, ("cube_per_move", 0))),
    "moves": LawForm(
        "the law and chequer error per match over N", (*_LINE, "m_inv"), (*_START, 100.0),
        _linear(*_CHEQUER, ("cube_per_move", 0), ("chequer_match", 1)),
    ),
    "denominator": LawForm(
        "the law with both cubes in the denominator", (*_LINE, "c_root"), (*_START, 1.0), _denominator
    ),
    # The denominator with the sum of both cubes held at people's: no opponent in it, so it can rate a person. Its
    # coefficients are those of a fit of the denominator.
    "frozen": LawForm("both cubes in the denominator, held at people's", (*_LINE, "c_root"), (*_START, 1.0), _frozen),
    "close": LawForm(
        "EPM and gnubg's EPC", (*_LINE, "b_inv"), (*_OPEN, 1_000.0, 1_000.0),
        _linear(*_CHEQUER, ("epc", 0), ("epc", 1)),
    ),
    "line": LawForm(
        "the law with b a line in 1/N", (*_LINE, "b_inv"), (*_START, 1_000.0),
        _linear(*_CHEQUER, ("cube_per_move", 0), ("cube_per_move", 1)),
    ),
    "every": LawForm(
        "EPM and cube error per cube decision", _LINE, (*_OPEN, 3_000.0), _linear(*_CHEQUER, ("cube_per_decision", 0))
    ),
    "game": LawForm("EPM and cube error per game", _LINE, (*_OPEN, 300.0), _linear(*_CHEQUER, ("cube_per_game", 0))),
    "games": LawForm(
        "chequer and cube error per game", _LINE, (300.0, 300.0, 300.0),
        _linear(("chequer_games", 0), ("chequer_games", 1), ("cube_per_game", 0)),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Points:
    """Design points: names, lengths, rates (RATES_OF_A_SIDE of both), chances, and the covariance of their errors.

    `covariance` is points by rates and one: of the chance, then of the rates, over the point's matches.
    """

    study: NDArray[np.str_]
    pair: NDArray[np.str_]
    length: Floats
    matches: NDArray[np.int64]
    chance: Floats
    rates: Floats
    covariance: Floats

    def __len__(self) -> int:
        return len(self.length)

    @cached_property
    def both_cubes(self) -> Floats:
        """Sum of both players' cube errors per unforced move, EMG."""
        return np.asarray(self.rates[:, 1] + self.rates[:, _SIDE + 1])

    def select(self, keep: NDArray[np.bool_]) -> "Points":
        return Points(**{name: getattr(self, name)[keep] for name in self.__dataclass_fields__})

    def as_if_apart(self) -> "Points":
        """Return the points as if rates came from other matches than chances: the variances that were published."""
        covariance = self.covariance.copy()
        covariance[:, 0, 1:] = covariance[:, 1:, 0] = 0
        return replace(self, covariance=covariance)

    def as_if_rates_were_exact(self) -> "Points":
        """Return the points without errors of rates: the weights that published fits had."""
        covariance = np.zeros_like(self.covariance)
        covariance[:, 0, 0] = self.covariance[:, 0, 0]
        return replace(self, covariance=covariance)


@dataclass(frozen=True)
class CellMatches:
    """The matches of a design point: chances, and what each of RATES_OF_A_SIDE of both adds up and divides by.

    `chances` has one entry per match; `errors` and `counts` are matches by rates.
    """

    study: str
    pair: str
    length: float
    chances: Floats
    errors: Floats
    counts: Floats

    def point(self, times: Floats) -> tuple[Any, ...]:
        """Return what Points holds of this cell, where each match is there so many times."""
        matches, count = times.sum(), times @ self.counts
        # A match to 1 point has no cube, so nothing is lost at it.
        rates = np.divide(times @ self.errors, count, out=np.zeros(len(count)), where=count > 0)
        steps = (self.errors - self.counts * rates) / np.where(count > 0, count / matches, 1.0)
        chance = times @ self.chances / matches
        moved = np.column_stack([self.chances - chance, steps])
        covariance = (moved.T * times) @ moved / (matches - 1) / matches
        return self.study, self.pair, self.length, int(matches), chance, rates, covariance


def cells_of(matches: Mapping[str, pd.DataFrame]) -> list[CellMatches]:
    """Return the design points of studies with their matches: tables by name, one row per match with luck."""
    made = []
    for study, table in matches.items():
        for cell in sorted(cells(table), key=lambda cell: (cell.match_length, cell.player, cell.opponent)):
            sides = [cell.rates[rate][side] for side in SIDES for rate in RATES_OF_A_SIDE]
            errors, counts = (np.column_stack(parts) for parts in zip(*sides, strict=True))
            pair, chances = f"{cell.player} against {cell.opponent}", adjusted_results(cell.results) + 0.5
            made.append(CellMatches(study, pair, float(cell.match_length), chances, errors, counts))
    return made


def points_of(matches: Mapping[str, pd.DataFrame]) -> Points:
    """Return the design points of studies: their match tables by name, one row per match with luck."""
    return points_of_cells(cells_of(matches))


def points_of_cells(cells: Iterable[CellMatches]) -> Points:
    return _points(cell.point(np.ones(len(cell.chances))) for cell in cells)


def resampled(cells: Iterable[CellMatches], rng: np.random.Generator) -> Points:
    drawn = ((cell, len(cell.chances)) for cell in cells)
    return _points(cell.point(rng.multinomial(n, np.full(n, 1 / n)).astype(float)) for cell, n in drawn)


def _points(rows: Iterable[tuple[Any, ...]]) -> Points:
    return Points(*(np.array(column) for column in zip(*rows, strict=True)))


def together(parts: Iterable[Points]) -> Points:
    parts = list(parts)
    names = Points.__dataclass_fields__
    return Points(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True)
class Fitted:
    """A form with its coefficients, their covariance, and how well they describe the points that were fitted."""

    form: LawForm
    estimate: Floats
    covariance: Floats
    inside: Points
    chi_square: float

    @property
    def std_error(self) -> Floats:
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def dof(self) -> int:
        return len(self.inside) - len(self.estimate)

    def predicted(self, points: Points) -> Floats:
        return self.form.difference(points.rates, points.length, self.estimate)


def variances(form: LawForm, coefficients: Floats, points: Points) -> Floats:
    slope = _slope(form, coefficients, points)
    steps = _derivatives(lambda rates: form.difference(rates, points.length, coefficients), points.rates)
    direction = np.column_stack([np.ones(len(points)), -slope[:, None] * steps])
    return np.asarray(np.einsum("pi,pij,pj->p", direction, points.covariance, direction))


@dataclass(frozen=True)
class Smooth:
    """The variance of a match's deviation as a smooth function of a point, where the law predicts less than LIMIT.

    A variance that is estimated from a point's own matches correlates with their mean, since the deviations of matches
    are skewed. Points that deviate one way would weigh more. So own variances are smoothed: a Gamma regression with a
    logarithmic link on ln N, R, R² and the roots of both sums of errors, points weighted by their matches.
    """

    law: Fitted
    effects: Floats

    def variance(self, points: Points) -> Floats:
        """Return the variance of a match at each point; NaN where the law predicts LIMIT or more."""
        return np.asarray(np.where(self.inside(points), np.exp(_causes(self.law, points) @ self.effects), np.nan))

    def inside(self, points: Points) -> NDArray[np.bool_]:
        return np.asarray(self.law.predicted(points) < LIMIT)

    def weigh(self, points: Points) -> Points:
        """Return the points with smooth variances: each covariance times smooth over own variance.

        Points where the law predicts LIMIT or more keep theirs.
        """
        own = variances(self.law.form, self.law.estimate, points) * points.matches
        factor = np.where(self.inside(points), self.variance(points) / own, 1.0)
        return replace(points, covariance=points.covariance * factor[:, None, None])


def _causes(law: Fitted, points: Points) -> Floats:
    ahead = np.abs(law.predicted(points)) / LIMIT
    chequers = points.rates[:, 0] + points.rates[:, _SIDE]
    about = [
        np.ones(len(points)),
        np.log(points.length),
        ahead,
        ahead**2,
        np.sqrt(chequers),
        np.sqrt(points.both_cubes),
    ]
    return np.column_stack(about)


def smooth(points: Points) -> Smooth:
    """Find the smooth variances of points, by the law fitted inside its domain. Raises as `fit` does."""
    from statsmodels.api import GLM, families  # noqa: PLC0415 - it takes a second, which pages need not wait for

    law = fit(points.select(points.both_cubes <= CUBES), FORMS["law"])
    known = points.select(law.predicted(points) < LIMIT)
    own = variances(law.form, law.estimate, known) * known.matches
    family = families.Gamma(families.links.Log())
    found = GLM(own, _causes(law, known), family=family, var_weights=known.matches).fit(
        tol=1e-11, tol_criterion="params"
    )
    return Smooth(law, np.asarray(found.params))


def _slope(form: LawForm, coefficients: Floats, points: Points) -> Floats:
    chance = win_probability(form.difference(points.rates, points.length, coefficients), points.length)
    return np.asarray(log_odds_per_point(points.length) * chance * (1 - chance))


def _derivatives(function: Callable[[Floats], Floats], rates: Floats) -> Floats:
    """Return how a function of the rates of each point moves with each rate (points by rates)."""
    derivatives = []
    for column in range(rates.shape[1]):
        shifted = rates.astype(complex)
        shifted[:, column] += _TINY * 1j
        derivatives.append(np.imag(function(shifted)) / _TINY)
    return np.column_stack(derivatives)


def chance_moved(form: LawForm, coefficients: Floats, points: Points) -> Floats:
    """Return how each point's chance moves with each coefficient (points by terms)."""
    return np.asarray(_slope(form, coefficients, points)[:, None] * _multiplied(form, coefficients, points))


def _multiplied(form: LawForm, coefficients: Floats, points: Points) -> Floats:
    """Return how each point's rating difference moves with each coefficient (points by terms)."""
    derivatives = []
    for term in range(len(coefficients)):
        shifted = np.asarray(coefficients).astype(complex)
        shifted[term] += _TINY * 1j
        derivatives.append(np.imag(form.difference(points.rates, points.length, shifted)) / _TINY)
    return np.column_stack(derivatives)


def fit(points: Points, form: LawForm, limit: float = LIMIT) -> Fitted:
    """Fit a form to the points that it predicts below a limit, until the set and the weights stay the same.

    Where there are matches to 1 point, these have a coefficient of their own. Weighted non-linear least squares of
    chances; the weights are the variances of the deviations themselves. A point on the limit can come in and go out for
    ever: after ten rounds points are only taken out. The covariance is scaled by chi-square over its degrees of
    freedom. Raises UndeterminedError and ConvergenceError.
    """
    if (np.unique(points.length) > 1).sum() < 2:
        raise UndeterminedError(f"a fit of {form.words} needs matches of two lengths above 1 point at least")
    if (points.length == 1).any():
        form = form.with_one()
    coefficients, inside = np.array(form.start), np.ones(len(points), dtype=bool)
    for rounds in range(100):
        kept = points.select(inside)
        before, (coefficients, covariance, chi_square) = coefficients, _least_squares(form, coefficients, kept)
        now = form.difference(points.rates, points.length, coefficients) < limit
        if rounds >= 10:
            now &= inside
        if np.array_equal(now, inside) and np.allclose(before, coefficients, rtol=1e-9):
            return Fitted(form, coefficients, covariance, kept, chi_square)
        inside = now
    raise ConvergenceError(f"the fit of {form.words} did not settle in 100 rounds")


def _least_squares(form: LawForm, start: Floats, points: Points) -> tuple[Floats, Floats, float]:
    """Fit all points, their weights as the start gives them; return coefficients, covariance and chi-square.

    By Gauss and Newton for as long as each step is less than half of the last: what is left is rounding.
    """
    from statsmodels.regression.linear_model import WLS  # noqa: PLC0415 - as in `smooth`

    estimate, last, weights = start, np.inf, 1 / variances(form, start, points)
    while True:
        predicted = win_probability(form.difference(points.rates, points.length, estimate), points.length)
        step = WLS(points.chance - predicted, chance_moved(form, estimate, points), weights).fit()
        size = float(np.sqrt(weights @ step.fittedvalues**2))
        if not size < last / 2:
            return estimate, np.asarray(step.cov_params()), float(step.ssr)
        estimate, last = estimate + step.params, size


@dataclass(frozen=True)
class Outcome:
    """How a form with fixed coefficients predicts points that it was not fitted to.

    `slope` is that of measured on predicted rating differences through the origin, by generalised least squares, with
    the ends of its interval. `slope_se_of_coefficients` is what the coefficients' own errors add to its standard error.
    """

    n_points: int
    n_matches: int
    chi_square: float
    p_value: float
    slope: float
    slope_low: float
    slope_high: float
    slope_se_of_coefficients: float


def outcome(
    points: Points, form: LawForm, coefficients: Floats, covariance: Floats, limit: float = LIMIT, *, fixed: bool = True
) -> Outcome:
    """Test a form on the points that it predicts below a limit; `fixed` leaves its coefficients' errors out.

    Raises UndeterminedError where no point is inside.
    """
    points = points.select(np.asarray(form.difference(points.rates, points.length, coefficients) < limit))
    if not len(points):
        raise UndeterminedError(f"no point is predicted below {limit:g}")
    predicted = form.difference(points.rates, points.length, coefficients)
    slope = _slope(form, coefficients, points)
    moved = chance_moved(form, coefficients, points)
    shared = moved @ covariance @ moved.T
    total = np.diag(variances(form, coefficients, points)) + (0 if fixed else shared)
    deviation = points.chance - win_probability(predicted, points.length)
    chi_square = float(deviation @ np.linalg.solve(total, deviation))
    along = slope * predicted
    weights = np.linalg.solve(total, along)
    estimate = float(1 + weights @ deviation / (weights @ along))
    half = quantile(CONFIDENCE) / float(np.sqrt(weights @ along))
    shared_error = float(np.sqrt(weights @ shared @ weights) / (weights @ along))
    return Outcome(
        len(points), int(points.matches.sum()), chi_square, float(special.chdtrc(len(points), chi_square)), estimate,
        estimate - half, estimate + half, shared_error,
    )  # fmt: skip


def split_halves(matches: Mapping[str, pd.DataFrame], fitted: Fitted, splits: int, rng: np.random.Generator) -> Floats:
    """Return observed over expected squared differences of the deviations of two random halves of each point's matches.

    1 is right: a check of `variances` that needs no truth. One ratio per split.
    """
    ratios = []
    for _ in range(splits):
        halves: Sequence[dict[str, pd.DataFrame]] = ({}, {})
        for study, table in matches.items():
            shuffled = table.iloc[rng.permutation(len(table))]
            turn = shuffled.groupby(["match_length", "player", "opponent"], observed=True).cumcount() % 2
            halves[0][study], halves[1][study] = shuffled[turn == 0], shuffled[turn == 1]
        first_half, second_half = (points_of(half) for half in halves)
        inside = fitted.predicted(first_half) < LIMIT
        off = [half.chance - win_probability(fitted.predicted(half), half.length) for half in (first_half, second_half)]
        squared = ((off[0] - off[1]) ** 2)[inside]
        expected = sum(variances(fitted.form, fitted.estimate, half)[inside] for half in (first_half, second_half))
        ratios.append(float(np.mean(squared / expected)))
    return np.array(ratios)
