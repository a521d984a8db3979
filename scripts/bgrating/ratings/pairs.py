"""Tables of pairs: totals of both seats, what moving first is worth, Elo beside the odds, target matrix."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bgrating.ratings.games import indices, players_of


def pooled(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the player of the row scored against the player of the column in both seats, and the games."""
    first, second = indices(games, players)
    here = (first >= 0) & (second >= 0)
    count = games.loc[here, "count"].to_numpy(float)
    scored, played = np.zeros((2, len(players), len(players)))
    np.add.at(scored, (first[here], second[here]), count * games.loc[here, "first_score"].to_numpy(float))
    np.add.at(played, (first[here], second[here]), count)
    return scored + (played - scored).T, played + played.T


def target(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's, both seats pooled; nan where they never met."""
    scored, played = pooled(games, players)
    with np.errstate(invalid="ignore"):
        return pd.DataFrame(scored / played, index=list(players), columns=list(players))


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` (a draw is half a win) and `games`."""
    seats = first_mover(games)
    wins, number = seats["wins_first"] + seats["wins_second"], seats["games_first"] + seats["games_second"]
    return pd.DataFrame({"player": seats["player"], "wins": wins, "games": number})


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return what each player scored moving first and second: `player`, `wins_first`, `games_first`, … `_second`."""
    players = players_of(games)
    score, count = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    table = pd.DataFrame({"player": players})
    for seat, place, own in zip(("first", "second"), indices(games, players), (score, 1 - score), strict=True):
        table[f"wins_{seat}"] = np.bincount(place, count * own, len(players))
        table[f"games_{seat}"] = np.bincount(place, count, len(players)).astype(int)
    return table


def odds_beside_elo(games: pd.DataFrame, ratings: pd.Series) -> pd.DataFrame:
    """Set the odds of each pair that met beside those of its ratings (a series by player).

    Columns: `player_p`, `player_q`, `p_wins`, `q_wins` (a draw is half a win for each), `r_pq` = p / (1 - p) with p the
    share that P won, `d` = rating of P less that of Q, `ten_pow_d_400` = 10^(d / 400), the odds that the ratings give.
    """
    turned = (games["first"] > games["second"]).to_numpy(bool)
    score, count = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    p_wins = count * np.where(turned, 1 - score, score)
    long = pd.DataFrame(
        {
            "player_p": np.where(turned, games["second"], games["first"]),
            "player_q": np.where(turned, games["first"], games["second"]),
            "p_wins": p_wins,
            "q_wins": count - p_wins,
        }
    )
    table = long.groupby(["player_p", "player_q"], as_index=False).sum()
    with np.errstate(divide="ignore"):
        table["r_pq"] = table["p_wins"].to_numpy() / table["q_wins"].to_numpy()
    table["d"] = (table["player_p"].map(ratings) - table["player_q"].map(ratings)).astype(float)
    return table.assign(ten_pow_d_400=10 ** (table["d"] / 400))
