"""What the repository holds of results: tables and figures, no pages, and few matches."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from repository_files import tracked


@pytest.mark.parametrize(("ending", "most"), [("html", 0), ("zip", 0), ("mat", 8)])
def test_what_is_made_anew_is_not_tracked(ending: str, most: int) -> None:
    found = tracked(f"results/*.{ending}")
    assert len(found) <= most, found


NO_INTERVALS = {"sum_low"}
"""Not an interval but the band that a row is about."""


def ends_of(table: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Yield the columns of every interval: estimate, low and high end.

    The estimate is named like the ends, or is the last column before them that is no standard
    error.
    """
    for place, low in enumerate(names := list(map(str, table.columns))):
        high = f"{low.removesuffix('low')}high"
        if high not in names or low in NO_INTERVALS:
            continue
        before = [
            name
            for name in names[:place]
            if not name.endswith(("_se", "std_error", "_low", "_high"))
        ]
        stem = re.sub(r"_?(ci_)?low$", "", low)
        yield stem if stem in names else before[-1], low, high


def test_every_interval_of_a_tracked_table_holds_its_estimate(project: Path) -> None:
    intervals = 0
    for path in tracked("results/*.csv"):
        table = pd.read_csv(project / path)
        for column, low, high in ends_of(table):
            value, least, most = (table[name].to_numpy(float) for name in (column, low, high))
            off = 1e-9 * np.abs(value)  # of ten written digits
            assert not ((least > value + off) | (most < value - off)).any(), (path, column)
            intervals += int((~np.isnan(least)).sum())
    assert intervals > 1000
