"""Elo World (Murphy 2019).

It is Elo over a balanced sample of a tournament's cells, in many passes and many runs.

n is the smallest number of games of an off-diagonal cell. n games of every cell are sampled without
replacement; self-play is left out. A run starts with 1000 points for all players. It makes 20
passes over the sample with k from 10 down to 1/2, each in a new random order.

p(Champion) is the share of time that a player holds the title, if the holder always plays a random
opponent. It is the stationary distribution of P_ij = [(L_ij + W_ji) / 2 + (D_ij + D_ji) / 4] /
(players - 1), where i holds the title. W, L and D are the rates of each cell. Each row of P has the
sum 1.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from bgleague.games import players_of
from bgleague.pair_counts import PairCounts, pair_counts
from bgleague.settings import (
    ABSENT,
    ELO_SLOPE,
    ByPlayer,
    GamesToRate,
    MethodRatings,
    RatingsError,
    RatingsSettings,
)
from bgrating.rating.fibs_formula import Floats

RUNS = 19
PASSES = 20
START = 1000.0
LOW = 4
MEDIAN = 9
HIGH = 12
"""Ranks of sorted runs from 0, as in the original program; its upper quartile has rank 12 instead
of 14."""
MOST_SAMPLED = 2_000_000
"""Largest number of games of a sample, which takes half a minute."""


def problem(settings: RatingsSettings, games: GamesToRate) -> str:
    """Return why Elo World cannot rate these games, or nothing."""
    names = settings.subset or players_of(games.games)
    for row in games.games[~games.games["first_score"].isin([1.0, 0.5, 0.0])].itertuples():
        return (
            f"Elo World counts wins, draws and losses; row {row.row} has the score"
            f" {row.first_score:g}"
        )
    if len(names) < 2:
        return "Elo World needs two players at least"
    # Most lists are no tournaments, and matrices of all their players may not fit into the memory.
    met = set(zip(games.games["first"], games.games["second"], strict=True))
    for first, second in permutations(names, 2):
        if (first, second) in met:
            continue
        if not games.seats:
            return f"{ABSENT} matches of every pair in both orders, which eloworld needs"
        return (
            f"Elo World needs games of every ordered pair; {first} first against {second} never"
            " met. Let them play, name players who all met (--subset NAME,…), or leave eloworld out"
            " of --method"
        )
    sampled = pair_counts(games.games, names).least * len(names) ** 2
    if sampled <= MOST_SAMPLED:
        return ""
    return (
        f"Elo World goes through up to {MOST_SAMPLED:,} games, and these are {sampled:,}; leave it"
        " out of --method"
    )


def rate(settings: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate a tournament. Self-play is not rated, but the picture shows it."""
    from bgleague.outcomes import picture  # noqa: PLC0415 - few lists are tournaments

    names = settings.subset or players_of(games.games)
    full = elo_world(pair_counts(games.games, names), settings.seed)
    shown = pd.concat([games.games, games.self_play], ignore_index=True)
    rising = full.iloc[::-1]
    files = {
        "eloworld.csv": full,
        "outcomes.png": picture(
            pair_counts(shown, rising["player"].tolist()), rising["elo"].tolist()
        ),
    }
    if settings.diluted:
        files["diluted.csv"] = comparable(full, settings.diluted)
    return MethodRatings(files, None, {"seed": settings.seed, "runs": RUNS, "passes": PASSES})


def sample(cells: PairCounts, seed: int) -> PairCounts:
    """Draw n games of every off-diagonal cell without replacement.

    Here n is the smallest number of games of a cell.
    """
    least = cells.least
    random = np.random.default_rng(seed)
    drawn = np.zeros_like(cells.counts)
    for first, second in np.argwhere(~np.eye(len(cells.players), dtype=bool)):
        drawn[:, first, second] = random.multivariate_hypergeometric(
            cells.counts[:, first, second], least, method="marginals"
        )
    return PairCounts(cells.players, drawn)


@cache
def tours(players: int) -> np.ndarray:
    """Return the tours of a round robin by the circle method: (tours, games, 2).

    Nobody plays twice in a tour.
    """
    size = players + players % 2
    ring = np.arange(size)
    once = []
    for _ in range(size - 1):
        pairs = np.stack([ring[: size // 2], ring[::-1][: size // 2]], axis=1)
        once.append(pairs[(pairs < players).all(axis=1)])
        ring[1:] = np.roll(ring[1:], 1)
    return np.stack(once)


Draws = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What one run draws for a pass: the outcomes of every cell, and each round's tours and names."""


def draws(random: np.random.Generator, outcomes: np.ndarray, number_of_tours: int) -> Draws:
    """Shuffle the outcomes of every cell, (players, players, rounds), and for each round tours and
    players.

    A round takes one game of every cell. It has each tour of a round robin in both orders of its
    pairs.
    """
    size, rounds = outcomes.shape[1:]
    shuffled = random.permuted(outcomes, axis=2)
    order = random.permuted(np.tile(np.arange(number_of_tours), (rounds, 1)), axis=1)
    names = random.permuted(np.tile(np.arange(size), (rounds, 1)), axis=1)
    return shuffled, order, names


def one_pass(drawn: Sequence[Draws], once: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the games of a pass, a tour of all runs after another.

    A tour has its seats (2, games) and its outcomes (games). A seat is the index of a player in the
    ratings of all runs. Only a round is held at a time.
    """
    outcomes, order, names = map(np.stack, zip(*drawn, strict=True))
    runs, rounds, size = names.shape
    start = size * np.arange(runs)[:, None, None]
    outcomes = outcomes.transpose(3, 0, 1, 2).reshape(rounds, -1)
    for number in range(rounds):
        seats = names[:, number].ravel().take(once[order[:, number]] + start[..., None])
        cells = (start + seats[..., 0]) * size + seats[..., 1]
        of_tours = (seats + start[..., None]).transpose(1, 3, 0, 2).reshape(len(once), 2, -1)
        outcomes_of_tours = outcomes[number].take(cells).swapaxes(0, 1).reshape(len(once), -1)
        yield from zip(of_tours, outcomes_of_tours, strict=True)


def runs(sampled: PairCounts, number: int, seed: int, passes: int = PASSES) -> Floats:
    """Run `number` times over sampled cells; one row a run, one column a player.

    Run r does not depend on the number of runs. The games of a tour have different players, so the
    games of a tour are rated at once, for all runs together.
    """
    size = len(sampled.players)
    rounds = int(sampled.games[0, 1])  # as in every other cell of a sample
    round_index = np.arange(rounds)
    outcomes = np.full((size, size, rounds), -1, dtype=np.int8)
    wins, _, draws_of_cells = sampled.counts[..., None]
    outcomes[round_index < wins + draws_of_cells] = 0
    outcomes[round_index < wins] = 1
    once = tours(size)
    both_orders = np.concatenate([once, once[:, :, ::-1]])
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(number)]
    # A difference x of these strengths is a chance of (1 + tanh x) / 2, which numpy computes fast.
    unit = ELO_SLOPE / 2
    strength = np.full(number * size, START * unit)
    gain = np.array([[1.0], [-1.0]])
    for done in range(passes):
        k = 10.0 * (passes - done) / passes * unit / 2
        drawn = [draws(random, outcomes, len(both_orders)) for random in streams]
        for seats, outcome in one_pass(drawn, both_orders):
            before = strength.take(seats)
            change = k * (outcome - np.tanh(before[0] - before[1]))
            strength[seats] = before + change * gain
    return strength.reshape(number, size) / unit


def elo_world(cells: PairCounts, seed: int) -> pd.DataFrame:
    """Rate the players of a full table of cells, best first (ratings/eloworld).

    p(Champion) is from all games, not the sample.
    """
    champion = p_champion(cells)
    sampled = sample(cells, seed)
    ranked = np.sort(runs(sampled, RUNS, seed), axis=0)
    table = pd.DataFrame(
        {
            "player": cells.players,
            "elo": ranked[MEDIAN],
            "elo_p25": ranked[LOW],
            "elo_p75": ranked[HIGH],
            "p_champion": champion,
            "p_champion_times_players": champion * len(cells.players),
            "games_per_cell": sampled.games[0, 1],
        }
    )
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)


def transition(cells: PairCounts) -> Floats:
    """Return the transition matrix of the title; every ordered pair must have met."""
    games = cells.games.astype(float)
    np.fill_diagonal(games, 1.0)
    win, loss, draw = cells.counts / games
    moves: Floats = ((loss + win.T) / 2 + (draw + draw.T) / 4) / (len(games) - 1)
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    return moves


def stationary(moves: Floats) -> Floats:
    """Return the distribution p with p = p P and sum 1.

    It is unique, because of any two players at least one can take the title from the other.
    """
    size = len(moves)
    system = np.vstack([(moves.T - np.eye(size))[:-1], np.ones(size)])
    return np.asarray(np.linalg.solve(system, np.eye(size)[-1]).clip(0.0, 1.0))


def p_champion(cells: PairCounts) -> Floats:
    """Return p(Champion) of every player; every ordered pair must have met."""
    return stationary(transition(cells))


def comparable(ratings: pd.DataFrame, shares: ByPlayer) -> pd.DataFrame:
    """Return for every player the share of weak moves at which a diluted player has the same
    rating.

    `ratings` has the columns of ratings/eloworld; `shares` has the share of weak moves of the
    diluted players (0 to 1). Returns ratings/diluted: shares are interpolated between the two
    diluted players around a rating. Beyond the last diluted player there is no share and only one
    name. Raises RatingsError for fewer than two diluted players, and for shares that are equal or
    outside 0 to 1. Their ratings must fall as the share grows.
    """
    falling = pd.Series(dict(shares), dtype=float).sort_values(ascending=False)
    elo = ratings.set_index("player").loc[falling.index, "elo"]
    has_range = falling.is_unique and falling.between(0, 1).all()
    if len(elo) < 2 or not has_range or not (elo.is_unique and elo.is_monotonic_increasing):
        raise RatingsError(
            f"diluted: {', '.join(falling.index)} make no scale: name two players or more, with"
            " different shares from 0 to 1, whose ratings fall as the share grows"
        )
    table = ratings[["player", "elo"]].copy()
    for column, rating in (("share", "elo"), ("share_low", "elo_p75"), ("share_high", "elo_p25")):
        table[column] = np.interp(ratings[rating], elo, falling, left=np.nan, right=np.nan)
    rank = np.searchsorted(elo, ratings["elo"], side="right")
    ends = np.array(["", *falling.index, ""], dtype=object)
    table["below"] = ends[rank]
    table["above"] = ends[rank + 1]
    return table
