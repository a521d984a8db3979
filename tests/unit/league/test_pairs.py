"""Results of pairs of players."""

import tracemalloc

import pandas as pd

from bgrating.league.pairs import head_to_head
from bgrating.league.settings import MethodRatings


def test_independent_errors_take_no_matrix_of_all_players() -> None:
    names = [f"p{number}" for number in range(5_000)]
    ratings = pd.DataFrame({"player": names, "rating": 1500.0, "ci_low": 1450.0, "ci_high": 1550.0})
    games = pd.DataFrame({"first": names[:-1], "second": names[1:], "first_score": 1.0, "count": 1, "row": 1})
    tracemalloc.start()
    try:
        met = head_to_head(games, MethodRatings({}, ratings, {}, slope=0.003), names)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(met) == len(games)
    assert most < 8 * len(names) ** 2 / 4, "a quarter of such a matrix"
