"""Measure how long ratings from results take, on made-up games of the sizes that they were asked to cope with."""

import math
import time

import numpy as np
import pandas as pd

from bgrating.bench.measure import Measure
from bgrating.ratings import eloworld, logistic
from bgrating.ratings.cells import Cells

GAMES, PLAYERS = 24_570, 126
ENTRANTS, GAMES_PER_CELL = 53, 400


def ratings_measures(seed: int = 1) -> list[Measure]:
    """Run the measures; they take less than a minute on two cores."""
    random = np.random.default_rng(seed)
    games, cells = _games(random), _cells(random)
    started = time.monotonic()
    logistic.fit(games, {"p000": 0.0})
    fitted = time.monotonic()
    eloworld.elo_world(cells, seed)
    return [
        Measure(f"seconds of a logistic fit to {GAMES:,} games of {PLAYERS} players", fitted - started, 2.0, True),
        Measure(
            f"seconds of Elo World, {ENTRANTS} players, {GAMES_PER_CELL} games a cell, {eloworld.RUNS} runs of "
            f"{eloworld.PASSES} passes",
            time.monotonic() - fitted,
            60.0,
            True,
        ),
    ]


def _games(random: np.random.Generator) -> pd.DataFrame:
    """Draw games of random pairs, with a first-mover bias of 200 points and a draw in seventeen."""
    first = random.integers(PLAYERS, size=GAMES)
    second = (first + random.integers(1, PLAYERS, size=GAMES)) % PLAYERS
    chance = 1 / (1 + np.exp(-math.log(3) / 200 * (200 + (first - second) * 1500 / PLAYERS)))
    score = np.where(random.random(GAMES) < 1 / 17, 0.5, (random.random(GAMES) < chance) * 1.0)
    names = np.array([f"p{number:03d}" for number in range(PLAYERS)])
    return pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "first_score": score,
            "count": 1,
            "row": np.arange(GAMES) + 1,
        }
    )


def _cells(random: np.random.Generator) -> Cells:
    """Draw full cells of players who stand evenly over 1,500 points, with a tenth of draws."""
    strength = np.linspace(0, 1500, ENTRANTS)
    chance = 1 / (1 + 10 ** ((strength[None, :] - strength[:, None]) / 400))
    draws = random.binomial(GAMES_PER_CELL, 0.1, size=chance.shape)
    wins = random.binomial(GAMES_PER_CELL - draws, chance)
    names = tuple(f"p{number:02d}" for number in range(ENTRANTS))
    return Cells(names, wins, GAMES_PER_CELL - draws - wins, draws)
