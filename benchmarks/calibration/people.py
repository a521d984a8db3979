"""Calibrate what `rate` says of people.

It says ratings, who is better, and chances of grades. Levels are rated as strangers.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from bgrating.pages.formatting import grade
from bgrating.people.players import errors_of, players_table
from bgrating.rating.calculator import LIMITS
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.limits import chances_below, pr_players
from bgrating.rating.player import losses, ratings
from calibration import worlds
from calibration.rows import ALL, UNITS, Forecasts, Row, Said, Scale, chance_row, interval_row

BINS = (0, 1650, 1750, 1850, 1940, 2050)
REFERENCE = ["known_high", "known_low", "known"]
"""Columns of the reference's rating; a rating's upper end is the loss's lower one."""
WINDOWS = (5, 10)
"""Matches of a point of the curves of ratings and of PR: the fewest and the most."""


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of simulated people, then those of levels."""
    made = list(worlds.collections(rng, scale.units(5 * UNITS)))
    shown = pd.concat(
        [_ratings(world).assign(unit=number) for number, world in made], ignore_index=True
    )
    yield from _by_rating("rate.rating", shown, ("rating", "ci_low", "ci_high"))
    for matches in (1, 2, 5):
        own = shown[shown["rated_matches"] == matches]
        yield interval_row(
            "rate.rating", _said(own, ("rating", "ci_low", "ci_high")), f"{matches} matches"
        )
    own = _said(shown, ("own_rating", "own_low", "own_high"), has_reference=False)
    yield interval_row("rate.own_rating", own)
    yield from _who_is_better(shown)
    yield from _grades(made)
    yield from _trend(scale, rng)
    for name, blunders in (("noise", False), ("blunders", True)):
        yield from _strangers(scale, rng, name, worlds.levels(blunders))


def _ratings(world: worlds.World) -> pd.DataFrame:
    """Return the rows of the rated players of a collection with their true ratings and the
    reference's ratings.
    """
    found, _ = players_table(world.matches, worlds.model(), worlds.OFFSET, worlds.stored())
    found = found[found["rating"].notna()].set_index("player")
    number, names = pd.factorize(world.matches["player"], sort=True)
    own = losses(errors_of(world.matches, worlds.model()), number, worlds.model().formula).set_axis(
        names
    )
    own = own.loc[found.index]
    known = worlds.known_errors(
        own["loss"].to_numpy(), float(world.matches["match_length"].median())
    )
    exact = worlds.intervals(own["loss"].to_numpy(), own["moves"].to_numpy(), known, world)
    of_reference = pd.DataFrame(worlds.OFFSET - exact, found.index, REFERENCE)
    truth = worlds.OFFSET - world.loss.loc[found.index]
    return found.assign(truth=truth).join(of_reference).reset_index()


def _said(shown: pd.DataFrame, names: tuple[str, str, str], has_reference: bool = True) -> Said:
    value, low, high = (shown[name].to_numpy(float) for name in names)
    said = Said(shown["unit"].to_numpy(), low, high, value, shown["truth"].to_numpy())
    if not has_reference:
        return said
    return replace(said, **{name: shown[name].to_numpy() for name in REFERENCE})


def _by_rating(
    figure: str, shown: pd.DataFrame, names: tuple[str, str, str], of: str = ""
) -> Iterator[Row]:
    """Yield the row of all, and a row of each group of stated ratings that has players enough."""
    yield interval_row(figure, _said(shown, names), of or ALL)
    for low, high in itertools.pairwise(BINS):
        group = shown[(shown["rating"] >= low) & (shown["rating"] < high)]
        if len(group) >= 40:
            words = f"stated {low} to {high}" if low else f"stated below {high}"
            yield interval_row(figure, _said(group, names), f"{of}, {words}".removeprefix(", "))


def _who_is_better(shown: pd.DataFrame) -> Iterator[Row]:
    """Yield the rows of the first two players of each collection, compared as report/duel.js
    does.
    """
    spread = (shown["ci_high"] - shown["ci_low"]) / 2 / quantile(CONFIDENCE)
    table = shown.assign(spread=spread)
    pairs = (
        table.sort_values("player")
        .groupby("unit")
        .head(2)
        .groupby("unit")
        .filter(lambda rows: len(rows) == 2)
    )
    one, two = (pairs.groupby("unit").nth(place).reset_index(drop=True) for place in (0, 1))
    gap = one["rating"] - two["rating"]
    error = np.hypot(one["spread"], two["spread"])
    truth = one["truth"] - two["truth"]
    known = one["known"] - two["known"]
    half = [(player["known_high"] - player["known_low"]) / 2 for player in (one, two)]
    reference = np.hypot(*half)
    exact = special.ndtr(known / reference * quantile(CONFIDENCE))
    said = special.ndtr(gap / error)
    yield chance_row("rate.better", Forecasts(one["unit"], said, truth > 0, exact))
    own = quantile(CONFIDENCE) * error
    ends = known - reference, known + reference, known
    yield interval_row(
        "rate.match_chance", Said(one["unit"], gap - own, gap + own, gap, truth, *ends)
    )


def _grades(made: list[tuple[int, worlds.World]]) -> Iterator[Row]:
    """Yield the rows of the chances that a PR is below a limit, and of the grade that is named."""
    said, named = [], []
    for number, world in made:
        exact = _exact_chances(world)
        for name, below in chances_below(world.matches).items():
            pr = world.pr[name]
            for title in below:
                after, before = exact.loc[name, title.limit]
                said.append((number, title.chance, pr < title.limit, after, before))
            if grade(below):
                named.append(
                    (number, min(title.limit for title in below if title.chance >= CONFIDENCE), pr)
                )
    unit, chance, happened, after, before = np.array(said).T
    yield chance_row("rate.below", Forecasts(unit, chance, happened, after, before))
    unit, limit, pr = np.array(named).T
    yield interval_row("rate.grade", Said(unit, 0.0, limit, pr, pr))


def _exact_chances(world: worlds.World) -> pd.DataFrame:
    """Return, by player and limit, the chances of one who knows the populations.

    The chances are those after the matches, and those before.
    """
    sums = world.matches.groupby("player")[[*worlds.ERRORS, *worlds.COUNTS]].sum()
    moves = sums["unforced_moves"].to_numpy()
    pr = (
        500
        * (sums["chequer_error_emg"] + sums["cube_error_emg"])
        / (moves + sums["close_cube_decisions"])
    )
    points = float((world.long_run / world.pr).median())
    known = worlds.reference(
        (pr * points).to_numpy() ** 0.25, worlds.field().scatter / moves, world.kinds
    )
    mean, sd = np.array(world.kinds).T
    chances = {
        limit: list(
            zip(
                known.below((limit * points) ** 0.25),
                np.full(len(pr), special.ndtr(((limit * points) ** 0.25 - mean) / sd).mean()),
                strict=True,
            )
        )
        for limit in LIMITS
    }
    return pd.DataFrame(chances, index=sums.index)


def _trend(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of the bands round curves of ratings and of PR: a point from few matches."""
    rated, of_pr = [], []
    for unit in range(scale.units(UNITS)):
        window = WINDOWS[unit % len(WINDOWS)]
        world = worlds.people(rng, unit // len(WINDOWS), 2, window)
        number, names = pd.factorize(world.matches["player"], sort=True)
        found = ratings(
            errors_of(world.matches, worlds.model()), number, worlds.model().formula, worlds.OFFSET
        )
        truth = worlds.OFFSET - world.loss.loc[list(names)].to_numpy()
        rated.append(found[["low", "high", "rating"]].assign(truth=truth, unit=unit))
        pr = pr_players(world.matches).set_index("player")
        half = quantile(CONFIDENCE, window - 1.0) * pr["own_se"]
        ends = {"low": pr["loss"] - half, "high": pr["loss"] + half, "pr": pr["loss"]}
        of_pr.append(pd.DataFrame(ends).assign(truth=world.pr, unit=unit))
    for figure, shown in (("rate.trend", rated), ("rate.pr_trend", of_pr)):
        low, high, value, truth, units = pd.concat(shown).to_numpy(float).T
        yield interval_row(figure, Said(units, low, high, value, truth))


def _strangers(
    scale: Scale, rng: np.random.Generator, name: str, levels: worlds.Levels
) -> Iterator[Row]:
    """Yield the rows of levels as players.

    There are single pairs with 1, 2 and 5 matches, and collections of 15 pairs.
    """
    for pairs, matches in ((1, 1), (1, 2), (1, 5), (15, 1)):
        made = [levels.world(rng, pairs, matches) for _ in range(scale.units())]
        shown = pd.concat(
            [_ratings(world).assign(unit=unit) for unit, world in enumerate(made)],
            ignore_index=True,
        )
        of = f"{name}, {pairs} pairs, {matches} matches"
        yield from _by_rating("rate.stranger", shown, ("rating", "ci_low", "ci_high"), of)
