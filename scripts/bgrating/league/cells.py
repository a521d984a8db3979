"""Counts of pairs: results in both seats, results moving first, and the cells of a tournament.

A cell has the wins, losses and draws of the first player of an ordered pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bgrating.league.games import both_seats, players_of
from bgrating.league.settings import RatingsError

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
    """Count the games of every cell: `first`, `second`, `wins`, `losses`, `draws`.

    Raises RatingsError for scores other than 1, 0.5 and 0.
    """
    odd = ~games["first_score"].isin(_SCORES.values())
    if odd.any():
        row = games[odd].iloc[0]
        raise RatingsError(
            f"Elo World counts wins, draws and losses; row {row['row']} has the score {row['first_score']:g}"
        )
    counted = games.pivot_table(index=["first", "second"], columns="first_score", values="count", aggfunc="sum")
    counted = counted.reindex(columns=list(_SCORES.values())).fillna(0).astype(np.int64)
    return counted.set_axis(list(_SCORES), axis=1).reset_index()


def matrices(cells: pd.DataFrame, players: Sequence[str] = ()) -> PairCounts:
    """Return cells as matrices over the players (all, sorted, by default); cells of others are left out."""
    names = list(players) or players_of(cells)
    by_pair = cells.set_index(["first", "second"])
    square = [by_pair[column].unstack().reindex(index=names, columns=names) for column in _SCORES]
    return PairCounts(tuple(names), *(table.fillna(0).to_numpy(np.int64) for table in square))


def target(games: pd.DataFrame, players: list[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's in both seats; NaN if they never met."""
    met = results(both_seats(games), ["player", "opponent"])
    return (met["wins"] / met["games"]).unstack().reindex(index=players, columns=players)


def results(seats: pd.DataFrame, keys: list[Any]) -> pd.DataFrame:
    """Add up `wins` (a draw is half a win) and `games` of games from both seats (`both_seats`), by some keys."""
    table = seats.assign(wins=seats["score"] * seats["count"], games=seats["count"])
    return table.groupby(keys)[["wins", "games"]].sum()


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` and `games`."""
    return results(both_seats(games), ["player"]).reset_index()


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return each player's results moving first and second: `player`, `wins_first`, `games_first`, … `_second`."""
    seats = both_seats(games)
    seat = np.repeat(["first", "second"], len(games))
    table = pd.DataFrame(results(seats, ["player", seat]).unstack(fill_value=0))
    table.columns = table.columns.map("_".join)
    return table.reset_index()[["player", "wins_first", "games_first", "wins_second", "games_second"]]


def meetings(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Add up the games of every pair of some players, in both seats, in the order of the list.

    Columns: `player_p` (earlier in the list), `player_q`; `p_wins`, `q_wins` (a draw is half a win for each); `last`,
    the date of the last meeting (empty without dates).
    """
    place = {name: number for number, name in enumerate(players)}
    seats = both_seats(games)
    seats = seats[seats["player"].map(place) < seats["opponent"].map(place)]
    pair = ["player", "opponent"]
    met = results(seats, pair)
    met["q_wins"] = met["games"] - met["wins"]
    met["last"] = seats.groupby(pair)["date"].max() if "date" in seats else ""
    met = met.reset_index().sort_values(pair, key=lambda names: names.map(place), ignore_index=True)
    met = met.rename(columns={"player": "player_p", "opponent": "player_q", "wins": "p_wins"})
    return met[["player_p", "player_q", "p_wins", "q_wins", "last"]]
