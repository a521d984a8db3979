"""Elo World (Murphy 2019): Elo over a balanced sample of a tournament's cells, many passes, many runs.

n is the least number of games of an off-diagonal cell. n games of every cell are sampled without replacement, self-play
is left out. A run starts with 1000 points for all and makes 20 passes over the sample with k from 10 down to 1/2.

p(Champion) is the share of time that a player holds the title, if the holder always plays an opponent drawn at random.
It is the stationary distribution of P_ij = [(L_ij + W_ji) / 2 + (D_ij + D_ji) / 4] / (players - 1). W, L and D are the
rates of each cell, i holds the title, and the diagonal is the rest.
"""

import math
from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from bgrating.league.cells import PairCounts, cells_of, matrices
from bgrating.league.games import players_of
from bgrating.league.settings import ABSENT, GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.intervals import CONFIDENCE

RUNS, PASSES, START = 19, 20, 1000.0
MOST = 5e8  # games over all runs and passes; some minutes
ABLATIONS, DROPPED = 40, 0.2  # how often players are dropped at random, and the share of them that is dropped
ABLATION = ["ablation", "player", "elo", "p_champion_times_players"]
_LOGIT = math.log(10) / 400


def problem(settings: RatingsSettings, field: GamesToRate) -> str:
    """Return why Elo World cannot rate these games, or nothing."""
    games, names = field.games, list(dict.fromkeys(settings.subset)) or players_of(field.games)
    pairs = games[games["first"].isin(names) & games["second"].isin(names)].groupby(["first", "second"])["count"].sum()
    try:
        cells_of(games)
        if field.seats or len(names) < 2:
            require_full(set(pairs.index), names)
    except RatingsError as problem:
        return str(problem)
    if len(pairs) < len(names) * (len(names) - 1):
        return f"{ABSENT} matches of every pair in both orders, which eloworld needs"
    work = float(pairs.min()) * len(pairs) * PASSES * RUNS
    if work <= MOST:
        return ""
    hours = work / 2.5e6 / 3600
    return f"Elo World plays every game {PASSES * RUNS} times over: about {hours:.1f} hours; name players (--subset)"


def rated(settings: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate a tournament. Self-play is not rated, but the picture shows it."""
    from bgrating.league.outcomes import picture  # noqa: PLC0415 - few lists are tournaments

    every = cells_of(pd.concat([field.games, field.self_play], ignore_index=True))
    cells = matrices(every, list(dict.fromkeys(settings.subset)) or None)
    full = elo_world(cells, settings.seed)
    full = with_ablation(full, ablation(cells, full, settings.seed))
    rising = full.iloc[::-1]
    files = {
        "eloworld.csv": full,
        "outcomes.png": picture(cells.of(rising["player"].tolist()), rising["elo"].tolist()),
        **({"diluted.csv": comparable(full, settings.diluted)} if settings.diluted else {}),
    }
    about = {"seed": settings.seed, "runs": RUNS, "passes": PASSES}
    return MethodRatings(files, None, about)


def sample(cells: PairCounts, seed: int) -> tuple[PairCounts, int]:
    """Draw n games of every off-diagonal cell without replacement, n the least number of games of one of them."""
    off = ~np.eye(len(cells.players), dtype=bool)
    least = int(cells.games[off].min())
    random = np.random.default_rng(seed)
    columns = np.stack([cells.wins[off], cells.losses[off], cells.draws[off]], axis=1)
    drawn = np.stack([random.multivariate_hypergeometric(cell, least, method="marginals") for cell in columns])
    parts = []
    for column in drawn.T:
        matrix = np.zeros_like(cells.wins)
        matrix[off] = column
        parts.append(matrix)
    return PairCounts(cells.players, *parts), least


def _run(random: np.random.Generator, sampled: PairCounts, passes: int) -> list[float]:
    """Play one run of Elo World over sampled cells and return the ratings.

    A pass has as many rounds as a cell has games. A round takes all cells in a new order, and of each one of the games
    that remain in this pass. A rating depends on the game before it, so arrays do not help.
    """
    off = ~np.eye(len(sampled.players), dtype=bool)
    rounds = int(sampled.games[0, 1])  # as in every other cell of a sample
    first, second, wins, losses = (one.tolist() for one in (*np.nonzero(off), sampled.wins[off], sampled.losses[off]))
    order, rating = list(range(len(first))), [START] * len(sampled.players)
    swaps = len(order) - 1
    for number in range(passes):
        k = 10.0 * (passes - number) / passes
        won, lost = wins.copy(), losses.copy()
        for remaining in range(rounds, 0, -1):
            draws = random.random(swaps + len(order)).tolist()
            for last, draw in zip(range(swaps, 0, -1), draws[:swaps], strict=True):
                other = int(draw * (last + 1))
                order[last], order[other] = order[other], order[last]
            for cell, draw in zip(order, draws[swaps:], strict=True):
                drawn, score = int(draw * remaining), 0.5
                if drawn < won[cell]:
                    score = 1.0
                    won[cell] -= 1
                elif drawn < won[cell] + lost[cell]:
                    score = 0.0
                    lost[cell] -= 1
                a, b = first[cell], second[cell]
                change = k * (score - 1.0 / (1.0 + math.exp((rating[b] - rating[a]) * _LOGIT)))
                rating[a] += change
                rating[b] -= change
    return rating


def runs(sampled: PairCounts, number: int, seed: int, passes: int = PASSES) -> np.ndarray:
    """Run `number` times over sampled cells; one row a run, one column a player.

    Run r is the same whatever the number of runs is.
    """
    children = np.random.SeedSequence(seed).spawn(number)
    return np.array([_run(np.random.default_rng(child), sampled, passes) for child in children])


def low_median_high(ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the 5th, the 10th and the 13th of 19 sorted runs, the places that the original program takes.

    The 13th is no quartile: that would be the 15th.
    """
    ranked = np.sort(ratings, axis=0)
    number = len(ranked)
    return ranked[number // 4], ranked[number // 2], ranked[number // 4 * 3]


def elo_world(cells: PairCounts, seed: int, passes: int = PASSES) -> pd.DataFrame:
    """Rate the players of a full table of cells, best first (ratings/eloworld without the intervals).

    p(Champion) is from all games, not the sample.
    """
    champion = p_champion(cells)
    sampled, least = sample(cells, seed)
    low, median, high = low_median_high(runs(sampled, RUNS, seed, passes))
    table = pd.DataFrame(
        {
            "player": cells.players,
            "elo": median,
            "elo_p25": low,
            "elo_p75": high,
            "p_champion": champion,
            "p_champion_times_players": champion * len(cells.players),
            "games_per_cell": least,
        }
    )
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)


def ablation(cells: PairCounts, full: pd.DataFrame, seed: int, number: int = ABLATIONS) -> pd.DataFrame:
    """Rate again and again with a fifth of the players (one at least, two remain) dropped at random.

    One row per ablation and remaining player (ABLATION). `elo` is of one run, shifted so that the remaining
    players have their mean in the full table. Otherwise dropping strong players would lift all others. Empty where
    there are fewer than three players.
    """
    size = len(cells.players)
    kept = min(size - 1, max(2, size - round(DROPPED * size)))
    full_elo = full.set_index("player")["elo"]
    rows: list[tuple[Any, ...]] = []
    for index, child in enumerate(np.random.SeedSequence([seed, 1]).spawn(number if size > 2 else 0)):
        stay = np.sort(np.random.default_rng(child).permutation(size)[:kept])
        part = cells.of([cells.players[i] for i in stay])
        part_seed = int(child.generate_state(1)[0])
        rating = runs(sample(part, part_seed)[0], 1, part_seed)[0]
        champion = p_champion(part) * kept
        level = full_elo[list(part.players)].mean() - rating.mean()
        rows += zip([index] * kept, part.players, rating + level, champion, strict=True)
    return pd.DataFrame(rows, columns=ABLATION)


def with_ablation(full: pd.DataFrame, ablated: pd.DataFrame) -> pd.DataFrame:
    """Add intervals to a table of ratings (ratings/eloworld): 90 % of what ablations deviate from their median.

    The deviations are put around the rating of all players, since the ablations have another field and its median.
    """
    tail = (1 - CONFIDENCE) / 2
    table = full.copy()
    for column, prefix, scale in (("elo", "", 1.0), ("p_champion_times_players", "p_champion_", len(full))):
        of_player = ablated.groupby("player")[column]
        for share, end in ((tail, "ci_low"), (1 - tail, "ci_high")):
            off = (of_player.quantile(share) - of_player.median()) / scale if len(ablated) else pd.Series(dtype=float)
            table[f"{prefix}{end}"] = table[prefix.rstrip("_") or column] + full["player"].map(off).astype(float)
    ends = ["p_champion_ci_low", "p_champion_ci_high"]
    table[ends] = table[ends].clip(0.0, 1.0)
    return table


def transition(cells: PairCounts) -> np.ndarray:
    """Return the matrix of the title's moves, of players all of whom met in both seats."""
    games = cells.games.astype(float)
    np.fill_diagonal(games, 1.0)
    win, loss, draw = cells.wins / games, cells.losses / games, cells.draws / games
    moves: np.ndarray = ((loss + win.T) / 2 + (draw + draw.T) / 4) / (len(games) - 1)
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    return moves


def stationary(moves: np.ndarray) -> np.ndarray:
    """Return the distribution p with p = p P and sum 1.

    It is unique: of two players at least one sometimes takes the title from the other.
    """
    size = len(moves)
    system = np.vstack([(moves.T - np.eye(size))[:-1], np.ones(size)])
    return np.asarray(np.clip(np.linalg.solve(system, np.append(np.zeros(size - 1), 1.0)), 0.0, 1.0))


def p_champion(cells: PairCounts) -> np.ndarray:
    """Return p(Champion) of every player; every ordered pair must have met."""
    return stationary(transition(cells))


def require_full(met: Set[tuple[str, str]], players: Sequence[str]) -> None:
    """Raise RatingsError for fewer than two players, and for ordered pairs that never met."""
    if len(players) < 2:
        raise RatingsError("Elo World needs two players at least")
    every = len(players) * (len(players) - 1)
    missing = ((a, b) for a in players for b in players if a != b and (a, b) not in met)
    some = [f"{first} first against {second}" for first, second in islice(missing, 3)]
    if some:
        number = every - sum(a != b for a, b in met)
        raise RatingsError(
            f"Elo World needs games of every ordered pair; {number:,} of {every:,} pairs never met: "
            f"{'; '.join(some)}{'; …' if number > len(some) else ''}. Let them play, name players who all met "
            "(--subset NAME,…), or leave eloworld out of --method"
        )


def comparable(ratings: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """Return for every player the share of weak moves at which a diluted player would have the same rating.

    `ratings` has `player`, `elo`, `ci_low`, `ci_high`; `shares` has the share of weak moves of the diluted players (0
    to 1). Returns ratings/diluted: shares are interpolated between the two diluted players around a rating. Beyond the
    last diluted player there is no share and only one name. Raises RatingsError for shares outside 0 to 1 or equal,
    fewer than two diluted players, and ratings that do not fall as the share grows.
    """
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise RatingsError(f"diluted={name}={share:g}: a share of moves is 0 to 1")
    if len(set(shares.values())) != len(shares) or len(shares) < 2:
        raise RatingsError("diluted: two diluted players at least, of different shares, are needed")
    by_name = ratings.set_index("player")["elo"]
    names = sorted(shares, key=lambda name: -shares[name])
    known, elo = np.array([shares[name] for name in names]), by_name[names].to_numpy(float)
    for weaker, stronger, rise in zip(names, names[1:], np.diff(elo), strict=False):
        if rise <= 0:
            raise RatingsError(f"diluted: {weaker} is diluted more than {stronger}, but rated no lower")

    place = np.searchsorted(elo, ratings["elo"], side="right")
    table = pd.DataFrame({"player": ratings["player"], "elo": ratings["elo"]})
    for column, rating in (("share", "elo"), ("share_low", "ci_high"), ("share_high", "ci_low")):
        table[column] = np.interp(ratings[rating], elo, known, left=np.nan, right=np.nan)
    table["below"] = np.array(["", *names], dtype=object)[place]
    table["above"] = np.array([*names, ""], dtype=object)[place]
    return table
