"""The champion: who holds the title in the long run, if the holder always plays an opponent drawn at random.

P_ij = [(L_ij + W_ji) / 2 + (D_ij + D_ji) / 4] / (players - 1) with the rates of each cell, i the holder, W and L the
first player's; the diagonal is the rest. p(Champion) is its stationary distribution (Murphy 2019).
"""

import numpy as np

from bgrating.ratings.cells import Cells
from bgrating.ratings.games import RatingsError


def transition(cells: Cells) -> np.ndarray:
    """Return the matrix of the title's moves. Raises RatingsError where a pair never met in one of its seats."""
    games = cells.games.astype(float)
    np.fill_diagonal(games, 1.0)
    require_full(cells)
    win, loss, draw = cells.wins / games, cells.losses / games, cells.draws / games
    moves: np.ndarray = ((loss + win.T) / 2 + (draw + draw.T) / 4) / (len(games) - 1)
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    return moves


def stationary(moves: np.ndarray) -> np.ndarray:
    """Return the distribution p with p = p P and sum 1.

    There is exactly one: of two players at least one takes the title from the other now and then.
    """
    size = len(moves)
    system = np.vstack([(moves.T - np.eye(size))[:-1], np.ones(size)])
    found = np.linalg.solve(system, np.append(np.zeros(size - 1), 1.0))
    return np.asarray(np.clip(found, 0.0, 1.0))


def p_champion(cells: Cells) -> np.ndarray:
    """Return p(Champion) of every player, in the order of the cells' players."""
    return stationary(transition(cells))


def require_full(cells: Cells) -> None:
    """Raise RatingsError where there are no two players, or where an ordered pair never met."""
    if len(cells.players) < 2:
        raise RatingsError("Elo World needs two players at least")
    empty = cells.games == 0
    np.fill_diagonal(empty, val=False)
    if empty.any():
        places = np.argwhere(empty)
        some = "; ".join(f"{cells.players[i]} first against {cells.players[j]}" for i, j in places[:3])
        raise RatingsError(
            f"Elo World needs games of every ordered pair; {len(places)} of {empty.size - len(empty)} pairs never met: "
            f"{some}{'; …' if len(places) > 3 else ''}. Let them play, name players who all met (subset=NAME,…), or "
            "leave eloworld out of method="
        )
