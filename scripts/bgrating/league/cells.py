"""Counts of pairs: results in both seats, results moving first, and the cells of a tournament.

A cell is an ordered pair of players: how often the first won, lost and drew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgrating.league.games import both_seats, players_of
from bgrating.league.settings import RatingsError

PAIR_COLUMNS = ["first", "second", "wins", "losses", "draws"]
_SCORES = {"wins": 1.0, "losses": 0.0, "draws": 0.5}


@dataclass(frozen=True)
class PairCounts:
    """Cells as matrices by (first, second) over a list of players."""

    players: tuple[str, ...]
    wins: np.ndarray
    losses: np.ndarray
    draws: np.ndarray

    @property
    def games(self) -> np.ndarray:
        return np.asarray(self.wins + self.losses + self.draws)

    def of(self, players: Sequence[str]) -> "PairCounts":
        place = [self.players.index(name) for name in players]
        square = np.ix_(place, place)
        return PairCounts(tuple(players), self.wins[square], self.losses[square], self.draws[square])


def cells_of(games: pd.DataFrame) -> pd.DataFrame:
    """Count the games of every cell. Raises RatingsError for scores other than 1, 0.5 and 0."""
    odd = ~games["first_score"].isin(_SCORES.values())
    if odd.any():
        row = games[odd].iloc[0]
        raise RatingsError(
            f"Elo World counts wins, draws and losses; row {row['row']} has the score {row['first_score']:g}"
        )
    counted = games.pivot_table(index=["first", "second"], columns="first_score", values="count", aggfunc="sum")
    counted = counted.reindex(columns=list(_SCORES.values())).fillna(0).astype(np.int64)
    return counted.set_axis(list(_SCORES), axis=1).reset_index()[PAIR_COLUMNS]


def matrices(cells: pd.DataFrame, players: Sequence[str] = ()) -> PairCounts:
    """Return cells as matrices over the players (all, sorted, by default); cells of others are left out."""
    names = list(players) or players_of(cells)
    by_pair = cells.set_index(["first", "second"])
    square = [by_pair[column].unstack().reindex(index=names, columns=names) for column in _SCORES]
    return PairCounts(tuple(names), *(table.fillna(0).to_numpy(np.int64) for table in square))


def target(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's, both seats pooled; nan where they never met."""
    seats = both_seats(games)
    met = seats.assign(won=seats["count"] * seats["score"]).groupby(["player", "opponent"])[["won", "count"]].sum()
    return (met["won"] / met["count"]).unstack().reindex(index=list(players), columns=list(players))


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` (a draw is half a win) and `games`."""
    seats = first_mover(games)
    wins, number = seats["wins_first"] + seats["wins_second"], seats["games_first"] + seats["games_second"]
    return pd.DataFrame({"player": seats["player"], "wins": wins, "games": number})


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return each player's results moving first and second: `player`, `wins_first`, `games_first`, … `_second`."""
    players = players_of(games)
    scores = {"first": games["first_score"], "second": 1 - games["first_score"]}
    table = pd.DataFrame({"player": players})
    for seat, score in scores.items():
        added = pd.DataFrame({"wins": score * games["count"], "games": games["count"]}).groupby(games[seat]).sum()
        added = added.reindex(players, fill_value=0)
        table[f"wins_{seat}"] = added["wins"].to_numpy(float)
        table[f"games_{seat}"] = added["games"].to_numpy(int)
    return table


def meetings(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Add up the games of every pair of some players, in both seats, in the order of the list.

    Columns: `player_p` (earlier in the list), `player_q`; `p_wins`, `q_wins` (a draw is half a win for each); `last`,
    the date of the last meeting (empty without dates).
    """
    place = {name: number for number, name in enumerate(players)}
    seats = both_seats(games).sort_values(["player", "opponent"], key=lambda names: names.map(place))
    seats = seats[seats["player"].map(place) < seats["opponent"].map(place)]
    met = pd.DataFrame(
        {
            "player_p": seats["player"],
            "player_q": seats["opponent"],
            "p_wins": seats["score"] * seats["count"],
            "q_wins": (1 - seats["score"]) * seats["count"],
            "last": seats.get("date", ""),
        }
    )
    added = {"p_wins": "sum", "q_wins": "sum", "last": "max"}
    return met.groupby(["player_p", "player_q"], as_index=False, sort=False).agg(added)
