"""Whole-history ratings (Coulom 2008).

Every player has a rating for every day of play, fitted to all results at once.

Strengths on the first day of play come from a normal distribution. Its spread is estimated from the
list, by the marginal likelihood (Laplace) and a weak prior. Everything is averaged over what the
list leaves open about the spread. The middle of that prior is the spread of people: USUAL_SPREAD
FIBS points at the list's usual length. Lists without lengths count as matches to UNKNOWN_LENGTH
points there. A strength then moves at random; in a year its standard deviation is DRIFT of the
spread. In a list without dates nobody moves.

Log-odds of a match grow with the root of its length, as by the FIBS formula. Ratings are FIBS
points, or Elo points in lists without lengths. Intervals hold 90 % of the joint posterior, which is
normal, against the mean of the latest ratings. With more than MOST_EXACT days of play, a rating is
that of a month, of a year, or of all years. With more than MOST_EXACT players an interval treats
the other strengths as known.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve
from scipy.special import softmax

from bgleague.games import both_seats, players_of
from bgleague.logistic import REACH, components
from bgleague.regression import Outcomes, loss_of, most_likely, solve_dense
from bgleague.settings import ABSENT, ELO_SLOPE, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs_formula import Floats, log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/history")
MEAN = 1500.0
DRIFT = 0.25
USUAL_SPREAD = 90.0
UNKNOWN_LENGTH = 7
SURE = 0.35
UNSURE = 0.5
"""Standard deviations of the prior of the spread's logarithm: in lists with lengths, and in others.

So nine of ten clubs with lengths have spreads of 50 to 160 points. Without lengths these are 40 to
205 points at 7 points. UNSURE was chosen after looking at clubs that
benchmarks/calibration/league.py simulates, with other seeds than its own.
"""
MOST_UNDATED = 0.1
"""Largest share of games without a date that are left out; with more of them no date is used."""
MOST_EXACT = 1_500
"""Most days of play of all players whose joint posterior is computed."""
_PERIODS = ("2026-03-14", "2026-03", "2026", "")
_NARROWEST = 0.01
_WIDEST = 5.0  # spreads that are tried, in log-odds
_STEP = 0.1  # of the spread's logarithm, for the curvature of its posterior
_POINTS = np.linspace(-2.5, 2.5, 5)
"""Points of the average over the spread, in standard deviations of its logarithm."""
_DAYS = 365.25
_LEAST_BEND = 1e-10


@dataclass(frozen=True)
class Results:
    """Results as a regression: a row a game, a column a node.

    A node is a player on a day of play; a player's nodes stand in the order of the days. A row has
    the game's weight at the first player's node, and its negative at the second's.
    """

    nodes: pd.DataFrame
    outcomes: Outcomes


def problem(_: RatingsSettings, games: GamesToRate) -> str:
    if games.seats and "date" not in games.games:
        return f"{ABSENT} dates, which history needs where moving first may count: a column date"
    if not games.games["first_score"].isin([1.0, 0.5, 0.0]).all():
        return (
            "whole-history ratings take wins, draws and losses only; leave history out of --method"
        )
    return ""


def rate(_: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate dated or undated games.

    `covariance` is that of the latest ratings, which have the mean 1500.
    """
    dated, notes = _dated(games.games)
    if components(dated, players_of(dated)).any():
        notes.append(
            "groups of players never met: whole-history ratings assume that they are equally strong"
        )
    results = regression(_in_periods(dated))
    length = usual_length(dated)
    slope = -float(log_odds_per_point(length)) if length else ELO_SLOPE
    spreads, weights = likely_spreads(results, length)
    strength, variance, covariance = averaged(results, spreads, weights)
    spread = float(weights @ spreads)
    rating = MEAN + strength / slope
    error = variance**0.5 / slope
    table = results.nodes.assign(
        rating=rating,
        std_error=error,
        ci_low=rating - REACH * error,
        ci_high=rating + REACH * error,
    )[COLUMNS]
    metadata = {
        "confidence": CONFIDENCE,
        "spread": spread / slope,
        "drift": DRIFT * spread / slope,
        "match_length": length or None,
    }
    joint = None
    if covariance is not None:
        players = table["player"].unique()
        joint = pd.DataFrame(covariance / slope**2, players, players)
    return MethodRatings({"history.csv": table}, latest(table), metadata, notes, slope, joint)


def _dated(games: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the games with dates; all games without any if too many have none."""
    if "date" not in games:
        return games.assign(date=""), []
    has_date = games["date"] != ""
    undated = 1 - float(has_date.mean())
    if undated <= MOST_UNDATED:
        return games[has_date], []
    return games.assign(date=""), [
        f"{undated:.0%} of the games have no date: whole-history ratings use no date"
    ]


def _in_periods(games: pd.DataFrame) -> pd.DataFrame:
    """Return the games with the last day of their period as date.

    A period is a day, or longer if there are too many days.
    """
    for example in _PERIODS:
        days = games.groupby(games["date"].str[: len(example)])["date"].transform("max")
        in_periods = games.assign(date=days)
        if both_seats(in_periods).groupby(["player", "date"]).ngroups <= MOST_EXACT:
            break
    return in_periods


def usual_length(games: pd.DataFrame) -> float:
    """Return the match length whose root is the mean root of the games' lengths.

    It is 0 if no length is known. On the FIBS scale the log-odds of a match are proportional to
    the root of its length.
    """
    if "length" not in games or games["length"].isna().all():
        return 0.0
    games = games.dropna(subset=["length"])
    return float(np.average(games["length"] ** 0.5, weights=games["count"])) ** 2


def regression(games: pd.DataFrame) -> Results:
    """Return the results of games; a game of unknown length has the usual one."""
    usual = usual_length(games)
    weight = np.ones(len(games))
    if usual:
        weight = np.sqrt(games["length"].fillna(usual) / usual).to_numpy()
    days_of_play = both_seats(games).groupby(["player", "date"])
    node = days_of_play.ngroup().to_numpy()
    nodes = days_of_play.size().index.to_frame(index=False)
    rows = np.tile(np.arange(len(games)), 2)
    links = csr_array((np.append(weight, -weight), (rows, node)), (len(games), len(nodes)))
    count = games["count"].to_numpy(float)
    won = count * games["first_score"].to_numpy(float)
    return Results(nodes, Outcomes(links, won, count))


def likely_spreads(results: Results, length: float) -> tuple[Floats, Floats]:
    """Return spreads of the players in log-odds of a match, and their weights by the posterior.

    They are estimated as if nobody moved, in lists of very many players from those with most games.
    """
    usual = -float(log_odds_per_point(length or UNKNOWN_LENGTH)) * USUAL_SPREAD
    unsure = SURE if length else UNSURE
    player = pd.factorize(results.nodes["player"])[0]
    outcomes = results.outcomes
    links = outcomes.rows @ csr_array((np.ones(len(player)), (np.arange(len(player)), player)))
    busiest = np.argsort(-abs(links).sum(axis=0), kind="stable")[: MOST_EXACT // 2]
    links = links[:, busiest]
    both = np.diff(links.indptr) == 2
    outcomes = Outcomes(links[both], outcomes.won[both], outcomes.count[both])
    size = links.shape[1]

    def loss(log_spread: float) -> float:
        prior = csr_array(eye_array(size) * math.exp(-2 * log_spread))
        values, curvature = most_likely(outcomes, prior, np.zeros(size), solve_dense)
        volume = size * log_spread + 0.5 * np.linalg.slogdet(curvature.toarray())[1]
        surprise = (log_spread - math.log(usual)) / unsure
        return float(loss_of(values, outcomes, prior) + volume + 0.5 * surprise**2)

    bounds = (math.log(_NARROWEST), math.log(_WIDEST))
    likeliest = minimize_scalar(loss, bounds=bounds, options={"xatol": 0.01})
    bend = loss(likeliest.x - _STEP) + loss(likeliest.x + _STEP) - 2 * likeliest.fun
    error = min(_STEP / math.sqrt(max(bend, _LEAST_BEND)), unsure)
    logarithms = likeliest.x + error * _POINTS
    return np.exp(logarithms), softmax([-loss(logarithm) for logarithm in logarithms])


def averaged(
    results: Results, spreads: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats | None]:
    """Return what `posterior` does, averaged over spreads with their weights."""
    posteriors = [posterior(results, spread) for spread in spreads]
    strengths, variances, covariances = map(np.array, zip(*posteriors, strict=True))
    strength = weights @ strengths
    deviation = strengths - strength
    variance = weights @ (variances + deviation**2)
    if posteriors[0][2] is None:
        return strength, variance, None
    last = deviation[:, _is_last(results)]
    between = (last * weights[:, None]).T @ last
    return strength, variance, np.tensordot(weights, covariances, axes=1) + between


def posterior(results: Results, spread: float) -> tuple[Floats, Floats, Floats | None]:
    """Return every node's strength, its variance, and the covariance of the latest ones (log-odds).

    All are against the mean of the latest strengths. With too many nodes there is no covariance,
    and a variance treats the other nodes as known.
    """
    first = ~results.nodes["player"].duplicated().to_numpy()
    gap = pd.to_datetime(results.nodes["date"]).diff().dt.days.to_numpy()
    step = spread**2 * np.where(first, 1.0, DRIFT**2 * gap / _DAYS)
    size = len(first)
    previous = first[1:] - 1.0
    moves = diags_array([np.ones(size), previous], offsets=[0, -1], format="csr")
    prior = csr_array(moves.T @ diags_array(1 / step) @ moves)
    is_exact = size <= MOST_EXACT
    solve = solve_dense if is_exact else spsolve
    strength, curvature = most_likely(results.outcomes, prior, np.zeros(size), solve)
    last = _is_last(results)
    strength = strength - strength[last].mean()
    if not is_exact:
        return strength, 1 / curvature.diagonal(), None
    whole = np.linalg.inv(curvature.toarray())
    to_mean = whole[last].mean(axis=0)
    whole = whole - to_mean - to_mean[:, None] + to_mean[last].mean()
    return strength, np.diag(whole).copy(), whole[np.ix_(last, last)]


def _is_last(results: Results) -> np.ndarray:
    return ~results.nodes["player"].duplicated(keep="last").to_numpy()


def latest(table: pd.DataFrame) -> pd.DataFrame:
    """Return everybody's latest rating, best first."""
    last = table.drop_duplicates("player", keep="last")
    return last.sort_values("rating", ascending=False, kind="stable", ignore_index=True)
