"""Matches of people as the simulated ones stand: one row a match, both players' figures side by side."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.gnubg.sgf import CUBE_ERRORS
from bgrating.study.frozen import frozen_table
from bgrating.study.matches import read_checked

Floats = NDArray[np.float64]
Simulated = Callable[[str, int], pd.DataFrame]
"""Gives the simulated matches of a study at one length: no rows where there are none."""

FIGURES = (
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc", "luck_mwc",
    *(f"{name}_emg" for name in CUBE_ERRORS),
)  # fmt: skip
SIDES = ("player", "opponent")


def pairs(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the decided matches of a collection with luck, one row each, the left column's player as `player`.

    `matches` is a collection's table (one row per match and player). Columns: `file, match, date, dialect,
    match_length, games, player, opponent`, the FIGURES and `recorded_rating` of both as `player_…` and `opponent_…`,
    `actual_result`, `luck_adjusted_result` (the player's, MWC less one half). A match needs both luck-adjusted results
    and an unforced move of either player.
    """
    usable = matches["luck_adjusted_result"].notna() & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)
    rows = matches[usable]
    about = ["file", "match", "date", "dialect", "match_length", "games", "actual_result", "luck_adjusted_result"]
    own = [*FIGURES, "recorded_rating"]
    left = rows[rows["side"] == "left"][[*about, "player", *own]]
    right = rows[rows["side"] == "right"][["file", "match", "player", *own]]
    left = left.rename(columns={name: f"player_{name}" for name in own})
    right = right.rename(columns={"player": "opponent", **{name: f"opponent_{name}" for name in own}})
    table = left.merge(right, on=["file", "match"], how="inner", validate="1:1")
    numbers = [f"{side}_{name}" for side in SIDES for name in own]
    numbers += ["match_length", "games", "actual_result", "luck_adjusted_result"]
    return table.astype(dict.fromkeys(numbers, np.float64)).reset_index(drop=True)


def frozen(results: Path, study: str, match_length: int) -> pd.DataFrame:
    """Return the frozen matches of a study at one length, numbers in double precision; no rows where there are none."""
    path = frozen_table(results, study, match_length)
    if not path.is_file():
        return pd.DataFrame()
    table = read_checked(path)
    return table.astype(dict.fromkeys(table.select_dtypes("number").columns, np.float64))


def column(table: pd.DataFrame, name: str) -> Floats:
    """Return a column as numbers."""
    return table[name].to_numpy(np.float64)


def rate(errors: Floats, count: Floats) -> Floats:
    """Return errors per decision, 0 where there was nothing to decide."""
    return np.divide(errors, count, out=np.zeros_like(errors), where=count > 0)
