"""The mean luck of first rolls and of others, by hand."""

import pandas as pd
import pytest

from opening_luck import rolls, sides


def test_first_rolls_of_games_are_apart_and_count_half_for_each_side() -> None:
    """Two matches of two and one games; a cube decision and a money session do not count."""
    rows = [
        ("a", 1, 1, "play", 7, 0.02),
        ("a", 1, 1, "double", 7, 0.50),
        ("a", 1, 1, "play", 7, -0.01),
        ("a", 1, 2, "play", 7, 0.04),
        ("b", 1, 1, "play", 5, 0.00),
        ("b", 1, 1, "play", 5, 0.03),
        ("c", 1, 1, "play", 0, 9.00),
    ]
    columns = ["file", "match", "game", "kind", "match_length", "luck_mwc"]
    found = rolls(pd.DataFrame(rows, columns=columns))
    assert found["n"].tolist() == [3, 2, 2]
    assert found["luck"].tolist() == pytest.approx([0.02, 0.01, 0.015])


def test_a_side_has_the_mean_of_both() -> None:
    luck = {"player_luck_mwc": [0.1, -0.1, None], "opponent_luck_mwc": [0.1, 0.3, 0.2]}
    found = sides(pd.DataFrame(luck))
    assert (found["n"].item(), found["luck"].item()) == (2, pytest.approx(0.1))
