"""What games cannot tell: players that nothing links, and players whose score runs off to infinity.

A maximum of the likelihood exists where every player can be reached from every other along games that the one won (a
draw is half a win for both): Ford (1957). Where it does not, some players are separated: no finite score fits best.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from bgrating.ratings.games import indices


def components(games: pd.DataFrame, players: Sequence[str], anchors: Sequence[str] = ()) -> np.ndarray:
    """Give every player the number of the group that games link him to, the largest 0; anchors link one another."""
    first, second = indices(games, players)
    first, second = _with_links(first, second, players, anchors)
    return _by_size(_graph(first, second, len(players)), "weak")


def separated(games: pd.DataFrame, players: Sequence[str], anchors: Sequence[str] = ()) -> np.ndarray:
    """Tell which players of a linked group are separated from its main part.

    The main part is the largest set of players each of whom beat each other directly or through others. Where it is one
    player alone, all are separated. Several anchors are held together by their scores.
    """
    first, second = indices(games, players)
    score = games["first_score"].to_numpy(float)
    winner = np.concatenate([first[score > 0], second[score < 1]])
    loser = np.concatenate([second[score > 0], first[score < 1]])
    if len(anchors) > 1:
        winner, loser = _with_links(winner, loser, players, anchors)
        winner, loser = _with_links(winner, loser, players, list(anchors)[::-1])
    group = _by_size(_graph(winner, loser, len(players)), "strong")
    main = group == 0
    return ~main if main.sum() > 1 or len(players) == 1 else np.ones(len(players), dtype=bool)


def separable(design: np.ndarray, successes: np.ndarray, failures: np.ndarray) -> bool:
    """Tell whether a logistic regression has no finite maximum: some direction fits every row at least as well.

    Rows with both outcomes allow only directions that leave them alone; among these a linear programme looks for one
    that improves another row (Konis 2007).
    """
    both = design[(successes > 0) & (failures > 0)]
    if np.linalg.matrix_rank(both.T @ both, hermitian=True) == design.shape[1]:
        return False
    one = (successes > 0) != (failures > 0)
    better = design[one] * np.where(successes[one] > 0, 1.0, -1.0)[:, None]
    if not len(better):
        return False
    # Rows of one scale: a slope that is counted in points would fall below the programme's tolerance.
    better, both = (rows / np.maximum(np.abs(design).max(axis=0), 1e-300) for rows in (better, both))
    found = linprog(
        -better.sum(axis=0),
        A_ub=-better,
        b_ub=np.zeros(len(better)),
        A_eq=both if len(both) else None,
        b_eq=np.zeros(len(both)) if len(both) else None,
        bounds=(-1, 1),
    )
    return bool(found.status == 0 and -found.fun > 1e-6)


def _graph(start: np.ndarray, end: np.ndarray, size: int) -> coo_array:
    return coo_array((np.ones(len(start)), (start, end)), shape=(size, size))


def _with_links(
    start: np.ndarray, end: np.ndarray, players: Sequence[str], anchors: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    place = [list(players).index(name) for name in anchors]
    return np.append(start, place[:-1]).astype(int), np.append(end, place[1:]).astype(int)


def _by_size(graph: coo_array, connection: str) -> np.ndarray:
    """Give every place the number of its connected part, the largest 0, of equals the first."""
    number, labels = connected_components(graph, directed=True, connection=connection)
    order = np.argsort(-np.bincount(labels, minlength=number), kind="stable")
    return np.asarray(np.argsort(order)[labels])
