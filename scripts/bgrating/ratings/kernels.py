"""The two loops over single games, compiled: a rating depends on the game before it, so arrays do not help."""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

LOG_COLUMNS = 6
"""Columns of a log: rating before, rating after and games of the first player, then of the second."""

_LOGIT = math.log(10) / 400


def _sequential(
    first: np.ndarray, second: np.ndarray, score: np.ndarray, rating: np.ndarray, games: np.ndarray, log: np.ndarray
) -> None:
    """Rate games one by one, K = 800 / games of each player; change `rating` and `games`, fill the log if it has rows.

    A game counts before its K is taken, and both expectations come from the ratings before the game.
    """
    for i in range(len(first)):
        a, b = first[i], second[i]
        before_a, before_b = rating[a], rating[b]
        expected = 1.0 / (1.0 + 10.0 ** ((before_b - before_a) / 400.0))
        games[a] += 1.0
        games[b] += 1.0
        rating[a] = before_a + 800.0 / games[a] * (score[i] - expected)
        rating[b] = before_b + 800.0 / games[b] * (expected - score[i])
        if len(log):
            log[i, 0], log[i, 1], log[i, 2] = before_a, rating[a], games[a]
            log[i, 3], log[i, 4], log[i, 5] = before_b, rating[b], games[b]


def _elo_world_run(
    random: Any,
    first: np.ndarray,
    second: np.ndarray,
    wins: np.ndarray,
    losses: np.ndarray,
    rounds: int,
    passes: int,
    rating: np.ndarray,
) -> None:
    """Play one run of Elo World over cells of `rounds` games each (wins, losses of the first player); change `rating`.

    A pass has as many rounds as a cell has games. A round takes all cells in a new order, and of each one of the games
    that remain in this pass.
    """
    cells = len(first)
    order = np.arange(cells)
    won, lost = np.empty_like(wins), np.empty_like(losses)
    for number in range(passes):
        k = 10.0 * (passes - number) / passes
        won[:] = wins
        lost[:] = losses
        for done in range(rounds):
            remaining = rounds - done
            for last in range(cells - 1, 0, -1):
                other = int(random.random() * (last + 1))
                order[last], order[other] = order[other], order[last]
            for place in range(cells):
                cell = order[place]
                drawn = int(random.random() * remaining)
                score = 0.5
                if drawn < won[cell]:
                    score = 1.0
                    won[cell] -= 1
                elif drawn < won[cell] + lost[cell]:
                    score = 0.0
                    lost[cell] -= 1
                a, b = first[cell], second[cell]
                expected = 1.0 / (1.0 + math.exp((rating[b] - rating[a]) * _LOGIT))
                change = k * (score - expected)
                rating[a] += change
                rating[b] -= change


sequential: Callable[..., None] = numba.njit(_sequential)
elo_world_run: Callable[..., None] = numba.njit(_elo_world_run, nogil=True)
