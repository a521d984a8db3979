"""Intervals by the match bootstrap: every system rates many samples of the same matches.

Matches are drawn with replacement within every cell. All systems rate the results, luck and errors of the same sample,
so the intervals of differences include their correlation. Source: Efron and Tibshirani, An Introduction to the
Bootstrap (1993), ch. 6.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bgrating.league.compare import agreement
from bgrating.league.eloworld import p_champion
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import interval_of_draws
from bgrating.tables.dictionary import columns
from bgrating.tournament.played import TournamentMatches
from bgrating.tournament.systems import SYSTEMS, rate_all

REPLICATES = 200
RUNS_OF_A_REPLICATE = 3
"""Runs of Elo World in each replicate; they spread far less than the matches."""
_ALMOST_ONE = 1 - 1e-12


@dataclass(frozen=True)
class BootstrapRatings:
    """Ratings by every system (a row a player, FIBS points, mean zero) and p(Champion), with those of each replicate.

    `replicates` has the shape (replicates, players, systems), `champions` (replicates, players).
    """

    players: tuple[str, ...]
    ratings: pd.DataFrame
    champion: Floats
    replicates: Floats
    champions: Floats


def rated(
    games: TournamentMatches, formulas: Mapping[str, RatingModel], seed: int, replicates: int = REPLICATES
) -> BootstrapRatings:
    """Rate matches and bootstrap samples of them; the same seed gives the same numbers."""
    ratings = rate_all(games, formulas, seed)
    replicated, champions = [], []
    for child in np.random.SeedSequence([seed, 2]).spawn(replicates):
        sample = games.resampled(np.random.default_rng(child))
        sample_seed = int(child.generate_state(1)[0])
        replicated.append(rate_all(sample, formulas, sample_seed, RUNS_OF_A_REPLICATE).to_numpy())
        champions.append(p_champion(sample.cells()))
    champion = p_champion(games.cells())
    return BootstrapRatings(games.players, ratings, champion, np.stack(replicated), np.stack(champions))


def differences(ratings: BootstrapRatings) -> pd.DataFrame:
    """Return the differences of every two systems for each player, FIBS points (tournament/differences)."""
    rows = []
    for (i, system), (j, other) in combinations(enumerate(SYSTEMS), 2):
        low, high = interval_of_draws(ratings.replicates[:, :, i] - ratings.replicates[:, :, j])
        value = (ratings.ratings[system] - ratings.ratings[other]).to_numpy()
        rows += [(system, other, *row) for row in zip(ratings.players, value, low, high, strict=True)]
    return pd.DataFrame(rows, columns=columns("tournament/differences"))


def agreements(ratings: BootstrapRatings) -> pd.DataFrame:
    """Return the agreement of every two systems, differences in FIBS points (tournament/agreement).

    Noise lowers a correlation and raises a mean square, twice in a replicate. So the intervals are 2 T - T*, with the
    statistic T of the matches and its quantiles T* of the replicates (basic bootstrap). T is Fisher's z for
    correlations, a logarithm for ratios and a square for differences. Intervals of rank correlations are T* itself.
    """
    table = _agreement(ratings.players, ratings.ratings.to_numpy())
    pairs = [(SYSTEMS.index(a), SYSTEMS.index(b)) for a, b in zip(table["system"], table["other"], strict=True)]
    spread = ratings.replicates.std(axis=1, ddof=1)
    correlations, of_ranks = (
        _correlations(values, pairs) for values in (ratings.replicates, rankdata(ratings.replicates, axis=1))
    )
    with np.errstate(divide="ignore"):  # few matches can give all players one rating
        ratios = np.stack([spread[:, i] / spread[:, j] for i, j in pairs], axis=1)
        logs = np.log(table["spread_ratio"].to_numpy(float)), np.log(ratios)
    ends: dict[str, Floats] = {
        "correlation": np.tanh(_basic(_fisher(table["correlation"].to_numpy(float)), _fisher(correlations))),
        "rank_correlation": np.stack(interval_of_draws(of_ranks)),
        "spread_ratio": np.exp(_basic(*logs)),
    }
    for measure, (low, high) in ends.items():
        table[f"{measure}_ci_low"], table[f"{measure}_ci_high"] = low, high
    apart = np.stack([ratings.replicates[:, :, i] - ratings.replicates[:, :, j] for i, j in pairs])
    noise = np.var(apart, axis=1, ddof=1).mean(axis=1)
    square = table["mean_difference"].to_numpy(float) ** 2
    low, high = _basic(square, (apart**2).mean(axis=2).T)
    return table.assign(
        noise=np.sqrt(noise),
        true_difference=_root(square - noise),
        true_difference_ci_low=_root(low),
        true_difference_ci_high=_root(high),
    )


def _basic(value: Floats, draws: Floats) -> Floats:
    low, high = interval_of_draws(draws)
    return np.stack([2 * value - high, 2 * value - low])


def _correlations(ratings: Floats, pairs: list[tuple[int, int]]) -> Floats:
    """Return the correlation of every two systems by replicate; none for fewer than three players."""
    if ratings.shape[1] < 3:
        return np.full((len(ratings), len(pairs)), np.nan)
    apart = ratings - ratings.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        unit = apart / np.sqrt((apart**2).sum(axis=1, keepdims=True))
    return np.stack([(unit[:, :, i] * unit[:, :, j]).sum(axis=1) for i, j in pairs], axis=1)


def _fisher(correlation: Floats) -> Floats:
    return np.arctanh(np.clip(correlation, -_ALMOST_ONE, _ALMOST_ONE))


def _root(square: Floats) -> Floats:
    return np.sqrt(np.maximum(square, 0.0))


def _agreement(players: tuple[str, ...], ratings: Floats) -> pd.DataFrame:
    long = pd.DataFrame(
        {
            "player": np.tile(np.array(players, dtype=object), len(SYSTEMS)),
            "method": np.repeat(np.array(SYSTEMS, dtype=object), len(players)),
            "rating": ratings.T.ravel(),
        }
    )
    table = agreement(long).rename(columns={"method": "system"})
    spread = dict(zip(SYSTEMS, ratings.std(axis=0, ddof=1), strict=True))
    return table.assign(spread_ratio=table["system"].map(spread) / table["other"].map(spread))
