"""Calibration of the systems as published and of tournaments.

Clubs are rated by Elo, logistic and FIBS ratings; they are those of league.py.
In a tournament every player meets every other one in both seats. True strengths are normal. Errors
cost what the formula says, so that the ratings by errors have the same truth.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from bgleague import elo, fibs, logistic
from bgleague.eloworld import p_champion
from bgleague.pair_counts import PairCounts
from bgleague.settings import GamesToRate, RatingsSettings
from bgleague.tournament.played import FIGURES, TournamentMatches
from bgleague.tournament.systems import SYSTEMS, rate_with_replicates
from bgrating.play.match_tables import SIDES
from bgrating.rating.fibs_formula import Floats, win_probability
from bgrating.rating.intervals import interval_of_draws
from calibration import worlds
from calibration.league import SPREAD, Kind, club, scale_of
from calibration.rows import Row, Said, Scale, interval_row

CLUBS = (Kind(60, 12, 7), Kind(8, 6, 7))
CLUB_SYSTEMS = {"elo": elo, "logistic": logistic, "fibs": fibs}
TOURNAMENTS = 40
"""Tournaments of the full run: one of them takes seconds, and has six players."""
PLAYERS = 6
MATCHES_OF_A_CELL = 20
LENGTH = 5
REPLICATES = 40
LUCK_LEFT = 0.3
"""Standard deviation of a luck-adjusted result."""
EPM = 0.012
"""Error per move of the mean player (EMG)."""
MOVES = 80


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of clubs and of tournaments."""
    for kind in CLUBS:
        yield from _rows_of_clubs(kind, scale.units(), rng)
    yield from _rows_of_tournaments(max(4, round(TOURNAMENTS * scale.share)), rng)


def _rows_of_clubs(kind: Kind, clubs: int, rng: np.random.Generator) -> Iterator[Row]:
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in CLUB_SYSTEMS}
    for unit in range(clubs):
        truth, games = club(kind, rng)
        one = GamesToRate(games, games.iloc[:0], games.iloc[:0], seats=False)
        for name, system in CLUB_SYSTEMS.items():
            ratings = system.rate(RatingsSettings(), one)
            assert ratings.ratings is not None
            table = ratings.ratings.set_index("player").loc[list(truth.index)]
            points = scale_of(kind, ratings.slope) * (truth - truth.mean())
            tables[name].append(table.assign(unit=unit, truth=table["rating"].mean() + points))
    for name, of_clubs in tables.items():
        intervals = pd.concat(of_clubs)
        columns = (intervals[column] for column in ("unit", "ci_low", "ci_high", "rating", "truth"))
        yield interval_row(f"league.{name}", Said(*columns), kind.name)


def _rows_of_tournaments(number: int, rng: np.random.Generator) -> Iterator[Row]:
    intervals: dict[str, list[Floats]] = {name: [] for name in (*SYSTEMS, "p_champion")}
    for unit in range(number):
        truth = rng.normal(0, SPREAD, PLAYERS)
        truth -= truth.mean()
        ratings, replicated = rate_with_replicates(
            _matches(truth, rng), worlds.model(), unit, REPLICATES
        )
        low, high = interval_of_draws(replicated)
        true = {**dict.fromkeys(SYSTEMS, truth), "p_champion": _champion(truth)}
        for index, name in enumerate(ratings):
            ends = low[:, index], high[:, index], ratings[name].to_numpy(), true[name]
            intervals[name].append(np.column_stack([np.full(PLAYERS, unit), *ends]))
    for name, of_tournaments in intervals.items():
        columns = np.concatenate(of_tournaments).T
        figure = "tournament.champion" if name == "p_champion" else "tournament.rating"
        yield interval_row(figure, Said(*columns), name)


def _matches(truth: Floats, rng: np.random.Generator) -> TournamentMatches:
    """Return the matches of a tournament in rounds."""
    first, second = np.nonzero(~np.eye(len(truth), dtype=bool))
    first = np.tile(first, MATCHES_OF_A_CELL)
    second = np.tile(second, MATCHES_OF_A_CELL)
    chance = win_probability(truth[second] - truth[first], LENGTH)
    epm = EPM - truth / worlds.model().formula.coefficient("a2", float(LENGTH))[0]
    names = np.array([f"p{number}" for number in range(len(truth))])
    errors = MOVES * epm[np.stack([first, second], axis=1)]
    errors *= rng.gamma(20, 1 / 20, errors.shape)
    table = pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "first_score": (rng.random(len(chance)) < chance).astype(float),
            "count": 1,
            "chance": chance + rng.normal(0, LUCK_LEFT, len(chance)),
        }
    )
    for seat, of_seat in zip(SIDES, errors.T, strict=True):
        figures = dict(zip(FIGURES, (of_seat, MOVES, 0.0, 10.0), strict=True))
        table = table.assign(**{f"{seat}_{name}": value for name, value in figures.items()})
    return TournamentMatches(tuple(names), LENGTH, table)


def _champion(truth: Floats) -> Floats:
    """Return the true share of time as champion, from the true chances of all pairs."""
    chance = win_probability(truth[None, :] - truth[:, None], LENGTH)
    names = tuple(f"p{number}" for number in range(len(truth)))
    return p_champion(PairCounts(names, np.stack([chance, 1 - chance, np.zeros_like(chance)])))
