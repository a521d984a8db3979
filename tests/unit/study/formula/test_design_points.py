import numpy as np
import pandas as pd
import pytest

import simulated_studies as simulated
from corpus import cases
from simulated_studies import one_point
from study.formula.design_points import points


def of_side(side, chequer, moves, cube, close):
    names = ("chequer_error_emg", "unforced_moves", "cube_error_emg", "close_cube_decisions_2003")
    values = zip(names, (chequer, moves, cube, close), strict=True)
    return {f"{side}_{name}": own for name, own in values}


def test_error_rates_are_pooled_over_matches_player_minus_opponent():
    totals = of_side("player", [0.1, 0.5], [10, 40], [0.4, 0.0], [4, 6])
    totals |= of_side("opponent", [0.2, 0.1], [30, 30], [0.0, 0.1], [4, 16])
    totals |= {"player_close_cube_decisions": [3, 5], "opponent_close_cube_decisions": [4, 6]}
    row = points(one_point(2, **totals)).iloc[0]
    expected = {"epm": 0.6 / 50 - 0.3 / 60, "epc": 0.4 / 8 - 0.1 / 10}
    expected |= {"epc_2003": 0.4 / 10 - 0.1 / 20}
    expected |= {"depd": 1.0 / 58 - 0.4 / 70, "depd_2003": 1.0 / 60 - 0.4 / 80}
    assert row[list(expected)].to_dict() == pytest.approx(expected)


def test_rates_of_2003_are_averaged_over_matches_and_one_without_a_decision_counts_as_0():
    totals = of_side("player", [0.1, 0.5], [10, 40], [0.4, 0.0], [4, 0])
    totals |= of_side("opponent", [0.0, 0.3], [30, 30], [0.0, 0.1], [4, 10])
    row = points(one_point(2, **totals)).iloc[0]
    assert row["epm_averaged"] == pytest.approx((0.01 + 0.0125) / 2 - (0.0 + 0.01) / 2)
    assert row["epc_2003_averaged"] == pytest.approx((0.1 + 0.0) / 2 - (0.0 + 0.01) / 2)
    assert row["depd_2003_averaged"] == pytest.approx((0.5 / 14 + 0.0125) / 2 - (0.0 + 0.01) / 2)


def test_interval_is_students_t_carried_through_the_formula():
    results = [0.1, -0.1, 0.3, 0.1]
    row = points(one_point(4, luck_adjusted_result=np.array(results) - 0.3)).iloc[0]
    # t for 3 degrees of freedom is from a printed table.
    p, half = 0.3, 2.353363 * np.sqrt(0.08 / 3 / 4)

    def r(chance):
        return 2000 / np.sqrt(4) * np.log10(1 / chance - 1)

    assert row["p_win"] == pytest.approx(p)
    assert row["rating_difference"] == pytest.approx(r(p))
    assert row["ci_low"] == pytest.approx(r(p + half), abs=1e-3)  # as far as the table is printed
    assert row["ci_high"] == pytest.approx(r(p - half), abs=1e-3)
    assert row["status"] == "ok"


@pytest.mark.parametrize(("results", "where", "bound", "open_end"), cases("values.chances_outside"))
def test_a_chance_outside_0_and_1_is_reported_not_infinite(results, where, bound, open_end):
    row = points(one_point(4, luck_adjusted_result=results)).iloc[0]
    assert row["status"] == f"chance {where}: no finite rating difference"
    assert row[["rating_difference", "rating_difference_se", open_end]].isna().all()
    # The other end is a bound one may use.
    assert np.isfinite(row[["p_win", bound]].astype(float)).all()


def test_an_interval_that_leaves_0_and_1_has_an_open_end():
    row = points(one_point(4, luck_adjusted_result=[-0.6, -0.3, -0.4, -0.6])).iloc[0]
    assert row["status"] == "interval of the chance leaves (0, 1): no upper end"
    assert row[["rating_difference", "ci_low", "ci_high"]].isna().tolist() == [False, False, True]


def test_rows_are_in_order_whatever_the_order_of_matches():
    few = {"lengths": (3, 5), "players": simulated.sixteen()[:4], "matches": 3}
    table = simulated.study(np.random.default_rng(2), **few)
    shuffled = table.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(points(table), points(shuffled), rtol=1e-9)
    assert points(table)["match_length"].is_monotonic_increasing
