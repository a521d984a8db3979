"""Make collections of matches whose players' truth is known.

They are of simulated people, and of levels of gnubg from frozen matches.

People. The fourth roots of losses are normal in each of four kinds of collections. Their means and
standard deviations are those of the project's own. A match has the numbers of decisions of a match
of the field. Its losses by chequer errors and by cube errors are gamma distributed. The fourth root
of their sum scatters as that of people. What the formula gives for a player in the long run misses
the true loss by the errors that the formula states.

Levels. A level is a player whose truth is the loss over all of its frozen matches; a match is drawn
from these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy import special

from bgrating.people.players import errors_of, stored_population
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import losses
from bgrating.rating.population import Population
from bgrating.rating.result_files import population_table, results_of
from bgrating.tables.table_files import read_table
from calibration.rows import Floats

ENGINE_VERSION, OFFSET = "1.08", 2050.0
KINDS = ((4.0, 0.354), (4.16, 0.35), (3.58, 0.242), (3.43, 0.192))
"""Mean and standard deviation of the roots in the collections: one man, one server, strong players,
title matches."""
CUBE_SHARE = 0.37
"""People's cube error per unforced move over their chequer error."""
COUNTS = ("unforced_moves", "close_cube_decisions")
ERRORS = ("chequer_error_emg", "cube_error_emg")
ABSENT = ("luck_mwc", "luck_adjusted_result", "recorded_rating", "net_luck_mwc", "won")


@dataclass(frozen=True)
class World:
    """A collection: its matches (as matches.csv) and the truth of its players.

    `loss` is the true loss, `long_run` what the formula gives for a player in the long run. `kinds`
    are the populations that the players may come from, equally likely: mean and standard deviation
    of roots.
    """

    matches: pd.DataFrame
    loss: pd.Series
    long_run: pd.Series
    pr: pd.Series
    kinds: tuple[tuple[float, float], ...]


@cache
def model() -> RatingModel:
    return choose("fitted", ENGINE_VERSION)


@cache
def stored() -> pd.DataFrame:
    return read_table(population_table(ENGINE_VERSION))


@cache
def field() -> Population:
    found = stored_population(stored(), model())
    assert found is not None
    return found


def people(rng: np.random.Generator, kind: int, players: int, matches: int) -> World:
    """Return a collection of people of one kind, each with so many matches.

    Players are paired at random.
    """
    mean, sd = KINDS[kind % len(KINDS)]
    length = float(rng.choice([5, 7, 9, 11]))
    a2, b = (model().formula.coefficient(name, length)[0] for name in ("a2", "b"))
    loss = np.maximum(rng.normal(mean, sd, players), 0.3) ** 4
    cube_share = CUBE_SHARE * np.exp(rng.normal(0, 0.2, players))
    epm = loss / (a2 + b * cube_share)
    number = np.concatenate([rng.permutation(players) for _ in range(matches)])
    counts = stored().query("match_length == @length")[list(COUNTS)].to_numpy(float)
    moves, close = counts[rng.integers(len(counts), size=len(number))].T
    moves = np.maximum(moves, 1.0)
    severity = 16 * field().scatter * loss[number] ** 0.5 / moves
    parts = (a2 * epm, b * cube_share * epm)
    drawn = [rng.gamma(part[number] / severity) * severity for part in parts]
    table = _sides(number, length, drawn[0] / a2 * moves, moves, drawn[1] / b * moves, close)
    share = counts[:, 1].sum() / counts[:, 0].sum()
    pr = 500 * epm * (1 + cube_share) / (1 + share)
    true_loss = loss + known_errors(loss, length) * rng.standard_normal(players)
    names = [f"p{one}" for one in range(players)]
    return World(table, *(pd.Series(each, names) for each in (true_loss, loss, pr)), KINDS)


def known_errors(loss: Floats, length: float) -> Floats:
    """Return the standard errors of losses by people's mixture of errors that the formula itself
    states.
    """
    formula = model().formula
    one, error = formula.rating_difference(length, epm=1.0, epc=CUBE_SHARE)
    return np.asarray(np.hypot(loss * error / one, player_scatter() * loss))


def player_scatter() -> float:
    """Return the scatter of a player round the formula, as a share of the loss."""
    return float(model().formula.metadata["tau"])


def _sides(number: Floats, length: float, *errors: Floats) -> pd.DataFrame:
    """Return the table of matches; two players in a row, in order, have met."""
    order = np.arange(len(number)) // 2
    other = np.arange(len(number)) ^ 1
    chequer, moves, cube, close = errors
    names = np.array([f"p{one:.0f}" for one in number])
    table = {
        "file": [f"{match}.mat" for match in order],
        "match": 1,
        "date": "",
        "player": names,
        "opponent": names[np.minimum(other, len(number) - 1)],
        "match_length": length,
        **dict(zip(ERRORS, (chequer, cube), strict=True)),
        **dict(zip(COUNTS, (moves, close), strict=True)),
        "close_cube_decisions_2003": close,
        **dict.fromkeys(ABSENT, np.nan),
    }
    return pd.DataFrame(table)


@dataclass(frozen=True)
class Levels:
    """Matches of levels against each other, one row per match and side, and the true loss of each
    level.
    """

    left: pd.DataFrame
    right: pd.DataFrame
    pairs: list[np.ndarray]
    loss: pd.Series

    def world(self, rng: np.random.Generator, pairs: int, matches: int) -> World:
        """Return a collection of so many pairs with so many matches each.

        A level in two pairs is one player.
        """
        chosen = [
            rng.choice(self.pairs[place], matches, replace=False)
            for place in rng.choice(len(self.pairs), pairs, replace=False)
        ]
        rows = np.concatenate(chosen)
        both = pd.concat([self.left.iloc[rows], self.right.iloc[rows]])
        roots = self.loss**0.25
        return World(
            both,
            self.loss,
            self.loss,
            self.loss * np.nan,
            ((float(roots.mean()), float(roots.std())),),
        )


@cache
def levels(blunders: bool) -> Levels:
    """Return the levels that err by blunders, or those that err by noise, of the studies `pairs`
    and `people-range`.
    """
    folders = [results_of(ENGINE_VERSION) / study / "frozen" for study in ("pairs", "people-range")]
    files = [path for folder in folders for path in sorted(folder.glob("*.parquet"))]
    table = pd.concat([pd.read_parquet(path) for path in files], ignore_index=True)
    are = [table[side].str.contains("blunders") == blunders for side in ("player", "opponent")]
    table = table[are[0] & are[1]].reset_index(drop=True)
    left, right = (
        _level_sides(table, side, other)
        for side, other in (("player", "opponent"), ("opponent", "player"))
    )
    sides = pd.concat([left, right])
    number, names = pd.factorize(sides["player"])
    loss = losses(errors_of(sides, model()), number, model().formula)["loss"]
    grouped = table.groupby(["match_length", "player", "opponent"]).indices
    return Levels(left, right, list(grouped.values()), pd.Series(loss.to_numpy(), names))


def _level_sides(table: pd.DataFrame, side: str, other: str) -> pd.DataFrame:
    names = [*ERRORS, *COUNTS, "close_cube_decisions_2003"]
    own = table[[f"{side}_{name}" for name in names]].set_axis(names, axis=1)
    file = [f"{match}.mat" for match in range(len(table))]
    about = {"file": file, "match": 1, "date": "", "player": table[side], "opponent": table[other]}
    return own.assign(match_length=table["match_length"], **about, **dict.fromkeys(ABSENT, np.nan))


@dataclass(frozen=True)
class Known:
    """What one knows of true roots who knows the populations and the scatter (kinds by players)."""

    weight: Floats
    mean: Floats
    sd: Floats

    def below(self, root: float) -> Floats:
        return np.asarray((self.weight * special.ndtr((root - self.mean) / self.sd)).sum(axis=0))


def reference(root: Floats, variance: Floats, kinds: Sequence[tuple[float, float]]) -> Known:
    """Return what the players' own roots tell of the true ones.

    All players of a collection are of one kind.
    """
    mean, sd = (np.array(values)[:, None] for values in zip(*kinds, strict=True))
    total = sd**2 + variance
    likelihood = (-((root - mean) ** 2) / total / 2 - np.log(total) / 2).sum(axis=1, keepdims=True)
    share = sd**2 / total
    weight = special.softmax(likelihood, axis=0) * np.ones(len(root))
    return Known(weight, mean + share * (root - mean), np.sqrt(share * variance))


def intervals(loss: Floats, moves: Floats, known_se: Floats, world: World) -> Floats:
    """Return the ends and the mean of the losses by one who knows the populations and the scatter.

    That one sees the same matches. The columns are low, high and mean.
    """
    known = reference(np.maximum(loss, 0.0) ** 0.25, field().scatter / moves, world.kinds)
    grid = np.linspace(0.2, 8.0, 400)
    below = np.array([known.below(root) for root in grid])
    tails = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    ends = np.array([[np.interp(tail, of_player, grid) for tail in tails] for of_player in below.T])
    ends = ends.reshape(-1, 2) ** 4  # a collection may have no rated player
    fourth = known.mean**4 + 6 * known.mean**2 * known.sd**2 + 3 * known.sd**4
    middle = (known.weight * fourth).sum(axis=0)
    shared = quantile(CONFIDENCE) * known_se
    low = middle - np.hypot(middle - ends[:, 0], shared)
    high = middle + np.hypot(ends[:, 1] - middle, shared)
    return np.column_stack([low, high, middle])


def collections(rng: np.random.Generator, count: int) -> Iterator[tuple[int, World]]:
    """Yield collections of people with their number.

    In turn they are a match, a dozen matches and a club, of all kinds.
    """
    sizes = ((2, 1), (2, 2), (2, 5), (8, 3), (30, 2))
    for number in range(count):
        players, matches = sizes[number % len(sizes)]
        yield number, people(rng, number // len(sizes), players, matches)
