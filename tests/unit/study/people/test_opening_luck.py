"""The mean luck of first rolls and of others, by hand."""

import pandas as pd
import pytest

from corpus import cases
from opening_luck import rolls, sides


def test_first_rolls_of_games_are_apart_and_count_half_for_each_side() -> None:
    """Two matches of two and one games; a cube decision and a money session do not count."""
    columns = ["file", "match", "game", "kind", "match_length", "luck_mwc"]
    found = rolls(pd.DataFrame(cases("values.rolls"), columns=columns))
    assert found["n"].tolist() == [3, 2, 2]
    assert found["luck"].tolist() == pytest.approx([0.02, 0.01, 0.015])


def test_a_side_has_the_mean_of_both() -> None:
    luck = {"player_luck_mwc": [0.1, -0.1, None], "opponent_luck_mwc": [0.1, 0.3, 0.2]}
    found = sides(pd.DataFrame(luck))
    assert (found["n"].item(), found["luck"].item()) == (2, pytest.approx(0.1))
