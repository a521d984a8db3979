"""The matches of a tournament as arrays, in rounds for sequential ratings."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgleague.games import GAMES
from bgrating import BgratingError
from bgrating.rating.fibs import Floats

Ints = NDArray[np.int64]

FIGURES = ("chequer_error_emg", "unforced_moves", "cube_error_emg", "close_cube_decisions")
"""The statistics of a player in a match, in the order of `figures`."""


class TournamentError(BgratingError):
    """Matches cannot be rated as this tournament; the message says what is wrong."""


@dataclass(frozen=True)
class TournamentMatches:
    """Matches of a tournament as arrays, in the order of its rounds.

    `first` and `second` are places in `players`. `won` is 1 if the first player won, else 0.
    `chance` is the first player's luck-adjusted result plus one half, and may lie outside 0 to 1.
    `figures` are totals of the first and of the second player: (matches, 2, len(FIGURES)).
    """

    players: tuple[str, ...]
    match_length: int
    first: Ints
    second: Ints
    won: Floats
    chance: Floats
    figures: Floats

    def resampled(self, random: np.random.Generator) -> "TournamentMatches":
        """Return a bootstrap sample within every cell.

        The order of the cells in the rounds is kept.
        """
        cell = self.first * len(self.players) + self.second
        order = np.argsort(cell, kind="stable")
        ends = np.flatnonzero(np.diff(cell[order], append=-1)) + 1
        rows = np.empty_like(order)
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            of_cell = order[start:end]
            rows[of_cell] = random.choice(of_cell, size=len(of_cell))
        return dataclasses.replace(
            self, won=self.won[rows], chance=self.chance[rows], figures=self.figures[rows]
        )

    def games(self) -> pd.DataFrame:
        """Return a table of games (GAMES), a row a match in the order of the rounds."""
        names = np.array(self.players, dtype=object)
        columns = {
            "first": names[self.first],
            "second": names[self.second],
            "first_score": self.won,
        }
        return pd.DataFrame({**columns, "count": 1, "row": np.arange(1, len(self.won) + 1)})[GAMES]


def played(
    matches: pd.DataFrame, players: Sequence[str], match_length: int, seed: int
) -> TournamentMatches:
    """Arrange matches (columns: bgrating.play.matches) between the players in rounds.

    A round has one match of every cell with matches left, in an order drawn with the seed. Raises
    TournamentError for a cell without matches and a match without luck-adjusted result.
    """
    met = matches[matches["match_length"] == match_length]
    met = met[
        met["player"].isin(players)
        & met["opponent"].isin(players)
        & (met["player"] != met["opponent"])
    ]
    cells = set(zip(met["player"], met["opponent"], strict=True))
    missing = [f"{a} against {b}" for a, b in permutations(players, 2) if (a, b) not in cells]
    if missing:
        raise TournamentError(
            f"{len(missing)} cells have no match to {match_length} points, the first of them"
            f" {missing[0]}; ./run tournament plays them"
        )
    if met["luck_adjusted_result"].isna().any():
        raise TournamentError(
            "the matches were analysed without luck; the analysis level must have luck: on"
        )
    ordered = met.sort_values(["player", "opponent", "shard", "match"], kind="stable")
    rounds = ordered.groupby(["player", "opponent"]).cumcount().to_numpy()
    draw = np.random.default_rng(seed).random(len(ordered))
    ordered = ordered.iloc[np.lexsort((draw, rounds))]
    index = pd.Index(list(players))
    columns = [f"{side}_{name}" for side in ("player", "opponent") for name in FIGURES]
    return TournamentMatches(
        players=tuple(players),
        match_length=match_length,
        first=index.get_indexer(pd.Index(ordered["player"])).astype(np.int64),
        second=index.get_indexer(pd.Index(ordered["opponent"])).astype(np.int64),
        won=(ordered["actual_result"].to_numpy(float) > 0).astype(float),
        chance=ordered["luck_adjusted_result"].to_numpy(float) + 0.5,
        figures=ordered[columns].to_numpy(float).reshape(-1, 2, len(FIGURES)),
    )


def error_totals(games: TournamentMatches) -> Floats:
    """Return the totals of every player over all their matches: (players, len(FIGURES))."""
    totals = np.zeros((len(games.players), len(FIGURES)))
    for seat, players in enumerate((games.first, games.second)):
        np.add.at(totals, players, games.figures[:, seat])
    return totals
