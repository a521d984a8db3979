"""Ratings of several methods on one scale, and how far they agree."""

import numpy as np
import pandas as pd
import pytest

from bgrating.league.compare import agreement, league, main_rating, on_one_scale


def test_ratings_of_two_scales_stand_on_one() -> None:
    elo = pd.DataFrame({"player": ["a", "b", "c"], "rating": [1400.0, 1000.0, 1e4], "ci_low": 0.0, "ci_high": 0.0})
    points = 400 / np.log(10) * np.log(3) / 200
    other = pd.DataFrame({"player": ["a", "b"], "rating": [90.0, -10.0], "ci_low": [80.0, -20.0], "ci_high": 100.0})
    both = on_one_scale(
        {"elo": elo, "logistic": other}, {"elo": np.log(10) / 400, "logistic": np.log(3) / 200}
    ).set_index(["method", "player"])
    assert both.loc[("elo", "a"), "rating"] == 200
    assert both.loc[("logistic", "a"), "rating"] == pytest.approx(50 * points)
    assert both.loc[("logistic", "a"), "ci_low"] == pytest.approx(40 * points)
    table = agreement(both.reset_index())
    assert table[["method", "other", "n_players"]].to_numpy().tolist() == [["elo", "logistic", 2]]
    assert table["largest_difference"].iloc[0] == pytest.approx(200 - 50 * points)


def test_a_league_is_ordered_by_its_main_rating_and_players_without_one_are_last() -> None:
    games = pd.DataFrame(
        [("ann", "bob", 1.0, 1, 1), ("bob", "cy", 1.0, 1, 2)],
        columns=["first", "second", "first_score", "count", "row"],
    )

    def ratings(**values: float) -> pd.DataFrame:
        return pd.DataFrame({"player": list(values), "rating": list(values.values()), "ci_low": 0.0, "ci_high": 1.0})

    tables = {"elo": ratings(ann=3.0, bob=2.0, cy=1.0), "history": ratings(bob=1.0, cy=2.0)}
    table = league(games, tables, ["ann", "bob", "cy"])
    assert (main_rating(table), table["player"].tolist()) == ("history", ["cy", "bob", "ann"])
    assert main_rating(league(games, {}, ["ann"])) == ""
