"""Tables of ratings as files: written harmless for spreadsheets with their provenance, and read back as they were."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.human.inert import without_mark
from bgrating.human.tables import write_table
from bgrating.provenance import replace, write_provenance
from bgrating.ratings.games import GAMES

DIGITS = 15
"""Significant digits of what is written: ratings must agree with other programs to a millionth of a point."""
_TEXTS = [
    "player", "first", "second", "player_p", "player_q", "text", "reason", "status", "method", "other", "below",
    "above",
]  # fmt: skip


def write(table: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write a table as CSV with its provenance: what is known about it, and the number of rows."""
    words = {
        column: table[column].map({True: "true", False: "false"}).astype(object)
        for column in table.columns
        if table[column].dtype == bool
    }
    write_table(table.assign(**words), path, digits=DIGITS, whole=(), **about)


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote."""
    table = pd.read_csv(path, dtype=dict.fromkeys(_TEXTS, str), keep_default_na=False, na_values=[""])
    for column in _TEXTS:
        if column in table:
            table[column] = table[column].fillna("").map(without_mark)
    return table


def read_games_table(path: Path) -> pd.DataFrame:
    """Read games.csv."""
    return read(path)[GAMES].astype({"first_score": float})


def write_json(path: Path, content: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write JSON with its provenance."""
    replace(path, json.dumps(content, indent=1) + "\n")
    write_provenance(path, **about, rows=len(content))


def write_matrix(matrix: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write a matrix by players with its provenance; what is absent is `nan`."""
    table = matrix.rename_axis("player").reset_index()
    replace(path, table.to_csv(index=False, na_rep="nan", float_format=f"%.{DIGITS}g", lineterminator="\n"))
    write_provenance(path, **about, rows=len(table))


def read_matrix(path: Path) -> pd.DataFrame:
    """Read a matrix that `write_matrix` wrote."""
    table = pd.read_csv(path, dtype={"player": str}, keep_default_na=False, na_values=["nan"])
    return table.set_index("player").astype(np.float64)
