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

from bgleague.cells import first_mover
from bgleague.games import MOST, indices, name_of, players_of
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
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.tables.csv_safety import without_mark
from bgrating.tables.dictionary import columns

RUNS = 100
LOG = columns("ratings/elo_log")
_NO_CHANCE = 300.0  # odds of ten to this power count as certain; larger powers of ten overflow


def problem(_: RatingsSettings, games: GamesToRate) -> str:
    """Return why Elo, which goes from game to game, cannot rate so many games, or nothing."""
    number = int(games.games["count"].sum())
    if number <= MOST:
        return ""
    return (
        f"{METHODS['elo']}, takes up to {MOST:,} games, and these are {number:,}; name other"
        " methods (--method)"
    )


def rated(settings: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate games in their order, and bootstrap samples of them."""
    seed = settings.seed
    has_order = _has_order(games.games)
    each = in_order(games.games, seed)
    table, log = rate(each, settings.start)
    runs = drawn_runs(games.games, RUNS, len(each), seed, settings.start)
    table = table.merge(summary(runs), on="player")
    files = {"elo.csv": table, "elo_log.csv": log, "first_mover.csv": first_mover(games.games)}
    facts = {"seed": seed, "runs": RUNS, "confidence": CONFIDENCE, "order_of_file": has_order}
    shuffled = f"the games have no order: they were shuffled with seed {seed}"
    return MethodRatings(files, table, facts, [] if has_order else [shuffled])


def _has_order(games: pd.DataFrame) -> bool:
    """Tell whether each row is one game; games that are counted have no order."""
    return bool((games["count"] == 1).all())


def in_order(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return one row a game in the order in which they are rated.

    Games without an order are shuffled.
    """
    rows = games.index.repeat(games["count"]).to_numpy()
    if not _has_order(games):
        rows = np.random.default_rng(seed).permutation(rows)
    return games.loc[rows].reset_index(drop=True).assign(count=1)


def rate(
    games: pd.DataFrame, starts: Mapping[str, EloStart] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rate games (one row each) in the order of the table.

    `starts` gives players another start than 1300 points worth 14 games. Returns the players, best
    first, and the log (ratings/elo_log). Columns: `player`, `rating`, `games`, `effective_games`
    (with those of the start). Raises RatingsError for a start that is not finite or has fewer than
    0 games.
    """
    players = players_of(games)
    rating, worth = _starts(players, starts or {}).tolist()
    seats = [places.tolist() for places in indices(games, players)]
    rows = []
    # A rating depends on the game before it, so arrays do not help.
    for a, b, score in zip(*seats, games["first_score"].tolist(), strict=True):
        before = rating[a], rating[b]
        off = score - 1.0 / (1.0 + 10.0 ** min((before[1] - before[0]) / 400.0, _NO_CHANCE))
        for player, change in ((a, off), (b, -off)):
            worth[player] += 1.0
            rating[player] += 800.0 / worth[player] * change
        rows.append((before[0], rating[a], worth[a], before[1], rating[b], worth[b]))
    log = pd.DataFrame(rows, columns=LOG[4:]).assign(game=range(len(games)))
    log[LOG[1:4]] = games[LOG[1:4]].to_numpy()
    played = np.bincount(np.concatenate(seats))
    table = pd.DataFrame(
        {"player": players, "rating": rating, "games": played, "effective_games": worth}
    )
    return table.sort_values("rating", ascending=False, kind="stable", ignore_index=True), log[LOG]


def read_starts(path: Path) -> dict[str, EloStart]:
    """Read a rating list, such as the elo.csv of an earlier season.

    The columns are `player`, `rating` and perhaps `effective_games`. Without the last one each
    rating weighs as much as a usual start. Raises RatingsError.
    """
    starts = {}
    try:
        rows = csv.DictReader(io.StringIO(decoded(path.read_bytes()).text))
        for row in rows:
            games = float(row.get("effective_games") or EloStart.games)
            starts[name_of(without_mark(row["player"]))] = EloStart(float(row["rating"]), games)
    except (KeyError, OSError, TypeError, ValueError) as problem:
        raise RatingsError(
            f"start={path}: no list with the columns player and rating ({problem})"
        ) from None
    return starts


def _starts(players: list[str], starts: Mapping[str, EloStart]) -> Floats:
    """Return the ratings of the players and their weights in games: (2, players)."""
    for name, start in starts.items():
        if not (math.isfinite(start.rating) and 0 <= start.games < math.inf):
            raise RatingsError(
                f"start: {name} starts at {start.rating} with {start.games} games; write 0 or more"
            )
    return np.array([astuple(starts.get(name, EloStart())) for name in players], float).T


def drawn_runs(
    games: pd.DataFrame,
    runs: int,
    games_per_run: int,
    seed: int,
    starts: Mapping[str, EloStart] | None = None,
) -> pd.DataFrame:
    """Rate `runs` times `games_per_run` games that are drawn with replacement.

    The table has one row a run and one column a player. Drawn games are rated in the order of the
    table if each row is one game. Otherwise they are rated in the order of the draws. Run number r
    gives the same ratings whatever `runs` is.
    """
    players = players_of(games)
    rating, worth = _starts(players, starts or {})
    score = games["first_score"].to_numpy(float)
    ends = np.cumsum(games["count"].to_numpy(float))
    drawn = np.empty((games_per_run, runs), dtype=np.int32)
    for run, child in enumerate(np.random.SeedSequence(seed).spawn(runs)):
        draws = ends[-1] * np.random.default_rng(child).random(games_per_run)
        if _has_order(games):
            draws.sort()
        drawn[:, run] = np.searchsorted(ends, draws, side="right")
    ratings = np.tile(rating, runs)
    counts = np.tile(worth, runs)
    seats = np.stack(indices(games, players))
    run_starts = np.arange(runs) * len(players)
    turns = np.array([[800.0], [-800.0]])
    with np.errstate(over="ignore"):  # beyond the largest power the odds are infinite, the chance 0
        for places in drawn:
            met = seats[:, places] + run_starts
            before = ratings[met]
            off = score[places] - 1.0 / (1.0 + np.exp((before[1] - before[0]) * ELO_SLOPE))
            counts[met] += 1.0
            ratings[met] = before + turns * off / counts[met]
    return pd.DataFrame(ratings.reshape(runs, -1), columns=players)


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    low, high = interval_of_draws(runs.to_numpy())
    table = pd.DataFrame(
        {"runs_mean": runs.mean(), "runs_sd": runs.std(), "ci_low": low, "ci_high": high}
    )
    return table.rename_axis("player").reset_index()
