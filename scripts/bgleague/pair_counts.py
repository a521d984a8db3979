"""Counts of pairs: results in both seats, results moving first, and the cells of a tournament.

A cell has the wins, losses and draws of the first player of an ordered pair.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bgleague.games import Names, both_seats, indices
from bgrating.tables.dictionary import columns


@dataclass(frozen=True)
class PairCounts:
    """The wins, losses and draws of cells: matrices by (first, second) over a list of players."""

    players: tuple[str, ...]
    counts: np.ndarray

    @property
    def games(self) -> np.ndarray:
        return np.asarray(self.counts.sum(axis=0))

    @property
    def least(self) -> int:
        """The smallest number of games of two different players."""
        return int(self.games[~np.eye(len(self.players), dtype=bool)].min())


def pair_counts(games: pd.DataFrame, players: Names) -> PairCounts:
    """Count the wins, losses and draws of every cell; leave out games of others."""
    games = games[games["first"].isin(players) & games["second"].isin(players)]
    outcome = games["first_score"].map({1.0: 0, 0.0: 1, 0.5: 2})
    counts = np.zeros((3, len(players), len(players)), dtype=np.int64)
    np.add.at(counts, (outcome, *indices(games, players)), games["count"])
    return PairCounts(tuple(players), counts)


def target(games: pd.DataFrame, players: list[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's in both seats.

    It is NaN if they never met.
    """
    met = results(both_seats(games), ["player", "opponent"])
    return (met["wins"] / met["games"]).unstack().reindex(index=players, columns=players)


def results(seats: pd.DataFrame, keys: list[Any]) -> pd.DataFrame:
    """Add up `wins` (a draw is half a win) and `games` of games from both seats (`both_seats`), by
    some keys.
    """
    table = seats.assign(wins=seats["score"] * seats["count"], games=seats["count"])
    return table.groupby(keys)[["wins", "games"]].sum()


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` and `games`."""
    return results(both_seats(games), ["player"]).reset_index()


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return each player's results moving first and second (ratings/first_mover)."""
    seats = both_seats(games)
    seat = np.repeat(["first", "second"], len(games))
    table = pd.DataFrame(results(seats, ["player", seat]).unstack(fill_value=0))
    table.columns = table.columns.map("_".join)
    return table.reset_index()[columns("ratings/first_mover")]


def meetings(games: pd.DataFrame, players: Names) -> pd.DataFrame:
    """Add up the games of every pair of some players, in both seats, in the order of the list.

    The columns are `player_p` (earlier in the list) and `player_q`, `p_wins` and `q_wins`, and
    `last`. A draw is half a win for each. `last` is the date of the last meeting, empty without
    dates.
    """
    rank = {name: number for number, name in enumerate(players)}
    seats = both_seats(games)
    seats = seats[seats["player"].map(rank) < seats["opponent"].map(rank)]
    pair = ["player", "opponent"]
    met = results(seats, pair)
    met["q_wins"] = met["games"] - met["wins"]
    met["last"] = seats.groupby(pair)["date"].max() if "date" in seats else ""
    met = met.reset_index().sort_values(pair, key=lambda names: names.map(rank), ignore_index=True)
    met = met.rename(columns={"player": "player_p", "opponent": "player_q", "wins": "p_wins"})
    return met[["player_p", "player_q", "p_wins", "q_wins", "last"]]
