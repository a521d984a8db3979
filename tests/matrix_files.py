"""Read back what write_matrix wrote."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.tables.csv_safety import without_mark
from bgrating.tables.provenance import verified


def read_matrix(path: Path) -> pd.DataFrame:
    """Return a matrix by players, who may have any name, `nan` or `player` too."""
    verified(path)
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    values = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), len(head) - 1)
    names = [without_mark(row[0]) for row in rows]
    return pd.DataFrame(values, index=names, columns=[*map(without_mark, head[1:])])
