"""Calibrate the first advice: the chance that a plan costs a player more than others of the level.

Players are drawn from the population of the table people/plans. The reference knows that population
too, and each player's true level; the product knows the level from the player's own errors.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from bgrating.people import practice
from bgrating.rating.result_files import plan_costs_table
from bgrating.tables.table_files import read_table
from calibration.rows import Floats, Forecasts, Row, Scale, chance_row

SHARES = {
    "opening": 0.25,
    "holding": 0.25,
    "prime": 0.15,
    "race": 0.1,
    "bear-off": 0.05,
    "bear-in": 0.1,
    "back game": 0.1,
}
"""Share of decisions in a game plan, about as in people's matches."""
CHOOSING = 75
"""Seed of the players by whom CAUTION was chosen; no other simulation draws from it."""
DECISIONS = 60
"""Decisions of a player in a match."""


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the row of the first advice to players with 2 to 100 matches."""
    yield _row(scale.units(), rng)


def best_caution(players: int = 4000) -> tuple[float, float]:
    """Return the CAUTION of people/practice.py that gives the slope 1, and its standard error.

    The players are drawn with a seed of their own, so those of the table judge the choice.
    """
    row = _row(players, np.random.default_rng(CHOOSING))
    return practice.CAUTION * row.slope, practice.CAUTION * row.slope_se


def _row(players: int, rng: np.random.Generator) -> Row:
    usual = read_table(plan_costs_table())
    plans = list(SHARES)
    known = usual.set_index("plan").loc[plans]
    shape = np.minimum(known["k"] / known["within"], 1e6)
    said, truth, reference = np.empty((3, players))
    for player in range(players):
        level = rng.lognormal(math.log(0.011), 0.4)
        decisions = np.maximum(
            1, rng.poisson(rng.integers(2, 100) * DECISIONS * np.array(list(SHARES.values())))
        )
        ratio = np.where(np.isinf(known["k"]), 1.0, rng.gamma(shape, 1 / shape))
        expected = decisions * np.exp(known["const"] + known["slope"] * math.log(level)).to_numpy()
        loss = rng.gamma(np.maximum(expected * ratio / known["within"], 1e-9), known["within"])
        first = _advice(plans, decisions, loss, usual)
        place = plans.index(first.label)
        said[player] = first.chance
        truth[player] = ratio[place] > 1
        k = known["k"].iloc[place]
        within = known["within"].iloc[place]
        reference[player] = special.gammaincc(
            (loss[place] + k) / within, (expected[place] + k) / within
        )
    return chance_row("rate.advice", Forecasts(np.arange(players), said, truth, reference))


def _advice(plans: list[str], decisions: Floats, loss: Floats, usual: pd.DataFrame) -> practice.Row:
    """Return the advice on one player from the sums of the plans."""
    about = {
        "player": "ann",
        "file": "a",
        "match": 0,
        "error": "chequer play",
        "score": "ahead",
        "kind": "play",
    }
    part = pd.DataFrame({**about, "plan": plans, "loss_emg": loss, "unforced": decisions})
    made = practice.Practice({"ann": float(decisions.sum())}, usual)
    made.add(part)
    found = practice.advice(made.of("ann"))
    assert found
    return found
