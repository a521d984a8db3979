"""Tables of ratings as files: written harmless for spreadsheets with their provenance, and read back as they were."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.collection.tables import write_table
from bgrating.csv_safety import cell, without_mark
from bgrating.digits import FLOATS, rounded
from bgrating.provenance import replace, write_provenance
from bgrating.ratings.games import GAMES, KNOWN

_TEXTS = [
    "player", "first", "second", "player_p", "player_q", "text", "reason", "status", "method", "other", "below",
    "above", "date", "pair", "last",
]  # fmt: skip


def write(table: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write a table as CSV with its provenance: what is known about it, and the number of rows."""
    words = {
        column: table[column].map({True: "true", False: "false"}).astype(object)
        for column in table.columns
        if table[column].dtype == bool
    }
    write_table(table.assign(**words), path, whole=(), **about)


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote."""
    table = pd.read_csv(path, dtype=dict.fromkeys(_TEXTS, str), keep_default_na=False, na_values=[""])
    for column in _TEXTS:
        if column in table:
            table[column] = table[column].fillna("").map(without_mark)
    return table


def read_games_table(path: Path) -> pd.DataFrame:
    """Read games.csv."""
    table = read(path)
    return table[[*GAMES, *(name for name in KNOWN if name in table)]].astype({"first_score": float})


def write_json(path: Path, content: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write JSON with its provenance."""
    replace(path, json.dumps(rounded(content), indent=1) + "\n")
    write_provenance(path, **about, rows=len(content))


def write_matrix(matrix: pd.DataFrame, path: Path, about: Mapping[str, Any]) -> None:
    """Write a matrix by players with its provenance; what is absent is `nan`."""
    table = matrix.rename(index=cell, columns=cell).rename_axis("player")
    replace(path, table.to_csv(na_rep="nan", float_format=FLOATS, lineterminator="\n"))
    write_provenance(path, **about, rows=len(table))


def read_matrix(path: Path) -> pd.DataFrame:
    """Read a matrix that `write_matrix` wrote; a player may have any name, `nan` or `player` too."""
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    values = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), len(head) - 1)
    return pd.DataFrame(
        values, index=[without_mark(row[0]) for row in rows], columns=[without_mark(name) for name in head[1:]]
    )
