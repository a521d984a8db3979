"""Matches as both nets see them."""

import pandas as pd

from study.translation.pairs import clusters


def test_matches_of_the_same_two_people_are_one_cluster() -> None:
    pairs = pd.DataFrame({"source": ["club"] * 3 + ["simulated"] * 2, "player": ["a", "b", "a", "x", "x"],
                          "opponent": ["b", "a", "c", "y", "y"]})  # fmt: skip
    number = clusters(pairs)
    assert number[0] == number[1]
    assert len(set(number)) == 4
