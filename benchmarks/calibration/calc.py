"""Calibrate what `calc` says.

It says ratings, differences and chances from two players' PR, and the chance that a PR is below a
limit.

A player divides a PR into chequer and cube errors as the people of the frozen losses do. The loss
that these errors have by the formula scatters round it as players do. People's errors cost more or
less than the formula says, by one factor for both players of a pair.
"""

from collections.abc import Iterator

import numpy as np
from scipy import special

from bgrating.rating.calculator import LIMITS, Player, calculate
from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.known import people_error
from bgrating.rating.limits import pr_below
from calibration import worlds
from calibration.rows import Floats, Forecasts, Row, Said, Scale, chance_row, interval_row

LENGTH = 7
CLOSE, CUBE_PART = (0.163, 0.18), (0.267, 0.15)
"""Close cube decisions per unforced move, the cube's part of all errors, and how players differ in
them (relative)."""


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of calc."""
    count = scale.units()
    pr = np.maximum(rng.normal(5.8, 1.6, (count, 2)), 1.5)
    pr[: count // 10, 1] = pr[: count // 10, 0]
    loss, spread = _losses(rng, pr)
    shown = [_shown(*players) for players in pr]
    rating, worse, chance = (
        np.array([one[name] for one in shown]) for name in ("rating", "difference", "chance")
    )
    unit = np.arange(count)
    reach = quantile(CONFIDENCE)
    expected = pr * loss.mean() / pr.mean()
    truth = worlds.OFFSET - loss[:, 0]
    known = worlds.OFFSET - expected[:, 0]
    half = reach * spread * expected[:, 0]
    ends = known - half, known + half, known
    yield interval_row("calc.rating", Said(unit, *rating.T[[1, 2, 0]], truth, *ends))
    gap = loss[:, 0] - loss[:, 1]
    known = expected[:, 0] - expected[:, 1]
    own = (spread**2 - people_error() ** 2) * (expected**2).sum(axis=1)
    half = reach * np.sqrt(own + (people_error() * known) ** 2)
    ends = known - half, known + half, known
    yield interval_row("calc.difference", Said(unit, *worse.T[[1, 2, 0]], gap, *ends))
    wins = win_probability(gap, LENGTH)
    ends = (win_probability(points, LENGTH) for points in (known + half, known - half, known))
    yield interval_row("calc.chance", Said(unit, *chance.T[[1, 2, 0]], wins, *ends))
    expected = win_probability(known, LENGTH)
    yield chance_row("calc.win", Forecasts(unit, chance[:, 0], wins, expected))
    yield _below(scale, rng)


def _losses(rng: np.random.Generator, pr: Floats) -> tuple[Floats, float]:
    """Return the true losses of pairs of players, and their relative standard deviation given the
    PR.
    """
    formula = worlds.model().formula
    factor = 1 + people_error() * rng.standard_normal((len(pr), 1))
    close, part = (
        value * (1 + error * rng.standard_normal(pr.shape)) for value, error in (CLOSE, CUBE_PART)
    )
    a2, b = (formula.coefficient(name, float(LENGTH))[0] for name in ("a2", "b"))
    scatter = worlds.player_scatter()
    per_move = (1 + close) / 500
    mixed = per_move * (a2 * (1 - part) + b * part) * (1 + scatter * rng.standard_normal(pr.shape))
    spread = float(np.hypot(mixed.std() / mixed.mean(), people_error()))
    return mixed * pr * factor, spread


def _shown(pr: float, other: float) -> dict[str, tuple[float, float, float]]:
    """Return rating, difference and chance with their ends, as calc shows them by our formula for
    PR.
    """
    row = next(
        row for row in calculate(Player(pr=pr), LENGTH, Player(pr=other)) if row.nets and row.rating
    )
    figures = {"rating": row.rating, "difference": row.difference, "chance": row.chance}
    return {name: (one.value, one.low, one.high) for name, one in figures.items() if one}


def _below(scale: Scale, rng: np.random.Generator) -> Row:
    """Return the row of chances that a PR from few matches is below a limit."""
    said = []
    for unit in range(scale.units()):
        matches = int(rng.choice([1, 3, 10]))
        world = worlds.people(rng, unit, 2, matches)
        own = world.matches[world.matches["player"] == "p0"]
        sums = own[[*worlds.ERRORS, *worlds.COUNTS]].sum()
        decisions = sums["unforced_moves"] + sums["close_cube_decisions"]
        pr = 500 * (sums["chequer_error_emg"] + sums["cube_error_emg"]) / decisions
        points = float((world.long_run / world.pr).median())
        variance = np.array([worlds.field().scatter / sums["unforced_moves"]])
        known = worlds.reference(np.array([(pr * points) ** 0.25]), variance, world.kinds)
        mean, sd = np.array(world.kinds).T
        for title in pr_below(pr, matches, int(own["match_length"].iloc[0]), LIMITS):
            root = (title.limit * points) ** 0.25
            before = special.ndtr((root - mean) / sd).mean()
            is_below = world.pr["p0"] < title.limit
            said.append((unit, title.chance, is_below, float(known.below(root)[0]), before))
    assert len(said) % len(LIMITS) == 0
    unit, chance, happened, after, before = np.array(said, dtype=float).T
    return chance_row("calc.below", Forecasts(unit, chance, happened, after, before))
