"""Estimate a player's rating from the errors of matches of different lengths, with an interval."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats, log_odds_per_point, rating_difference, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import rate
from bgrating.rating.terms import MULTIPLIES

NORMAL = 7.0
"""The match length at which moves are counted as they are."""
MAX_DIFFERENCE, TOLERANCE = 3000.0, 1e-10
"""Largest rating difference that is looked for, and how far it may be off; points."""


@dataclass(frozen=True)
class Errors:
    """A player's matches, one element each: match length N, total errors (EMG) and the decisions they are over."""

    match_length: Floats
    chequer_error: Floats
    unforced_moves: Floats
    cube_error: Floats
    close_cube_decisions: Floats

    def at(self, matches: NDArray[np.intp]) -> "Errors":
        return Errors(*(getattr(self, name)[matches] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Estimate:
    """An estimate with its interval; `se_matches` is from the matches, `se_formula` from the coefficients or NaN.

    `se_level` is from an analysis at another depth than the formula was fitted at; `moves` as `losses` counts them. An
    interval's ends are NaN where there is none.
    """

    value: float
    low: float
    high: float
    se_matches: float
    se_formula: float
    matches: int
    se_level: float = 0.0
    moves: float = 0.0


NOTHING = Estimate(math.nan, math.nan, math.nan, math.nan, math.nan, 0)


def rating(
    errors: Errors, formula: RatingFormula, offset: float, level_error: Mapping[str, float] | None = None
) -> Estimate:
    """Estimate a rating: `offset` less the player's loss (see `losses`), with its interval.

    The formula's covariance adds its part to the standard error over matches. So do relative errors of the error rates
    (`level_error`, by rate), for an analysis of another depth than the formula's. The interval is Student's t with the
    degrees of freedom of all parts (Welch and Satterthwaite). A single match has no interval. Matches at lengths
    outside the formula, and those without an unforced move, are left out.
    """
    sums = losses(errors, np.zeros(len(errors.match_length), np.intp), formula)
    matches, moves = int(sums["matches"][0]), float(sums["moves"][0])
    if not matches:
        return NOTHING
    multipliers, value = sums["multipliers"][0], offset - float(sums["loss"][0])
    se_formula = float(np.sqrt(multipliers @ formula.covariance @ multipliers))
    se_level = _level_part(multipliers, formula, level_error or {})
    if matches == 1:
        return Estimate(value, math.nan, math.nan, math.nan, se_formula, 1, se_level, moves)
    variance = float(sums["own_se"][0]) ** 2
    return replace(_interval(value, variance, matches, se_formula, formula.dof, se_level), moves=moves)


def losses(errors: Errors, player: NDArray[np.intp], formula: RatingFormula) -> dict[str, Floats]:
    """Return `loss`, `own_se`, `matches`, `moves` and `multipliers` of all players; `player` numbers them by match.

    A loss is what the formula gives for the player's error rates. At each match length errors and decisions are added
    up before they are divided, as they were where the formula was fitted. The lengths are averaged with the number of
    decisions as weights. The plain mean of the matches' own ratings is biased and scatters more, since matches with few
    cube decisions have wild rates (tests/unit/people/test_players.py compares the two). `own_se` is the loss's
    standard error over matches, the delete-one jackknife's. `multipliers` (players by terms) are those of the formula's
    terms. A player without a rating has NaN.

    `moves` are the unforced moves behind a loss, as the number at NORMAL points with the same information. A loss is
    a2(N) times the error per move. So its variance per move is a2(N) squared times that of a move's error. The latter
    grows with the power 3/2 of the error per move (rating/field.py). That leaves the root of a2(N). A move of a short
    match has less information. The mean of lengths, weighted by their moves m, has a variance in proportion to
    sum(m sqrt(a2(N))) over the square of sum(m).
    """
    usable = (errors.unforced_moves > 0) & formula.holds_at(errors.match_length)
    count, player, rows = int(player.max(initial=0)) + 1, player[usable], _columns(errors)[usable]
    known, number = np.unique(errors.match_length[usable], return_inverse=True)
    pairs, place = np.unique(player * len(known) + number, return_inverse=True)
    player_of_pair, lengths = pairs // len(known), known[pairs % len(known)]
    totals = np.zeros((len(pairs), 4))
    np.add.at(totals, place, rows)
    weight, multipliers = _decisions(totals), np.zeros((count, len(formula.terms)))
    np.add.at(multipliers, player_of_pair, weight[:, None] * _multipliers(totals, lengths, formula))
    without = _losses_without(totals, lengths, player_of_pair, place, rows, formula)

    def summed(values: Floats, over: NDArray[np.intp] = player) -> Floats:
        return np.asarray(np.bincount(over, values, count))

    matches = summed(np.ones(len(player)))
    with np.errstate(divide="ignore", invalid="ignore"):
        multipliers /= summed(weight, player_of_pair)[:, None]
        mean = summed(without) / matches
        error = np.sqrt((matches - 1) / matches * summed((without - mean[player]) ** 2))  # as delete_one_error
        moves = summed(rows[:, 1]) ** 2 / summed(rows[:, 1] * _roots_of_a2(errors.match_length[usable], formula))
    loss = multipliers @ formula.linear
    return {"loss": loss, "own_se": error, "matches": matches, "moves": moves, "multipliers": multipliers}


def _level_part(multipliers: Floats, formula: RatingFormula, level_error: Mapping[str, float]) -> float:
    """Carry relative errors of error rates to the rating; errors of different rates are taken as independent."""
    loss = dict.fromkeys(formula.coefficients, 0.0)
    for term, multiplier, value in zip(formula.terms, multipliers, formula.linear, strict=True):
        loss[term.partition("_")[0]] += float(multiplier * value)
    return math.sqrt(sum((part * level_error.get(MULTIPLIES[name], 0.0)) ** 2 for name, part in loss.items()))


def _roots_of_a2(lengths: Floats, formula: RatingFormula) -> Floats:
    """Return the root of a2(N) beside that at NORMAL points; ones where the formula holds at single lengths only."""
    if not formula.every_length:
        return np.ones(len(lengths))
    alone = {MULTIPLIES[name]: float(name == formula.coefficients[0]) for name in formula.coefficients}
    values = np.sqrt(formula.rows([*lengths, NORMAL], **alone) @ formula.linear)
    return np.asarray(values[:-1] / values[-1])


def match_rating(errors: Errors, formula: RatingFormula, offset: float) -> Floats:
    """Return the rating that each match alone gives; NaN without an unforced move or outside the formula's lengths."""
    ratings = np.full(len(errors.match_length), math.nan)
    usable = formula.holds_at(errors.match_length) & (errors.unforced_moves > 0)
    multipliers = _multipliers(_columns(errors)[usable], errors.match_length[usable], formula)
    ratings[usable] = offset - multipliers @ formula.linear
    return ratings


def match_luck_based_difference(result: Floats, match_length: Floats) -> Floats:
    """Return gnubg's "luck based FIBS rating difference" of each match; NaN where the result leaves -1/2 to 1/2."""
    differences = np.full(len(result), math.nan)
    usable = match_length > 0
    differences[usable] = -rating_difference(0.5 + result[usable], match_length[usable])
    return differences


def luck_based_difference(result: Floats, match_length: Floats) -> Estimate:
    """Estimate by how many points a player is better than the opponents met, from luck-adjusted results.

    `result` is the luck-adjusted result of each match (MWC less one half). At the difference R the expected results, 1
    / (1 + 10^(-R sqrt(N) / 2000)) for each match, have the same sum. For one match that is gnubg's own "luck based FIBS
    rating difference". The interval is Student's t over matches, carried to R.
    """
    matches, steepness = len(result), -log_odds_per_point(match_length)

    def surplus(difference: float) -> tuple[float, float]:
        chance = win_probability(-difference, match_length)
        return float(np.sum(0.5 + result - chance)), float(np.sum(chance * (1.0 - chance) * steepness))

    low, high, value, step = -MAX_DIFFERENCE, MAX_DIFFERENCE, 0.0, math.inf
    if not matches or surplus(low)[0] <= 0.0 or surplus(high)[0] >= 0.0:
        return NOTHING
    while abs(step) > TOLERANCE and high - low > TOLERANCE:
        # Newton's method, halving where it leaves the bracket; importing scipy.optimize takes as long as pandas.
        more, slope = surplus(value)
        low, high = (value, high) if more > 0.0 else (low, value)
        step = more / slope
        value = value + step if low <= value + step <= high else (low + high) / 2
    if matches == 1:
        return Estimate(value, math.nan, math.nan, math.nan, math.nan, 1)
    chance = win_probability(-value, match_length)
    slope = float(np.mean(chance * (1.0 - chance) * steepness))
    variance = float(np.sum((0.5 + result - chance) ** 2)) / (matches - 1) / matches / slope**2
    return _interval(value, variance, matches, math.nan, math.inf)


def _columns(errors: Errors) -> Floats:
    return np.column_stack(
        (errors.chequer_error, errors.unforced_moves, errors.cube_error, errors.close_cube_decisions)
    )


def _decisions(totals: Floats) -> Floats:
    return np.asarray(totals[:, 1] + totals[:, 3])


def _multipliers(totals: Floats, lengths: Floats, formula: RatingFormula) -> Floats:
    chequer, moves, cube, decisions = totals.T
    rates = {
        "epm": rate(chequer, moves),
        "epc": rate(cube, decisions),
        "depd": rate(chequer + cube, moves + decisions),
    }
    return formula.rows(lengths, **rates)


def _losses_without(
    totals: Floats, lengths: Floats, player: NDArray[np.intp], place: NDArray[np.intp], rows: Floats,
    formula: RatingFormula,
) -> Floats:  # fmt: skip
    """Return the loss of each match's player without it: only the totals of its length change; NaN of a single match.

    `totals`, `lengths` and `player` have a row for each player and length, `place` each match's row there.
    """
    loss, weight = _multipliers(totals, lengths, formula) @ formula.linear, _decisions(totals)
    rest = totals[place] - rows
    left = np.where(rest[:, 1] > 0.5, _decisions(rest), 0.0)  # a length without moves has no weight
    loss_of_rest = _multipliers(rest, lengths[place], formula) @ formula.linear
    sums, weights = (np.bincount(player, values)[player[place]] for values in (weight * loss, weight))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((sums - (weight * loss)[place] + left * loss_of_rest) / (weights - weight[place] + left))


def _interval(
    value: float, variance: float, matches: int, se_formula: float, formula_dof: float, se_level: float = 0.0
) -> Estimate:
    variance_of_formula = 0.0 if math.isnan(se_formula) else se_formula**2
    total = variance + variance_of_formula + se_level**2
    if total <= 0.0:
        return Estimate(value, value, value, 0.0, se_formula, matches, se_level)
    # Errors from the level alone have infinite degrees of freedom.
    uncertain = variance**2 / (matches - 1) + variance_of_formula**2 / formula_dof
    dof = total**2 / uncertain if uncertain > 0.0 else math.inf
    half = quantile(CONFIDENCE, dof) * math.sqrt(total)
    return Estimate(value, value - half, value + half, math.sqrt(variance), se_formula, matches, se_level)
