"""Single pairs of players, over simulated studies whose formula is known and over numbers worked out by hand."""

import numpy as np
import pytest

import simulated
from played_by import played
from study.comparison.tables import out_of_sample
from study.formula.points import points
from study.rates import KEY, differences


def equal(noise, name, epm=None):
    return simulated.Player(name, noise, noise, noise / 1.2 if epm is None else epm, noise / 3)


WEAK, MIDDLE, SMALL = equal(0.06, "beginner"), equal(0.04, "intermediate"), equal(0.02, "noise-0.02")
TRUTH = simulated.Truth()


def test_rates_are_pooled_errors_over_pooled_counts():
    one = simulated.design_point(
        np.random.default_rng(1), player=WEAK, opponent=MIDDLE, length=5, matches=30, truth=TRUTH
    )
    got = differences(one).iloc[0]
    both = [(one[f"{s}_cube_error_emg"].sum(), one[f"{s}_total_cube_decisions"].sum()) for s in ("player", "opponent")]
    assert got["cube_per_decision"] == pytest.approx(both[0][0] / both[0][1] - both[1][0] / both[1][1])
    assert got["cube_per_game"] == pytest.approx((both[0][0] - both[1][0]) / one["games"].sum())
    reduced = points(one).iloc[0]
    for name in ("epm", "epc", "epc_2003", "depd"):
        assert got[name] == pytest.approx(reduced[name])
    assert list(differences(one)[KEY].iloc[0]) == [5, "beginner", "intermediate"]


def test_pairs_are_predicted_from_their_own_rates(part2):
    pair = simulated.Player("expert+beginner", 0.0, 0.06, 0.0, 0.02)
    other = played("appendix2", simulated.study(np.random.default_rng(7), lengths=(5,), matches=300, players=[pair]))
    formula = part2.formula
    row = out_of_sample([other], formula).iloc[0]
    assert row["predicted"] == pytest.approx(formula.coefficient("b", 5)[0] * row["epc"], abs=1e-6)
    spread = np.hypot(row["rating_difference_se"], row["predicted_se"])
    assert row["deviation"] == pytest.approx((row["rating_difference"] - row["predicted"]) / spread)
    assert (row["published_low"], row["published_high"]) == (21, 41)
    nothing = out_of_sample([other], None).iloc[0]
    assert np.isnan(nothing["predicted"])
