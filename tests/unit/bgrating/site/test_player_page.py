"""Figures of a player's page by hand."""

import math

import pandas as pd
import pytest

from bgrating.site.player_page import _by_xg

COLUMNS = ("xgDecisions", "xgPr", "moves", "close", "chequer", "cube")
JUDGED = [
    (10, 4.0, 2, 8, 0.1, 0.0),
    (29, 8.0, 24, 5, 0.2, 0.08),
    (1, 0.0, 1, 0, 0.0, 0.02),
]
OTHERS = [
    (0, math.nan, 20, 2, 9.0, 1.0),  # a file without XG's analysis
    (5, 9.0, 0, 0, 0.0, 0.0),  # a match without a decision of ours
]


def test_the_pr_by_xg_and_ours_are_over_the_same_matches() -> None:
    """XG: (10 4 + 29 8) / 40 = 6.8; ours: 500 0.4 / 40 = 5."""
    found = _by_xg(pd.DataFrame(JUDGED + OTHERS, columns=COLUMNS))
    assert found == {"pr": pytest.approx(6.8), "ours": pytest.approx(5.0), "matches": 3}
    assert _by_xg(pd.DataFrame(OTHERS, columns=COLUMNS)) is None
