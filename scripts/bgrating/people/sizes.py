"""Columns of error sizes as arrays, and the sums that go with them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.gnubg.error_sizes import COLUMNS, EDGES
from bgrating.gnubg.sgf import CUBE_ERRORS

Floats = NDArray[np.float64]

SUMMED = (
    "games", "total_moves", "unforced_moves", "total_cube_decisions", "close_cube_decisions", "chequer_error_emg",
    "cube_error_emg", *(f"{name}_emg" for name in CUBE_ERRORS),
)  # fmt: skip
"""Columns of a match table that add up over matches, for the shape of the errors."""


def sizes_of(texts: "pd.Series[str]") -> Floats:
    """Return a column of COLUMNS as an array, matches by bins; an empty cell is a row of zeros."""
    empty = " ".join("0" for _ in EDGES)
    filled = texts.fillna(empty).replace("", empty)
    if not len(filled):
        return np.zeros((0, len(EDGES)))
    return np.array([text.split(" ") for text in filled], dtype=np.float64)


def total_sizes(texts: "pd.Series[str]") -> Floats:
    """Return the sum of a column over its rows, one entry a bin."""
    return np.asarray(sizes_of(texts).sum(axis=0))


def text_of(sizes: Floats) -> str:
    """Return one row of sizes as its text."""
    return " ".join(str(round(value)) for value in sizes)


def has_sizes(matches: pd.DataFrame) -> bool:
    """Say whether a table holds error sizes; what was analysed by an older version of this project does not."""
    return all(name in matches for name in COLUMNS) and bool(matches[COLUMNS[0]].notna().any())
