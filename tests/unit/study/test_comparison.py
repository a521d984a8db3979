"""Coefficients over the published ones, of simulated studies."""

import numpy as np
import pytest

import simulated
from played_by import played
from study.comparison import causes


def test_coefficients_stand_over_the_published_ones():
    part2 = played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=150))
    zadeh = played("check-zadeh", simulated.study(np.random.default_rng(9), lengths=(5,), matches=100))
    table = causes({"part2": part2.coefficients, "check-zadeh": zadeh.coefficients})
    table = table.set_index(["cause", "term", "match_length"])
    total = table.loc[("all together", "b", 5)]
    assert total["reference"] == pytest.approx(863 - 519 / 5)
    assert total["factor"] == pytest.approx(total["value"] / total["reference"])
    assert total["ci_low"] < 1 < total["ci_high"]  # the simulated truth is the published formula
    # Four more in ten close decisions by the rule of 2003: b rises by that much, a2 does not.
    old = table.loc["count of 2003"]["factor"] / table.loc["all together"]["factor"]
    assert old["b", 5] == pytest.approx(1.4, abs=0.05)
    assert old["a2", 5] == pytest.approx(1, abs=0.02)
    rest = table.loc[("what is left", "b", 5)]
    mine = zadeh.coefficients.query(
        "model == 'bilinear-ols' and method == 'luck-adjusted' and epc_definition == '2003'"
    )
    mine = mine[(mine["term"] == "b") & (mine["match_length"] == 5)].iloc[0]
    assert rest[["factor", "ci_low", "ci_high"]].to_list() == pytest.approx(
        [mine[name] / 759.2 for name in ("estimate", "ci_low", "ci_high")]
    )


def test_studies_not_played_leave_the_table_without_rows():
    assert causes({}).empty
