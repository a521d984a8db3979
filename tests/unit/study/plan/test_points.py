"""A planned study put together from its parts, over simulated matches whose formula is known."""

import numpy as np
import pytest

import simulated
from study.formula.cells import with_results
from study.formula.points import points

PLAYER = simulated.Player("noise-0.02+noise-0.4", 0.02, 0.4, 0.0125, 0.11)


def matches(seed, count):
    table = simulated.study(np.random.default_rng(seed), lengths=(5,), matches=count, players=[PLAYER])
    return table.assign(rolls=100)


def without_luck(table):
    gone = ["actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]
    return table.assign(**dict.fromkeys(gone, np.nan))


def test_results_without_luck_are_those_of_the_score():
    table = matches(4, 50)
    filled = with_results(without_luck(table))
    np.testing.assert_array_equal(filled["actual_result"], table["actual_result"])
    reduced = points(without_luck(table)).set_index("method")
    assert reduced.loc["actual", "p_win"] == pytest.approx(points(table).set_index("method").loc["actual", "p_win"])
    assert reduced.loc["control-variate", "status"] == "luck was not analysed"
