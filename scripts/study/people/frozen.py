"""The frozen matches that people are compared with."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.play.designs import frozen_table
from bgrating.play.matches import read_checked

Simulated = Callable[[str, int], pd.DataFrame]
"""Gives the simulated matches of a study at one length: no rows where there are none."""


def frozen(results: Path, study: str, match_length: int) -> pd.DataFrame:
    """Return the frozen matches of a study at one length, numbers in double precision; no rows where there are none."""
    path = frozen_table(results, study, match_length)
    if not path.is_file():
        return pd.DataFrame()
    table = read_checked(path)
    return table.astype(dict.fromkeys(table.select_dtypes("number").columns, np.float64))
