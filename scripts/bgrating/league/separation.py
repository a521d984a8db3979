"""What games cannot tell: players that nothing links, and players whose score runs off to infinity.

A maximum of the likelihood exists where every player can be reached from every other along games that the one won (a
draw is half a win for both): Ford (1957). Where it does not, some players are separated: no finite score fits best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg.lapack import dpstrf
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components, minimum_spanning_tree
from scipy.sparse.linalg import spsolve

from bgrating.league.games import indices


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


@dataclass(frozen=True)
class Rows:
    """Rows of the regression: differences of scores (a column per player), seats, outcomes of the first player."""

    differences: csr_array
    seats: np.ndarray
    successes: np.ndarray
    failures: np.ndarray


def independent(rows: Rows, names: Sequence[str], anchors: Mapping[str, float], *, bias: bool) -> bool:
    """Tell whether the games can tell bias and scale from the scores, and from each other; players must be linked.

    What scores can explain of a column they explain along a spanning tree of the games, one row a player. With the
    scores that this gives, the other rows show what is left of the column.
    """
    levels = np.array([anchors.get(name, 0.0) for name in names]) - next(iter(anchors.values()), 0.0)
    columns = [rows.differences @ np.where([name in anchors for name in names], levels, 0.0)] * (len(anchors) > 1)
    columns += [rows.seats] * bias
    held = np.array([name in anchors for name in names]) if anchors else np.arange(len(names)) == 0
    node = np.where(held, 0, np.cumsum(~held))
    games = rows.differences[rows.seats > 0].tocoo()
    first, second = (node[games.col[games.data == sign][np.argsort(games.row[games.data == sign])]] for sign in (1, -1))
    edges = pd.DataFrame({"a": np.minimum(first, second), "b": np.maximum(first, second), "row": np.arange(len(first))})
    edges = edges[edges["a"] != edges["b"]].drop_duplicates(["a", "b"])
    size = int(node.max()) + 1
    tree = minimum_spanning_tree(coo_array((edges["row"] + 1.0, (edges["a"], edges["b"])), shape=(size, size)).tocsr())
    branches = tree.data.astype(int) - 1
    free = rows.differences[:, ~held]
    column = np.stack(columns, axis=1)
    scores = spsolve(free[branches].tocsc(), column[branches]).reshape(len(branches), len(columns))
    left = column - free @ scores
    scale = np.maximum(np.abs(column).max(axis=0), 1e-300)
    return bool(np.linalg.matrix_rank(left / scale, tol=1e-9 * len(names)) == len(columns))


def bias_is_bounded(rows: Rows) -> bool:
    """Tell that no bias, however large, agrees with all results between some of the players; False leaves it open.

    A bias b > 0 agrees with them where scores exist with score(loser) <= score(winner) + b where the winner sat first,
    and - b where he sat second: where the graph of these distances has no cycle below zero (Bellman and Ford).
    """
    games = rows.differences[rows.seats > 0].tocoo()
    first, second = (games.col[games.data == sign][np.argsort(games.row[games.data == sign])] for sign in (1, -1))
    won, lost = (outcome[rows.seats > 0] > 0 for outcome in (rows.successes, rows.failures))
    for sign in (1.0, -1.0):
        arcs = pd.DataFrame(
            {
                "start": np.append(first[won], second[lost]),
                "end": np.append(second[won], first[lost]),
                "length": np.append(np.full(won.sum(), sign), np.full(lost.sum(), -sign)),
            }
        )
        arcs = arcs.groupby(["start", "end"], as_index=False)[["length"]].min()
        size = rows.differences.shape[1]
        graph = coo_array((arcs["length"], (arcs["start"], arcs["end"])), shape=(size, size)).tocsr()
        try:
            bellman_ford(graph, indices=int(np.bincount(arcs["start"]).argmax()))
        except NegativeCycleError:
            continue
        return False
    return True


def full_rank(matrix: csr_array) -> bool:
    """Tell whether the columns of a sparse matrix are independent: Cholesky's method with pivoting finds the rank."""
    gram = (matrix.T @ matrix).toarray()
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    _, _, rank, _ = dpstrf(gram / scale / scale[:, None], lower=1)
    return bool(rank == matrix.shape[1])


def separable(design: csr_array, successes: np.ndarray, failures: np.ndarray) -> bool:
    """Tell whether a logistic regression has no finite maximum: some direction fits every row at least as well.

    Rows with both outcomes allow only directions that leave them alone; among these a linear programme looks for one
    that improves another row (Konis 2007).
    """
    both = design[(successes > 0) & (failures > 0)]
    if full_rank(both):
        return False
    one = (successes > 0) != (failures > 0)
    better = design[one] * np.where(successes[one] > 0, 1.0, -1.0)[:, None]
    if not better.shape[0]:
        return False
    # Rows of one scale: a slope that is counted in points would fall below the programme's tolerance.
    scale = 1 / np.maximum(abs(design).max(axis=0).toarray().ravel(), 1e-300)
    better, both = (csr_array(rows * scale) for rows in (better, both))
    found = linprog(
        -better.sum(axis=0),
        A_ub=-better,
        b_ub=np.zeros(better.shape[0]),
        A_eq=both if both.shape[0] else None,
        b_eq=np.zeros(both.shape[0]) if both.shape[0] else None,
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
