"""Tables of pairs: totals of both seats, what moving first is worth, Elo beside the odds, target matrix."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bgrating.ratings.games import indices, players_of


def scores(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return two matrices by (first, second) seat: what the first player scored, and how many games there were."""
    first, second = indices(games, players)
    count = games["count"].to_numpy(float)
    scored, played = np.zeros((2, len(players), len(players)))
    np.add.at(scored, (first, second), count * games["first_score"].to_numpy(float))
    np.add.at(played, (first, second), count)
    return scored, played


def pooled(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the player of the row scored against the player of the column in both seats, and the games."""
    scored, played = scores(games, players)
    return scored + (played - scored).T, played + played.T


def target(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's, both seats pooled; nan where they never met."""
    scored, played = pooled(games, players)
    with np.errstate(invalid="ignore"):
        return pd.DataFrame(scored / played, index=list(players), columns=list(players))


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` (a draw is half a win) and `games`."""
    players = players_of(games)
    scored, played = pooled(games, players)
    return pd.DataFrame({"player": players, "wins": scored.sum(axis=1), "games": played.sum(axis=1).astype(int)})


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return what each player scored moving first and second: `player`, `wins_first`, `games_first`, … `_second`."""
    players = players_of(games)
    scored, played = scores(games, players)
    return pd.DataFrame(
        {
            "player": players,
            "wins_first": scored.sum(axis=1),
            "games_first": played.sum(axis=1).astype(int),
            "wins_second": (played - scored).sum(axis=0),
            "games_second": played.sum(axis=0).astype(int),
        }
    )


def odds_beside_elo(games: pd.DataFrame, ratings: pd.Series) -> pd.DataFrame:
    """Set the odds of each pair that met beside those of its ratings (a series by player).

    Columns: `player_p`, `player_q`, `p_wins`, `q_wins` (a draw is half a win for each), `r_pq` = p / (1 - p) with p the
    share that P won, `d` = rating of P less that of Q, `ten_pow_d_400` = 10^(d / 400), the odds that the ratings give.
    """
    players = players_of(games)
    scored, played = pooled(games, players)
    rows = [
        (players[i], players[j], scored[i, j], scored[j, i], float(ratings[players[i]] - ratings[players[j]]))
        for i in range(len(players))
        for j in range(i + 1, len(players))
        if played[i, j]
    ]
    table = pd.DataFrame(rows, columns=["player_p", "player_q", "p_wins", "q_wins", "d"])
    with np.errstate(divide="ignore"):
        table.insert(4, "r_pq", table["p_wins"].to_numpy() / table["q_wins"].to_numpy())
    return table.assign(ten_pow_d_400=10 ** (table["d"] / 400))
