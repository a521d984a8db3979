"""Rate players by their errors in matches of different lengths, with intervals."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.fibs_formula import Floats, rate
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile

Indices = NDArray[np.intp]

NORMAL = 7.0
"""The match length at which moves are counted as they are."""


class Errors(NamedTuple):
    """Matches of players, one element each.

    They have match length N, total errors (EMG) and the numbers of decisions.
    """

    match_length: Floats
    chequer_error: Floats
    unforced_moves: Floats
    cube_error: Floats
    close_cube_decisions: Floats


def ratings(errors: Errors, player: Indices, formula: RatingFormula, offset: float) -> pd.DataFrame:
    """Return `rating`, `low` and `high` of all players, and the columns of `losses`.

    A rating is `offset` minus the loss. The interval is Student's t with the degrees of freedom of
    both errors (Welch and Satterthwaite). A single match has no interval.
    """
    table = losses(errors, player, formula)
    own_variance = table["own_se"] ** 2
    known_variance = table["known_se"] ** 2
    total = own_variance + known_variance
    with np.errstate(divide="ignore", invalid="ignore"):
        dof = total**2 / (
            own_variance**2 / (table["matches"] - 1) + known_variance**2 / formula.dof
        )
    half = np.where(total == 0.0, 0.0, quantile(CONFIDENCE, dof.to_numpy()) * np.sqrt(total))
    rating = offset - table["loss"]
    return table.assign(rating=rating, low=rating - half, high=rating + half)


def losses(errors: Errors, player: Indices, formula: RatingFormula) -> pd.DataFrame:
    """Return the losses of all players; `player` numbers them by match.

    `loss` is the formula's value for the player's error rates. At each match length total errors
    are divided by total decisions, as in the fit of the formula. The lengths are averaged with the
    number of decisions as weights. The plain mean of the matches' own ratings is biased and
    scatters more (people/test_players.py compares the two). Matches with few cube decisions have
    extreme rates. `own_se` is the loss's standard error over `matches`, by the delete-one
    jackknife. `known_se` includes the covariance of the coefficients and the scatter of players
    round the formula; 0 if they are unknown. A player without a rating has NaN. Matches at lengths
    where the formula does not hold, and matches without an unforced move, are left out.

    `moves` is the number of unforced moves at NORMAL points with the same information as the
    player's moves. A loss is a2(N) times the error per move. So its variance per move is a2(N)
    squared times that of a move's error. The latter grows with the power 3/2 of the error per move
    (rating/population.py). That leaves the root of a2(N): a move of a short match has less
    information. The mean over lengths, weighted by their moves m, has a variance in proportion to
    sum(m sqrt(a2(N))) over the square of sum(m).
    """
    usable = (errors.unforced_moves > 0) & formula.holds_at(errors.match_length)
    count = int(player.max(initial=-1)) + 1
    player = player[usable]
    rows = np.column_stack(errors[1:])[usable]
    played, number = np.unique(errors.match_length[usable], return_inverse=True)
    pairs, index = np.unique(player * len(played) + number, return_inverse=True)
    player_of_pair = pairs // len(played)
    lengths = played[pairs % len(played)]
    totals = np.zeros((len(pairs), 4))
    np.add.at(totals, index, rows)
    weight = _decisions(totals)
    multipliers = np.zeros((count, len(formula.terms)))
    np.add.at(multipliers, player_of_pair, weight[:, None] * _multipliers(totals, lengths, formula))
    without = _losses_without(totals, lengths, player_of_pair, index, rows, formula)

    def summed(values: Floats, over: Indices = player) -> Floats:
        return np.asarray(np.bincount(over, values, count))

    matches = summed(np.ones(len(player)))
    with np.errstate(divide="ignore", invalid="ignore"):
        multipliers /= summed(weight, player_of_pair)[:, None]
        mean = summed(without) / matches
        error = np.sqrt((matches - 1) / matches * summed((without - mean[player]) ** 2))
        moves = summed(rows[:, 1]) ** 2 / summed(
            rows[:, 1] * roots_of_a2(errors.match_length[usable], formula)
        )
    loss = multipliers @ formula.estimate
    of_formula = np.sqrt(np.einsum("pi,ij,pj->p", multipliers, formula.covariance, multipliers))
    known_se = np.nan_to_num(np.hypot(of_formula, formula.player_scatter * loss))
    return pd.DataFrame(
        {"loss": loss, "own_se": error, "known_se": known_se, "matches": matches, "moves": moves}
    )


def roots_of_a2(lengths: Floats, formula: RatingFormula) -> Floats:
    """Return the root of a2(N) divided by that at NORMAL points.

    It is 1 if the formula holds at a single length only.
    """
    if not formula.every_length:
        return np.ones(len(lengths))
    values = np.sqrt(formula.coefficient(formula.coefficients[0], np.array([*lengths, NORMAL]))[0])
    return np.asarray(values[:-1] / values[-1])


def match_rating(errors: Errors, formula: RatingFormula, offset: float) -> Floats:
    """Return the rating by each match alone.

    It is NaN without an unforced move or where the formula does not hold.
    """
    return offset - losses(errors, np.arange(len(errors.match_length)), formula)["loss"].to_numpy()


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
    totals: Floats,
    lengths: Floats,
    player: Indices,
    index: Indices,
    rows: Floats,
    formula: RatingFormula,
) -> Floats:
    """Return for each match the player's loss without it; NaN for a single match.

    `totals`, `lengths` and `player` have a row for each player and length, `index` is that of each
    match's row there. Only that row changes without the match.
    """
    loss = _multipliers(totals, lengths, formula) @ formula.estimate
    weight = _decisions(totals)
    remaining = totals[index] - rows
    remaining_weight = np.where(
        remaining[:, 1] > 0.5, _decisions(remaining), 0.0
    )  # a length without moves has no weight
    remaining_loss = _multipliers(remaining, lengths[index], formula) @ formula.estimate
    sums, weights = (
        np.bincount(player, values)[player[index]] for values in (weight * loss, weight)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(
            (sums - (weight * loss)[index] + remaining_weight * remaining_loss)
            / (weights - weight[index] + remaining_weight)
        )
