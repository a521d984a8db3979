"""A planned study put together from its parts, over simulated matches whose formula is known."""

import numpy as np
import pandas as pd
import pytest

import simulated
from study.formula.cells import with_results
from study.formula.points import points
from study.plan.costs import ERRORS, LUCK, PLAY
from study.plan.points import plan_points, played

PLAYER = simulated.Player("noise-0.02+noise-0.4", 0.02, 0.4, 0.0125, 0.11)


def matches(seed, count):
    table = simulated.study(np.random.default_rng(seed), lengths=(5,), matches=count, players=[PLAYER])
    return table.assign(rolls=100)


def without_luck(table):
    gone = ["actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]
    return table.assign(**dict.fromkeys(gone, np.nan))


def test_the_parts_make_one_estimate_with_what_the_published_design_gives_for_the_same_cpu():
    costs = pd.DataFrame({"match_length": 5, "task": [PLAY, ERRORS, LUCK], "cpu_per_roll": [1e-4, 1e-4, 1e-3]})
    published, luck, errors = matches(1, 400), matches(2, 200), without_luck(matches(3, 900))
    wins = pd.DataFrame(
        {"match_length": 5, "player": PLAYER.name, "opponent": "expert", "shard": [0, 1], "matches": 500, "won": 200}
    )
    cell = plan_points(published, costs)
    assert cell[0].costs == {"luck": pytest.approx(0.11), "errors": pytest.approx(0.02), "plain": pytest.approx(0.01)}
    got = played(luck, errors, wins, published, cell).iloc[0]
    assert (got["luck"], got["errors"], got["plain"]) == (200, 900, 1000)
    assert got["cpu_seconds"] == pytest.approx(200 * 0.11 + 900 * 0.02 + 1000 * 0.01)
    rows = points(published).set_index("method")
    theirs = rows.loc["luck-adjusted"]
    assert got["published_p"] == pytest.approx(theirs["p_win"])
    same_cpu = got["cpu_seconds"] / 0.11
    expected = 1.6448536 * theirs["rating_difference_se"] * np.sqrt(400 / same_cpu)
    assert got["published_half_width"] == pytest.approx(expected)
    share = 1.6448536 * theirs["rating_difference_se"] * np.sqrt(400 / 500)
    assert got["published_share_half_width"] == pytest.approx(share)
    assert cell[0].p == pytest.approx(rows.loc["control-variate", "p_win"])
    assert got["planned_half_width"] == pytest.approx(got["half_width"], rel=0.15)
    assert abs(got["difference_in_se"]) < 4
    assert abs(got["p_win"] - 0.4) < 5 * got["p_win_se"] + 0.05


def test_results_without_luck_are_those_of_the_score():
    table = matches(4, 50)
    filled = with_results(without_luck(table))
    np.testing.assert_array_equal(filled["actual_result"], table["actual_result"])
    reduced = points(without_luck(table)).set_index("method")
    assert reduced.loc["actual", "p_win"] == pytest.approx(points(table).set_index("method").loc["actual", "p_win"])
    assert reduced.loc["control-variate", "status"] == "luck was not analysed"
