"""Bots, and players of few decisions: a finite, wide rating, or none and the table says so."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bgrating.people.players import players_table
from bgrating.rating.choose import choose
from bgrating.rating.result_files import population_table
from bgrating.tables.table_files import read_table
from corpus import cases

ENGINE_VERSION = "1.08"
OFFSET = 2050.0
ABSENT = ("luck_adjusted_result", "recorded_rating", "net_luck_mwc", "won")


@pytest.mark.parametrize("case", cases("odd.players"), ids=lambda case: case[0])
def test_an_odd_player_has_a_wide_rating_or_none(case: list[Any]) -> None:
    _, matches, standing, domain, low, high, half_width = case
    table = pd.DataFrame(matches, columns=["match_length", "unforced_moves", "chequer_error_emg"])
    table = table.assign(
        file=[f"{number}.mat" for number in range(len(table))],
        match=1,
        date="",
        player="odd",
        opponent="another",
        cube_error_emg=0.0,
        close_cube_decisions=0.0,
        **dict.fromkeys(ABSENT, np.nan),
    )
    found, _ = players_table(
        table,
        choose("fitted", ENGINE_VERSION),
        OFFSET,
        read_table(population_table(ENGINE_VERSION)),
    )
    row = found.iloc[0]
    assert (row["standing"], row["domain"]) == (standing, domain)
    if not half_width:
        assert np.isnan(row[["rating", "ci_low", "ci_high"]].astype(float)).all()
        return
    assert low < row["rating"] < high
    assert (row["ci_high"] - row["ci_low"]) / 2 > half_width
    assert row["ci_low"] < row["rating"] < row["ci_high"]
