"""Conversions: XG's own PR beside ours."""

import math

import numpy as np
import pandas as pd
import pytest

from study.people.conversions import beside_xg


def test_xg_s_own_pr_stands_beside_ours_where_eight_players_have_it() -> None:
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        {
            "player": [f"p{number}" for number in range(9)],
            "file": "a.xg",
            "match": range(9),
            "chequer_error_emg": rng.uniform(0.2, 2.0, 9),
            "cube_error_emg": rng.uniform(0.0, 1.0, 9),
            "unforced_moves": rng.integers(60, 120, 9),
            "close_cube_decisions": rng.integers(5, 20, 9),
        }
    )
    rows["xg_chequer_error_emg"] = 1.5 * rows["chequer_error_emg"]
    rows["xg_cube_error_emg"] = 1.5 * rows["cube_error_emg"]
    rows["xg_decisions"] = 1.2 * (rows["unforced_moves"] + rows["close_cube_decisions"])
    rows.loc[8, "xg_decisions"] = math.nan  # a match that XG has not analysed
    (row,) = beside_xg(rows)
    assert [row["estimate"], row["ci_low"], row["ci_high"]] == pytest.approx([1.25] * 3)
    assert row["n_players"] == 8
    assert beside_xg(rows[1:]) == []
