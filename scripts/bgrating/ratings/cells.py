"""Cells of a tournament: for each ordered pair of players how often the first won, lost and drew.

A table of cells has the columns `first`, `second`, `wins`, `losses`, `draws` (whole numbers, the first player's). A
checkpoint has `source` too: which shard the games come from, so that tables of several machines can be merged and none
is counted twice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.provenance import replace
from bgrating.ratings.games import RatingsError, indices, players_of

CELLS = ["first", "second", "wins", "losses", "draws"]
CHECKPOINT = ["source", *CELLS]
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


def games_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Write cells as a table of games."""
    long = cells.melt(id_vars=["first", "second"], value_vars=list(_SCORES), value_name="count")
    long = long.assign(first_score=long["variable"].map(_SCORES), row=long.index + 1)
    return long[long["count"] > 0][["first", "second", "first_score", "count", "row"]].reset_index(drop=True)


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


def merge(checkpoints: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Merge checkpoints; what two of them have alike counts once.

    Raises RatingsError where one source has two different counts of the same cell.
    """
    every = pd.concat(list(checkpoints), ignore_index=True)[CHECKPOINT].drop_duplicates(ignore_index=True)
    twice = every.duplicated(["source", "first", "second"], keep=False)
    if twice.any():
        row = every[twice].iloc[0]
        raise RatingsError(
            f"{row['source']} has two different counts of {row['first']} against {row['second']}: "
            "merge only finished shards, and give every shard a name of its own"
        )
    return every


def summed(checkpoint: pd.DataFrame) -> pd.DataFrame:
    """Add up the sources of a checkpoint to a table of cells."""
    return checkpoint.groupby(["first", "second"], as_index=False)[list(_SCORES)].sum()


def neediest(cells: pd.DataFrame, players: Sequence[str], games_per_cell: int) -> pd.DataFrame:
    """Return the cells that lack games, those with fewest first: `first`, `second`, `games`, `missing`.

    Cells of equal need stand in the order of the players, so that several machines see the same list.
    """
    games = matrices(cells, players).games
    place = [(i, j) for i in range(len(players)) for j in range(len(players)) if i != j]
    rows = [(players[i], players[j], int(games[i, j]), games_per_cell - int(games[i, j])) for i, j in place]
    table = pd.DataFrame(rows, columns=["first", "second", "games", "missing"])
    return table[table["missing"] > 0].sort_values("games", kind="stable", ignore_index=True)


def write_checkpoint(checkpoint: pd.DataFrame, path: Path) -> None:
    """Write a checkpoint whole or not at all."""
    replace(path, checkpoint[CHECKPOINT].to_csv(index=False, lineterminator="\n"))


def read_checkpoint(path: Path) -> pd.DataFrame:
    """Read a checkpoint; one without a last line end was not written by us and is refused with RatingsError."""
    text = path.read_text(encoding="utf-8")
    if not text.endswith("\n") or text.splitlines()[0].split(",") != CHECKPOINT:
        raise RatingsError(f"{path}: not a whole checkpoint of cells (columns {', '.join(CHECKPOINT)})")
    texts = {"source": str, "first": str, "second": str}
    return pd.read_csv(path, dtype=texts, keep_default_na=False)
