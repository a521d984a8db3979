"""Repeated seeded runs of sequential Elo, each over games drawn anew: how far a single run can be trusted."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.ratings.elo import CONFIDENCE
from bgrating.ratings.games import indices, players_of
from bgrating.ratings.kernels import LOG_COLUMNS, sequential
from bgrating.ratings.start import Start


def drawn_runs(
    games: pd.DataFrame,
    runs: int,
    games_per_run: int,
    seed: int,
    starts: Mapping[str, Start] | None = None,
    *,
    uniform_pairs: bool = False,
    in_order: bool = False,
) -> pd.DataFrame:
    """Rate `runs` times `games_per_run` games that are drawn with replacement; one row a run, one column a player.

    Drawn is a game of the table, or with `uniform_pairs` first an ordered pair that met, all alike, then one of its
    games (so drew the author of the published runs). With `in_order` the drawn games are rated in the order of the
    table, otherwise in that in which they were drawn. Run number r gives the same ratings whatever `runs` is.
    """
    players = players_of(games)
    every = [(starts or {}).get(name, Start()) for name in players]
    rating, worth = np.array([(one.rating, one.games) for one in every], dtype=float).T
    first, second = indices(games, players)
    score, weight = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    if uniform_pairs:
        pair = first * len(players) + second
        of_pair = pd.Series(weight).groupby(pair).transform("sum").to_numpy()
        weight = weight / of_pair
    ends = np.cumsum(weight / weight.sum())
    ends[-1] = 1.0
    answer = np.empty((runs, len(players)))
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(runs)):
        drawn = np.searchsorted(ends, np.random.default_rng(child).random(games_per_run), side="right")
        if in_order:
            drawn.sort()
        answer[number] = rating
        sequential(
            first[drawn], second[drawn], score[drawn], answer[number], np.array(worth), np.empty((0, LOG_COLUMNS))
        )
    return pd.DataFrame(answer, columns=players)


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `runs_mean`, `runs_sd` and the interval `ci_low` to `ci_high` that holds 90 % of the runs."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(runs.to_numpy(), [tail, 1 - tail], axis=0)
    return pd.DataFrame(
        {
            "player": runs.columns,
            "runs_mean": runs.mean().to_numpy(),
            "runs_sd": runs.std(ddof=1).to_numpy(),
            "ci_low": low,
            "ci_high": high,
        }
    )
