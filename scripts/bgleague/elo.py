"""Sequential Elo with a K of 800 / N for each player (squava, 2024), and its log.

A game raises N of both players by one. A player's K is 800 / N. E = 1 / (1 + 10^((other - own) /
400)) is from the ratings before the game, and a rating changes by K (score - E). The changes of the
two players differ if their N differ. Bootstrap runs over resampled games measure the error of one
run.
"""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from bgleague.games import MOST, Names, indices, name_of, players_of
from bgleague.pair_counts import first_mover
from bgleague.settings import (
    ELO_SLOPE,
    METHODS,
    EloStart,
    GamesToRate,
    MethodRatings,
    RatingsError,
    RatingsSettings,
)
from bgmatch.decoder import decoded
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.tables.csv_safety import without_mark
from bgrating.tables.dictionary import columns

RUNS = 100
LOG = columns("ratings/elo_log")


def problem(_: RatingsSettings, games: GamesToRate) -> str:
    """Return why Elo, which goes from game to game, cannot rate so many games, or nothing."""
    number = int(games.games["count"].sum())
    if number <= MOST:
        return ""
    return (
        f"{METHODS['elo']}, takes up to {MOST:,} games, and these are {number:,}; name other"
        " methods (--method)"
    )


def rate(settings: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate games in their order, and bootstrap samples of them."""
    seed = settings.seed
    has_order = _has_order(games.games)
    listed = in_order(games.games, seed)
    orders = np.column_stack([listed, drawn(games.games, RUNS, len(listed), seed)])
    table, log, runs = rate_in_orders(games.games, settings.start, orders)
    table = table.join(summary(runs[1:]), on="player")
    files = {"elo.csv": table, "elo_log.csv": log, "first_mover.csv": first_mover(games.games)}
    metadata = {"seed": seed, "runs": RUNS, "confidence": CONFIDENCE, "order_of_file": has_order}
    shuffled = f"the games have no order: they were shuffled with seed {seed}"
    return MethodRatings(files, table, metadata, [] if has_order else [shuffled])


def _has_order(games: pd.DataFrame) -> bool:
    """Tell whether each row is one game; games that are counted have no order."""
    return bool((games["count"] == 1).all())


def in_order(games: pd.DataFrame, seed: int) -> np.ndarray:
    """Return the row of every game in the order in which the games are rated.

    Games without an order are shuffled.
    """
    rows = np.arange(len(games), dtype=np.int32).repeat(games["count"])
    return rows if _has_order(games) else np.random.default_rng(seed).permutation(rows)


def drawn(games: pd.DataFrame, runs: int, games_per_run: int, seed: int) -> np.ndarray:
    """Draw the games of runs with replacement; return their rows, (games of a run, runs).

    Games are in the order of the table if each row is one game, else in the order of the draws. Run
    r does not depend on the number of runs.
    """
    ends = np.cumsum(games["count"].to_numpy(float))
    rows = np.empty((games_per_run, runs), dtype=np.int32)
    for run, child in enumerate(np.random.SeedSequence(seed).spawn(runs)):
        draws = ends[-1] * np.random.default_rng(child).random(games_per_run)
        if _has_order(games):
            draws.sort()
        rows[:, run] = np.searchsorted(ends, draws, side="right")
    return rows


def rate_in_orders(
    games: pd.DataFrame,
    starts: Mapping[str, EloStart] | None = None,
    orders: np.ndarray | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Rate runs over games; the columns of `orders` have the rows of each run's games (table order
    by default).

    `starts` gives players another start than 1300 points worth 14 games. Returns three tables: the
    players after the first run, its log (ratings/elo_log), and all final ratings. The first has
    `player`, `rating`, `games` and `effective_games`, the best player first. The last has a row a
    run and a column a player. Raises RatingsError for a start that is not finite or has fewer than
    0 games.
    """
    players = players_of(games)
    size = len(players)
    orders = np.arange(len(games))[:, None] if orders is None else orders
    runs = orders.shape[1]
    ratings, weights = np.tile(_starts(players, starts or {}), runs)
    seats = np.stack(indices(games, players))
    score = games["first_score"].to_numpy(float)
    start_of_run = np.arange(runs) * size
    gain = np.array([[800.0], [-800.0]])
    steps = np.empty((len(orders), 3, 2))
    for game, rows in enumerate(orders):
        pair = seats[:, rows] + start_of_run
        before = ratings[pair]
        surprise = score[rows] - expit((before[0] - before[1]) * ELO_SLOPE)
        weights[pair] += 1.0
        ratings[pair] = before + gain * surprise / weights[pair]
        steps[game] = before[:, 0], ratings[pair[:, 0]], weights[pair[:, 0]]
    table = pd.DataFrame(
        {
            "player": players,
            "rating": ratings[:size],
            "games": np.bincount(seats[:, orders[:, 0]].ravel(), minlength=size),
            "effective_games": weights[:size],
        }
    ).sort_values("rating", ascending=False, kind="stable", ignore_index=True)
    log = games[LOG[1:4]].iloc[orders[:, 0]].reset_index(drop=True)
    log[LOG[4:]] = steps.swapaxes(1, 2).reshape(-1, 6)
    by_run = pd.DataFrame(ratings.reshape(runs, size), columns=players)
    return table, log.rename_axis(LOG[0]).reset_index(), by_run


def read_starts(path: Path) -> dict[str, EloStart]:
    """Read a rating list, such as the elo.csv of an earlier season.

    The columns are `player`, `rating` and perhaps `effective_games`. Without the last one each
    rating weighs as much as a usual start. Raises RatingsError.
    """
    starts = {}
    try:
        for row in csv.DictReader(io.StringIO(decoded(path.read_bytes()).text)):
            games = float(row.get("effective_games") or EloStart.games)
            starts[name_of(without_mark(row["player"]))] = EloStart(float(row["rating"]), games)
    except (KeyError, OSError, TypeError, ValueError) as problem:
        raise RatingsError(
            f"start={path}: no list with the columns player and rating ({problem})"
        ) from None
    return starts


def _starts(players: Names, starts: Mapping[str, EloStart]) -> Floats:
    """Return the ratings of the players and their weights in games: (2, players)."""
    for name, start in starts.items():
        if not (math.isfinite(start.rating) and 0 <= start.games < math.inf):
            raise RatingsError(
                f"start: {name} starts at {start.rating} with {start.games} games; write 0 or more"
            )
    return np.array([astuple(starts.get(name, EloStart())) for name in players], float).T


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean, the spread and the interval of final ratings, a row for each player."""
    low, high = interval_of_draws(runs.to_numpy())
    return pd.DataFrame(
        {"runs_mean": runs.mean(), "runs_sd": runs.std(), "ci_low": low, "ci_high": high}
    )
