"""Every system's ratings of the same matches on one scale: FIBS points above the mean of the players.

FIBS: P = 1 / (1 + 10^(-D sqrt(N) / 2000)) for a player who is D points the stronger, in matches to N points. Elo and
Elo World say P = 1 / (1 + 10^(-D / 400)) whatever N is, so one of their points is 5 / sqrt(N) points of FIBS. The
logistic scale has its own slope and is carried over by the log-odds in the same way.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.league import elo, eloworld, logistic
from bgrating.league.cells import PairCounts
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats, log_odds_per_point
from bgrating.rating.nearest import nearest
from bgrating.tournament.played import FIGURES, TournamentMatches, error_totals

SYSTEMS = ("elo", "logistic", "eloworld", "luck_adjusted", "errors_published", "errors_fitted")
_PRIOR_MATCHES = 2.0
"""Matches' worth of the variance of all pairs that each pair's own variance is drawn towards."""


def rate_all(
    games: TournamentMatches, formulas: Mapping[str, RatingModel], seed: int, runs: int = eloworld.RUNS
) -> pd.DataFrame:
    """Rate matches by every system: one row a player, one column a system, FIBS points, each column's mean zero.

    `formulas` gives those of `errors_published` and `errors_fitted`; `seed` and `runs` are Elo World's.
    """
    cells = games.cells()
    ratings = {
        "elo": of_elo(sequential(games), games.match_length),
        "logistic": of_logistic(logistic.fit(counted(cells)), games),
        "eloworld": of_elo(elo_world(cells, seed, runs), games.match_length),
        "luck_adjusted": luck_adjusted(games).ratings,
        **{system: from_errors(games, chosen) for system, chosen in formulas.items()},
    }
    table = pd.DataFrame(ratings, index=list(games.players))[list(SYSTEMS)]
    return table - table.mean()


def points_per_unit_of_log_odds(match_length: int) -> float:
    """Return how many FIBS points a unit of the log-odds of winning a match is: 2000 / (ln(10) sqrt(N))."""
    return -1.0 / float(log_odds_per_point(match_length))


def of_elo(ratings: Floats, match_length: int) -> Floats:
    """Write ratings of the Elo scale (400 points are odds of 10 to 1) as FIBS points."""
    return ratings * math.log(10) / 400 * points_per_unit_of_log_odds(match_length)


def of_logistic(fitted: logistic.LogisticFit, games: TournamentMatches) -> Floats:
    """Write logistic scores as FIBS points, in the order of the players."""
    score = np.array([fitted.scores[name] for name in games.players])
    return score * fitted.slope * points_per_unit_of_log_odds(games.match_length)


def counted(cells: PairCounts) -> pd.DataFrame:
    """Write cells without draws as a table of games with counts (columns: bgrating.league.games)."""
    names = np.array(cells.players, dtype=object)
    first, second = np.nonzero(cells.games)
    parts = [
        pd.DataFrame({"first": names[first], "second": names[second], "first_score": score, "count": of[first, second]})
        for score, of in ((1.0, cells.wins), (0.0, cells.losses))
    ]
    table = pd.concat(parts, ignore_index=True)
    table["row"] = table.index + 1
    return table[table["count"] > 0].reset_index(drop=True)


def sequential(games: TournamentMatches) -> Floats:
    """Rate matches one by one in the order of the rounds; points of the Elo scale."""
    table, _ = elo.rate(games.games())
    return table.set_index("player")["rating"][list(games.players)].to_numpy(float)


def elo_world(cells: PairCounts, seed: int, runs: int) -> Floats:
    """Return the median of Elo World's runs over a balanced sample of the cells; points of the Elo scale."""
    sampled, _ = eloworld.sample(cells, seed)
    return eloworld.quartiles(eloworld.runs(sampled, runs, seed, threads=1))[1]


@dataclass(frozen=True)
class LuckAdjusted:
    """Ratings from luck-adjusted results (FIBS points, mean zero), and how well one rating a player fits all pairs.

    `first`, `second` are places of the pairs' players, `chance` the first one's mean luck-adjusted chance;
    `chi_square` on `dof` degrees of freedom is the misfit of the pairs.
    """

    ratings: Floats
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    chance: Floats
    chi_square: float
    dof: int


def luck_adjusted(games: TournamentMatches) -> LuckAdjusted:
    """Rate by luck-adjusted results through the FIBS formula.

    The chance of a pair is the mean over its matches in both seats (single ones leave 0 to 1). Ratings are least
    squares in the chance, each pair weighed by the inverse of its variance, so that a chance near 0 or 1 is never
    turned into a rating difference by itself.
    """
    size = len(games.players)
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    chance = np.where(games.first < games.second, games.chance, 1 - games.chance)
    pair = low * size + high
    pairs, place, number = np.unique(pair, return_inverse=True, return_counts=True)
    mean = np.bincount(place, chance) / number
    squares = np.bincount(place, (chance - mean[place]) ** 2)
    every = squares.sum() / max(len(chance) - len(pairs), 1)
    variance = (squares + _PRIOR_MATCHES * every) / (number - 1 + _PRIOR_MATCHES)
    error = np.sqrt(np.maximum(variance, np.finfo(float).tiny) / number)
    first, second = pairs // size, pairs % size

    # The last player's rating is less the sum of the others'.
    design = (np.eye(size)[second] - np.eye(size)[first]) @ np.vstack([np.eye(size - 1), -np.ones(size - 1)])
    # Least squares from far off can end where all chances are flat; half-way chances start near enough.
    start = np.array([np.mean(np.append(mean[first == i], 1 - mean[second == i])) for i in range(size)]) - 0.5
    start *= 4 * points_per_unit_of_log_odds(games.match_length)
    free, misfit, _ = nearest(design, games.match_length, mean, error, (start - start.mean())[:-1])
    ratings = np.append(free, -free.sum())
    return LuckAdjusted(ratings, first, second, mean, float(misfit @ misfit), len(pairs) - size + 1)


def error_rates(games: TournamentMatches, decisions: str) -> tuple[Floats, Floats]:
    """Return every player's EPM and EPC (EMG a decision) over all matches; EPC by the column of cube decisions named.

    Who had no decision of a kind has made no error of it: the rate is 0.
    """
    totals = error_totals(games)
    chequer, moves, cube = totals[:, 0], totals[:, 1], totals[:, 2]
    number = totals[:, FIGURES.index(decisions)]
    return chequer / np.maximum(moves, 1), cube / np.maximum(number, 1)


def from_errors(games: TournamentMatches, model: RatingModel) -> Floats:
    """Return the ratings that a formula predicts from the players' error rates, less what it gives for no error."""
    epm, epc = error_rates(games, model.decisions)
    return -model.formula.rating_difference(games.match_length, epm=epm, epc=epc)[0]
