"""Ratings of the same matches by every system, in FIBS points above the mean of the players, with
intervals.

FIBS: P = 1 / (1 + 10^(-D sqrt(N) / 2000)) for a player who is D points stronger, in matches to N
points. Elo and Elo World have P = 1 / (1 + 10^(-D / 400)) for every N. So one of their points is 5
/ sqrt(N) FIBS points. Logistic scores are converted by their log-odds in the same way.

Intervals come from the match bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, ch. 6): matches are drawn with replacement within every cell. All systems rate the results,
luck and errors of the same sample.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgleague import elo, eloworld, logistic
from bgleague.eloworld import p_champion
from bgleague.games import indices
from bgleague.pair_counts import pair_counts
from bgleague.tournament.played import TournamentMatches, error_totals
from bgrating.rating.chances import fit_chances
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs_formula import Floats, log_odds_per_point, of_elo

SYSTEMS = ("elo", "logistic", "eloworld", "luck_adjusted", "errors_fitted")
REPLICATES = 200
RUNS_OF_A_REPLICATE = (
    3  # runs of Elo World in each replicate; they spread far less than the matches
)
_PRIOR_MATCHES = (
    2.0  # weight, in matches, of the common variance towards which each pair's variance is shrunk
)


def rate_with_replicates(
    games: TournamentMatches, model: RatingModel, seed: int, replicates: int = REPLICATES
) -> tuple[pd.DataFrame, Floats]:
    """Return the table of `rate_all`, and those of bootstrap samples.

    The samples have the shape (replicates, players, columns).
    """
    replicated = []
    for child in np.random.SeedSequence([seed, 2]).spawn(replicates):
        sample = games.resampled(np.random.default_rng(child))
        sample_seed = int(child.generate_state(1)[0])
        replicated.append(rate_all(sample, model, sample_seed, RUNS_OF_A_REPLICATE).to_numpy())
    return rate_all(games, model, seed), np.stack(replicated)


def rate_all(
    games: TournamentMatches, model: RatingModel, seed: int, runs: int = eloworld.RUNS
) -> pd.DataFrame:
    """Rate matches by every system, in FIBS points.

    The table has one row a player and one column a system, each with the mean zero. The last column
    is p(Champion). `model` rates by errors; `seed` and `runs` are Elo World's.
    """
    cells = pair_counts(games.table, games.players)
    points_of_elo = of_elo(1.0, games.match_length)
    each_game, _, _ = elo.rate_in_orders(games.table)
    fitted = logistic.fit(games.table)
    world = eloworld.runs(eloworld.sample(cells, seed), runs, seed)
    ratings = {
        "elo": each_game.set_index("player")["rating"] * points_of_elo,
        "logistic": pd.Series(fitted.scores)
        * fitted.slope
        * points_per_unit_of_log_odds(games.match_length),
        "eloworld": np.median(world, axis=0) * points_of_elo,
        "luck_adjusted": luck_adjusted(games).ratings,
        "errors_fitted": from_errors(games, model),
    }
    by_system = pd.DataFrame(ratings, index=list(games.players))[list(SYSTEMS)]
    return (by_system - by_system.mean()).assign(p_champion=p_champion(cells))


def points_per_unit_of_log_odds(match_length: int) -> float:
    """Return the FIBS points of one unit of the log-odds of winning a match.

    They are 2000 / (ln(10) sqrt(N)).
    """
    return -1.0 / float(log_odds_per_point(match_length))


@dataclass(frozen=True)
class LuckAdjusted:
    """Ratings from luck-adjusted results (FIBS points, mean zero), and their misfit.

    The misfit is chi-square with `dof` degrees of freedom.
    """

    ratings: Floats
    chi_square: float
    dof: int


def luck_adjusted(games: TournamentMatches) -> LuckAdjusted:
    """Rate by luck-adjusted results through the FIBS formula.

    The chance of a pair is the mean over its matches in both seats (single matches may be outside 0
    to 1). It is kept as far from 0 and 1 as half a match more would put it. Ratings are a
    least-squares fit to the chances, weighted by inverse variances.
    """
    size = len(games.players)
    first, second = indices(games.table, games.players)
    chance = games.table["chance"]
    chance = chance.where(first < second, 1 - chance)
    by_pair = chance.groupby([np.minimum(first, second), np.maximum(first, second)])
    pairs = by_pair.agg(["size", "mean", "var"]).fillna(0)
    number = pairs["size"].to_numpy()
    squares = pairs["var"].to_numpy() * (number - 1)
    common = squares.sum() / max(len(chance) - len(pairs), 1)
    variance = (squares + _PRIOR_MATCHES * common) / (number - 1 + _PRIOR_MATCHES)
    error = np.sqrt(np.maximum(variance, np.finfo(float).tiny) / number)
    first, second = map(np.array, zip(*pairs.index, strict=True))
    nearest = 0.5 / (number + 1)  # a chance of 0 or 1 has no finite rating
    mean = np.clip(pairs["mean"].to_numpy(), nearest, 1 - nearest)

    difference = np.eye(size)[second] - np.eye(size)[first]
    # The last player's rating is minus the sum of the other ratings.
    design = difference[:, :-1] - difference[:, -1:]
    fit = fit_chances(mean, games.match_length, design, error, np.zeros(size - 1))
    ratings = np.append(fit.params, -fit.params.sum())
    return LuckAdjusted(ratings, float(fit.pearson_chi2), len(pairs) - size + 1)


def error_rates(games: TournamentMatches, decisions: str) -> tuple[pd.Series, pd.Series]:
    """Return every player's EPM and EPC (EMG a decision) over all matches, or 0 without such a
    decision.

    `decisions` is the column of cube decisions in the denominator of EPC.
    """
    totals = error_totals(games)
    epm = totals["chequer_error_emg"] / totals["unforced_moves"].clip(lower=1)
    return epm, totals["cube_error_emg"] / totals[decisions].clip(lower=1)


def from_errors(games: TournamentMatches, model: RatingModel) -> Floats:
    """Return the ratings that a formula predicts from the players' error rates, relative to a
    player without errors.
    """
    epm, epc = (rate.to_numpy() for rate in error_rates(games, model.decisions))
    return np.asarray(-model.formula.rating_difference(games.match_length, epm=epm, epc=epc)[0])
