"""Cells of a tournament: for each ordered pair of players how often the first won, lost and drew.

A table of cells has the columns `first`, `second`, `wins`, `losses`, `draws` (whole numbers, the first player's).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgrating.ratings.games import RatingsError, indices, players_of

CELLS = ["first", "second", "wins", "losses", "draws"]
_SCORES = {"wins": 1.0, "losses": 0.0, "draws": 0.5}


@dataclass(frozen=True)
class Cells:
    """The same as matrices by (first, second) over a list of players."""

    players: tuple[str, ...]
    wins: np.ndarray
    losses: np.ndarray
    draws: np.ndarray

    @property
    def games(self) -> np.ndarray:
        """Return how many games each cell holds."""
        return np.asarray(self.wins + self.losses + self.draws)

    def of(self, players: Sequence[str]) -> "Cells":
        """Return the cells of some of the players, in the order given."""
        place = [self.players.index(name) for name in players]
        square = np.ix_(place, place)
        return Cells(tuple(players), self.wins[square], self.losses[square], self.draws[square])


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
    return counted.set_axis(list(_SCORES), axis=1).reset_index()[CELLS]


def matrices(cells: pd.DataFrame, players: Sequence[str] | None = None) -> Cells:
    """Write cells as matrices over the players (all, sorted, where none are given); cells of others are left out."""
    names = tuple(players if players is not None else players_of(cells))
    first, second = indices(cells, names)
    here = (first >= 0) & (second >= 0)
    parts = []
    for column in _SCORES:
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        np.add.at(matrix, (first[here], second[here]), cells.loc[here, column].to_numpy(np.int64))
        parts.append(matrix)
    return Cells(names, *parts)
