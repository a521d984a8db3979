"""Wins, losses and draws of every ordered pair."""

import numpy as np
import pandas as pd
import pytest

from bgleague.pair_counts import first_mover, target, totals


def games_of(*rows: tuple[str, str, float], count: int = 1) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["first", "second", "first_score"])
    return table.assign(count=count, row=range(1, len(table) + 1))


def test_tables_of_pairs_by_hand() -> None:
    games = pd.concat(
        [
            games_of(("a", "b", 1.0), count=3),
            games_of(("b", "a", 1.0)),
            games_of(("b", "a", 0.5), count=2),
        ],
        ignore_index=True,
    )
    moved = first_mover(games).set_index("player")
    assert moved.loc["a"].tolist() == [3, 3, 1, 3]
    assert moved.loc["b"].tolist() == [2, 3, 0, 3]
    scores = target(games, ["a", "b", "c"])
    assert scores.loc["a", "b"] == pytest.approx(4 / 6)
    assert scores.loc["b", "a"] == pytest.approx(2 / 6)
    assert np.isnan(scores.loc["a", "c"])
    assert np.isnan(scores.loc["a", "a"])
    assert totals(games).to_numpy().tolist() == [["a", 4, 6], ["b", 2, 6]]
