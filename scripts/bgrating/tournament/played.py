"""What was played: the matches of a tournament as arrays, in the rounds in which sequential ratings take them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating import BgratingError
from bgrating.ratings.cells import Cells
from bgrating.ratings.games import GAMES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DECISIONS = ("close_cube_decisions", "close_cube_decisions_2003", "total_cube_decisions")
FIGURES = ("chequer_error_emg", "unforced_moves", "cube_error_emg", *DECISIONS)
"""What is kept of both players' errors in a match, in this order."""


class TournamentError(BgratingError):
    """The matches at hand cannot be rated as a tournament; the message says which are missing."""


@dataclass(frozen=True)
class Played:
    """Matches of a tournament, one place each in every array, in the order of its rounds.

    `first` and `second` are places in `players`; `won` is 1 where the first player won, else 0; `chance` is the first
    player's luck-adjusted result plus one half (match-winning chance, may lie outside 0 to 1); `figures` has the shape
    (matches, 2, len(FIGURES)): totals of the first and of the second player.
    """

    players: tuple[str, ...]
    match_length: int
    first: Ints
    second: Ints
    won: Floats
    chance: Floats
    figures: Floats

    def resampled(self, random: np.random.Generator) -> "Played":
        """Draw as many matches of every cell with replacement; the order of the cells in the rounds stays."""
        cell = self.first * len(self.players) + self.second
        order = np.argsort(cell, kind="stable")
        ends = np.flatnonzero(np.diff(cell[order], append=-1)) + 1
        rows = np.empty_like(order)
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            own = order[start:end]
            rows[own] = random.choice(own, size=len(own))
        taken = {name: getattr(self, name)[rows] for name in ("won", "chance", "figures")}
        return replace(self, **taken)

    def games(self) -> pd.DataFrame:
        """Return a table of games (columns: bgrating.ratings.games), a row a match in the order of the rounds."""
        names = np.array(self.players, dtype=object)
        columns = {"first": names[self.first], "second": names[self.second], "first_score": self.won}
        return pd.DataFrame({**columns, "count": 1, "row": np.arange(1, len(self.won) + 1)})[GAMES]

    def cells(self) -> Cells:
        """Return wins and losses of every cell."""
        wins, games = np.zeros((2, len(self.players), len(self.players)), dtype=np.int64)
        np.add.at(wins, (self.first, self.second), self.won.astype(np.int64))
        np.add.at(games, (self.first, self.second), 1)
        return Cells(self.players, wins, games - wins, np.zeros_like(games))


def between(matches: pd.DataFrame, players: Sequence[str], match_length: int) -> pd.DataFrame:
    """Return the matches to so many points of these players against each other."""
    mine = matches[(matches["match_length"] == match_length) & matches["player"].isin(players)]
    return mine[mine["opponent"].isin(players) & (mine["player"] != mine["opponent"])]


def played(matches: pd.DataFrame, players: Sequence[str], match_length: int, seed: int) -> Played:
    """Arrange matches (columns: bgrating.study.matches) between the players in rounds.

    A round is one match of every cell that has one left, its cells in an order drawn with the seed. Raises
    TournamentError where a cell has no match, or a match has no luck-adjusted result.
    """
    mine = between(matches, players, match_length)
    missing = _missing(mine, players)
    if missing:
        raise TournamentError(
            f"{len(missing)} cells have no match to {match_length} points: {', '.join(missing[:3])}"
            f"{', …' if len(missing) > 3 else ''}; ./run tournament plays them"
        )
    if mine["luck_adjusted_result"].isna().any():
        raise TournamentError("the matches were analysed without luck; the analysis level must have luck: on")
    ordered = mine.sort_values(["player", "opponent", "shard", "match"], kind="stable")
    rounds = ordered.groupby(["player", "opponent"]).cumcount().to_numpy()
    draw = np.random.default_rng(seed).random(len(ordered))
    ordered = ordered.iloc[np.lexsort((draw, rounds))]
    index = pd.Index(list(players))
    sides = [ordered[[f"{side}_{name}" for name in FIGURES]].to_numpy(float) for side in ("player", "opponent")]
    return Played(
        players=tuple(players),
        match_length=match_length,
        first=index.get_indexer(pd.Index(ordered["player"])).astype(np.int64),
        second=index.get_indexer(pd.Index(ordered["opponent"])).astype(np.int64),
        won=(ordered["actual_result"].to_numpy(float) > 0).astype(float),
        chance=ordered["luck_adjusted_result"].to_numpy(float) + 0.5,
        figures=np.stack(sides, axis=1),
    )


def _missing(matches: pd.DataFrame, players: Sequence[str]) -> list[str]:
    there = set(zip(matches["player"], matches["opponent"], strict=True))
    return [f"{a} against {b}" for a in players for b in players if a != b and (a, b) not in there]


def error_totals(games: Played) -> Floats:
    """Return the totals of every player over all his matches: (players, len(FIGURES))."""
    totals = np.zeros((len(games.players), len(FIGURES)))
    for seat, players in enumerate((games.first, games.second)):
        np.add.at(totals, players, games.figures[:, seat])
    return totals
