"""The matches of a tournament, in rounds for sequential ratings."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations

import numpy as np
import pandas as pd

from bgrating import BgratingError

FIGURES = ["chequer_error_emg", "unforced_moves", "cube_error_emg", "close_cube_decisions"]
"""The statistics of a player in a match."""
_OF_SEAT = {
    "first": [f"player_{name}" for name in FIGURES],
    "second": [f"opponent_{name}" for name in FIGURES],
}


class TournamentError(BgratingError):
    """Matches cannot be rated as this tournament; the message says what is wrong."""


@dataclass(frozen=True)
class TournamentMatches:
    """Matches of a tournament in the order of its rounds.

    `table` has a row a match, with the columns of games. `chance` is the first player's
    luck-adjusted result plus one half, and may lie outside 0 to 1. The FIGURES of the first player
    begin with `player_`, those of the second with `opponent_`.
    """

    players: tuple[str, ...]
    match_length: int
    table: pd.DataFrame

    def resampled(self, random: np.random.Generator) -> "TournamentMatches":
        """Return a bootstrap sample within every cell.

        The order of the cells in the rounds is kept.
        """
        cells = self.table.groupby(["first", "second"]).indices
        rows = np.arange(len(self.table))
        for pair in permutations(self.players, 2):
            rows[cells[pair]] = random.choice(cells[pair], size=len(cells[pair]))
        return dataclasses.replace(self, table=self.table.iloc[rows].reset_index(drop=True))


def in_rounds(
    matches: pd.DataFrame, players: Sequence[str], match_length: int, seed: int
) -> TournamentMatches:
    """Arrange matches (columns: bgrating.play.match_tables) between the players in rounds.

    A round has one match of every cell with matches left, in an order drawn with the seed. Raises
    TournamentError for a cell without matches and a match without luck-adjusted result.
    """
    met = matches[
        (matches["match_length"] == match_length)
        & matches["player"].isin(players)
        & matches["opponent"].isin(players)
        & (matches["player"] != matches["opponent"])
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
    rounds = ordered.groupby(["player", "opponent"]).cumcount()
    draw = np.random.default_rng(seed).random(len(ordered))
    ordered = ordered.iloc[np.lexsort((draw, rounds))]
    table = ordered[[*chain(*_OF_SEAT.values())]].astype(float)
    table = table.assign(
        first=ordered["player"],
        second=ordered["opponent"],
        first_score=(ordered["actual_result"] > 0).astype(float),
        count=1,
        chance=ordered["luck_adjusted_result"].astype(float) + 0.5,
    )
    return TournamentMatches(tuple(players), match_length, table.reset_index(drop=True))


def error_totals(games: TournamentMatches) -> pd.DataFrame:
    """Return the totals of every player over all their matches: a row a player, columns FIGURES."""
    of_first, of_second = (
        games.table.groupby(seat)[columns].sum().set_axis(FIGURES, axis=1)
        for seat, columns in _OF_SEAT.items()
    )
    return (of_first + of_second).loc[list(games.players)]
