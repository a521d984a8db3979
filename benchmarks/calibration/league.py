"""Calibration of a club's page: ratings, who is first, who is better, who wins the next match.

Clubs are simulated whose players have a known spread. The reference knows the spread and sees the
same results. A club is a unit.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgleague.history import MEAN, posterior, rate, regression
from bgleague.logistic import REACH
from bgleague.pairs import first_chances, head_to_head
from bgleague.settings import ELO_SLOPE, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs_formula import log_odds_per_point, win_probability
from calibration.rows import Floats, Forecasts, Row, Said, Scale, chance_row, interval_row

SEED = 1
"""Of the draws of who is first."""
KNOWN = ("known_low", "known_high", "known")
SPREAD = 95.0
"""Standard deviation of the true strengths in FIBS points."""


@dataclass(frozen=True)
class Kind:
    """A kind of club.

    It has the numbers of players, of matches of each, and of points of a match. Its list may have
    lengths.
    """

    players: int
    matches: int
    points: int
    has_lengths: bool = True

    @property
    def name(self) -> str:
        length = f"to {self.points}" if self.has_lengths else f"to {self.points}, no lengths"
        return f"{self.players} players, {self.matches} matches {length}"


KINDS = (
    Kind(60, 12, 7),
    Kind(60, 12, 1),
    Kind(60, 12, 7, has_lengths=False),
    Kind(8, 6, 7),
    Kind(2, 12, 7),
    Kind(2, 1, 7),
)


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of each kind of club."""
    for kind in KINDS:
        yield from _rows_of(kind, scale.units(), rng)


def _rows_of(kind: Kind, clubs: int, rng: np.random.Generator) -> Iterator[Row]:
    tables = [_tables(kind, rng) for _ in range(clubs)]
    ratings, pairs = (
        pd.concat(tables_of_clubs, keys=range(clubs), names=["unit"])
        for tables_of_clubs in zip(*tables, strict=True)
    )
    units = ratings.index.get_level_values("unit").to_numpy()
    columns = ("ci_low", "ci_high", "rating", "truth", *KNOWN)
    yield interval_row(
        "league.rating", Said(units, *(ratings[name] for name in columns)), kind.name
    )
    coin = 1 / kind.players
    first = Forecasts(units, ratings["p_first"], ratings["is_first"], ratings["known_first"], coin)
    yield chance_row("league.first", first, kind.name)
    units = pairs.index.get_level_values("unit").to_numpy()
    columns = ("chance_ci_low", "chance_ci_high", "chance", "truth", *KNOWN)
    chances = Said(units, *(pairs[name] for name in columns))
    yield interval_row("league.chance_interval", chances, kind.name)
    chance = Forecasts(units, pairs["chance"], pairs["truth"], pairs["known"])
    yield chance_row("league.chance", chance, kind.name)
    better = Forecasts(units, pairs["p_better"], pairs["is_better"], pairs["known_better"])
    yield chance_row("league.better", better, kind.name)


def _tables(kind: Kind, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the ratings and the pairs of a club, with the truth and what the reference says."""
    truth, games = club(kind, rng)
    estimated, known = _estimated(games), _known(kind, games)
    return _intervals(kind, truth, estimated, known), _pairs(kind, truth, games, estimated, known)


def club(kind: Kind, rng: np.random.Generator) -> tuple[pd.Series, pd.DataFrame]:
    """Return the true strengths of a club's players, and its games."""
    names = np.array([f"p{number:02d}" for number in range(kind.players)])
    truth = rng.normal(0, SPREAD, kind.players)
    rounds = np.array([rng.permutation(kind.players) for _ in range(kind.matches)])
    first, second = rounds[:, ::2].ravel(), rounds[:, 1::2].ravel()
    won = rng.random(len(first)) < win_probability(truth[second] - truth[first], kind.points)
    games = pd.DataFrame(
        {"first": names[first], "second": names[second], "first_score": won.astype(float)}
    )
    games = games.assign(count=1, row=np.arange(len(games)) + 1)
    if kind.has_lengths:
        games["length"] = float(kind.points)
    return pd.Series(truth, names), games


def _estimated(games: pd.DataFrame) -> MethodRatings:
    return rate(RatingsSettings(), GamesToRate(games, games.iloc[:0], games.iloc[:0], seats=False))


def _slope(kind: Kind) -> float:
    return -float(log_odds_per_point(kind.points)) if kind.has_lengths else ELO_SLOPE


def scale_of(kind: Kind, slope: float) -> float:
    """Return how many points of the club's ratings a FIBS point is."""
    return -float(log_odds_per_point(kind.points)) / slope


def _known(kind: Kind, games: pd.DataFrame) -> MethodRatings:
    """Return the ratings of one who knows the spread."""
    results = regression(games.assign(date=""))
    strength, variance, covariance = posterior(
        results, -float(log_odds_per_point(kind.points)) * SPREAD
    )
    assert covariance is not None
    players = results.nodes["player"].to_numpy()
    slope = _slope(kind)
    half = REACH * np.sqrt(variance) / slope
    ratings = pd.DataFrame({"player": players, "rating": MEAN + strength / slope})
    ratings = ratings.assign(ci_low=ratings["rating"] - half, ci_high=ratings["rating"] + half)
    joint = pd.DataFrame(covariance / slope**2, players, players)
    return MethodRatings({}, ratings, slope=slope, covariance=joint)


def _intervals(
    kind: Kind, truth: pd.Series, estimated: MethodRatings, known: MethodRatings
) -> pd.DataFrame:
    assert estimated.ratings is not None
    assert known.ratings is not None
    names = list(truth.index)
    reference = known.ratings.set_index("player").loc[names]
    return (
        estimated.ratings.set_index("player")
        .loc[names]
        .assign(
            truth=MEAN + scale_of(kind, _slope(kind)) * (truth - truth.mean()),
            known_low=reference["ci_low"],
            known_high=reference["ci_high"],
            known=reference["rating"],
            p_first=first_chances(estimated, names, SEED),
            known_first=first_chances(known, names, SEED),
            is_first=(truth == truth.max()).astype(float),
        )
    )


def _pairs(
    kind: Kind,
    truth: pd.Series,
    games: pd.DataFrame,
    estimated: MethodRatings,
    known: MethodRatings,
) -> pd.DataFrame:
    names = list(truth.index)
    table, reference = (head_to_head(games, ratings, names) for ratings in (estimated, known))
    difference: Floats = (table["player_q"].map(truth) - table["player_p"].map(truth)).to_numpy()
    return table.assign(
        truth=win_probability(difference, kind.points),
        is_better=(difference < 0).astype(float),
        known=reference["chance"],
        known_low=reference["chance_ci_low"],
        known_high=reference["chance_ci_high"],
        known_better=reference["p_better"],
    )
