"""Matches of people as the simulated ones stand: one row a match, both players' figures side by side."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.frozen import frozen_table
from bgrating.match_statistics import CUBE_ERRORS

Floats = NDArray[np.float64]

RESULTS = Path(__file__).resolve().parents[3] / "results"
"""The repository's own results: the frozen matches that people are compared with, wherever a run writes."""
SIMULATED = {"part2": (3, 5, 7, 11), "check-both-noisy": (5,)}
"""Studies of simulated matches and their lengths: noise against a player without errors, and against noise."""
EQUAL_NOISE = (7, 5, 11, 3)
"""Match lengths of Part I, whose players have the same noise at chequer play and the cube; the first that is frozen."""

FIGURES = (
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc", "luck_mwc",
    *(f"{name}_emg" for name, _ in CUBE_ERRORS.values()),
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


def simulated(study: str, match_length: int) -> pd.DataFrame:
    """Return the frozen matches of a study at one length, numbers in double precision; no rows where there are none."""
    path = frozen_table(RESULTS, study, match_length)
    if not path.is_file():
        return pd.DataFrame()
    table = pd.read_parquet(path)
    return table.astype(dict.fromkeys(table.select_dtypes("number").columns, np.float64))


def frozen_tables() -> list[str]:
    """Return the frozen tables that people are compared with, as far as they are there."""
    held = {**SIMULATED, "part1": EQUAL_NOISE}
    paths = [frozen_table(RESULTS, study, length) for study, lengths in held.items() for length in lengths]
    return [str(path) for path in paths if path.is_file()]


def column(table: pd.DataFrame, name: str) -> Floats:
    """Return a column as numbers."""
    return table[name].to_numpy(np.float64)


def rate(errors: Floats, count: Floats) -> Floats:
    """Return errors per decision, 0 where there was nothing to decide."""
    return np.divide(errors, count, out=np.zeros_like(errors), where=count > 0)
