"""Whole-history ratings (Coulom 2008): a rating of every player for every day of play, by Newton's method.

A player's strength moves at random from day to day, by `drift` Elo points in a year (standard deviation). All days are
fitted to all results at once, so later results also inform earlier days. Every player has two drawn virtual games on
the first day. A match counts as one game, whatever its length. Intervals hold 90 % (normal, from a
player's own curvature, which treats the ratings of the opponents as known).

If match lengths are known, every rating here is on the FIBS scale, for matches to the usual length of the list.
Otherwise ratings are in Elo points. Only `rated` decides this, so standing, tables, curves and chances agree.
"""

import math
from functools import partial

import numpy as np
import pandas as pd
from scipy.linalg import solveh_banded
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg

from bgleague.games import both_seats
from bgleague.logistic import REACH
from bgleague.regression import most_likely
from bgleague.settings import ABSENT, ELO_SLOPE, GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.fibs import Floats, log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/history")
MEAN, DRIFT = 1500.0, 50.0
MOST_UNDATED = 0.1
"""Largest share of games without a date, since a standing would ignore those games."""
_LEVELS = ["rating", "ci_low", "ci_high"]
_DAYS = 365.25
_EXACT = 1e-10  # relative residual of a step's equations


def problem(_: RatingsSettings, field: GamesToRate) -> str:
    undated = (field.games["date"] == "").mean() if "date" in field.games else 1.0
    if undated == 1:
        return f"{ABSENT} dates, which history needs: a column date"
    return f"{undated:.0%} of the games have no date" if undated > MOST_UNDATED else ""


def rated(_: RatingsSettings, field: GamesToRate) -> MethodRatings:
    table = history(field.games)
    length = usual_length(field.games)
    # Equal log-odds of a match of this length.
    factor = 1.0 if math.isnan(length) else ELO_SLOPE / abs(float(log_odds_per_point(length)))
    table[_LEVELS] = MEAN + factor * (table[_LEVELS] - MEAN)
    table["std_error"] *= factor
    about = {"confidence": CONFIDENCE, "drift": DRIFT, "match_length": None if math.isnan(length) else length}
    return MethodRatings({"history.csv": table}, latest(table), about, slope=ELO_SLOPE / factor)


def usual_length(games: pd.DataFrame) -> float:
    """Return the match length whose root is the mean root of the games' lengths; NaN if no length is known.

    On the FIBS scale the log-odds of a match are proportional to the root of its length.
    """
    if "length" not in games:
        return math.nan
    games = games.dropna(subset=["length"])
    return float(np.average(games["length"] ** 0.5, weights=games["count"])) ** 2 if len(games) else math.nan


def history(games: pd.DataFrame, drift: float = DRIFT) -> pd.DataFrame:
    """Rate dated games: `player`, `date`, `rating` (Elo points, the mean of the latest ratings 1500) and its interval.

    Games without a date are left out. Raises RatingsError for scores other than 1, 0.5 and 0, and without convergence.
    """
    dated = games[games["date"] != ""]
    if not dated["first_score"].isin([1.0, 0.5, 0.0]).all():
        raise RatingsError("whole-history ratings take wins, draws and losses only; leave history out of --method")
    seats = both_seats(dated)
    at = seats.groupby(["player", "date"]).ngroup()
    table = seats[["player", "date"]].drop_duplicates().sort_values(["player", "date"], ignore_index=True)
    first = ~table["player"].duplicated().to_numpy()
    number, begun = len(dated), np.flatnonzero(first)
    total = number + len(begun)
    signs = np.repeat([1.0, -1.0], [total, number])
    rows = np.append(np.arange(total), np.arange(number))
    links = csr_array((signs, (rows, np.concatenate([at[:number], begun, at[number:]]))))
    count = np.append(dated["count"], np.full(len(begun), 2.0))
    won = np.append(dated["count"] * dated["first_score"], np.ones(len(begun)))
    gap = pd.to_datetime(table["date"]).diff().dt.days.to_numpy()
    strength, spread = _strengths(links, won, count, first, (drift * ELO_SLOPE) ** 2 * gap / _DAYS)
    table = table.assign(rating=strength / ELO_SLOPE, std_error=np.sqrt(spread) / ELO_SLOPE)
    table["rating"] += MEAN - table.groupby("player")["rating"].last().mean()
    half = REACH * table["std_error"]
    return table.assign(ci_low=table["rating"] - half, ci_high=table["rating"] + half)[COLUMNS]


def latest(table: pd.DataFrame) -> pd.DataFrame:
    last = table.drop_duplicates("player", keep="last")
    return last.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def _strengths(
    links: csr_array, won: Floats, count: Floats, first: np.ndarray, variance: np.ndarray
) -> tuple[Floats, Floats]:
    """Return the strength of every node (logits), and its variance given the opponents' strengths.

    A node is a player on a day of play; nodes are in the order of players, then days. A row of `links` has 1 at the
    node of the player who won `won` of `count` games, and -1 at the opponent's node. A virtual opponent has strength 0
    and no node. `first` marks a player's first node. `variance` is that of the move from the previous node; it is
    ignored at a first node.

    The chain of a player's nodes is a tridiagonal part of the curvature; games link nodes of different chains.
    Conjugate gradients solve a step, with the chains as preconditioner.
    """
    stiffness = np.where(first, 0.0, 1 / np.where(first, 1.0, variance))  # of the move from the previous node
    size = len(first)
    moves = diags_array([np.ones(size), -np.ones(size - 1)], offsets=[0, -1], format="csr")

    def solve(curvature: csr_array, gradient: Floats) -> Floats:
        bands = np.stack([-stiffness, curvature.diagonal()])
        chains = LinearOperator(curvature.shape, matvec=partial(solveh_banded, bands), dtype=float)
        return np.asarray(cg(curvature, gradient, rtol=_EXACT, M=chains, maxiter=10_000)[0])

    drift = csr_array(moves.T @ diags_array(stiffness) @ moves)
    values, curvature = most_likely(links, won, count, drift, np.zeros(size), solve)
    return values, _diagonal_of_inverse(curvature.diagonal(), stiffness)


def _diagonal_of_inverse(own: Floats, stiffness: Floats) -> Floats:
    """Return the diagonal of the inverse of the chains, by elimination from both ends."""
    forward, backward = own.copy(), own.copy()
    for at in range(1, len(own)):
        forward[at] -= stiffness[at] ** 2 / forward[at - 1]
    for at in range(len(own) - 2, -1, -1):
        backward[at] -= stiffness[at + 1] ** 2 / backward[at + 1]
    return np.asarray(1 / (forward + backward - own))
