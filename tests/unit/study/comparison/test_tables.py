"""Causes as factors and single pairs, by hand and over simulated studies."""

import numpy as np
import pytest

import simulated
from played_by import played
from study.comparison import TABLES
from study.comparison.tables import causes, out_of_sample, tables
from study.formula.points import points
from study.rates import KEY, differences


@pytest.mark.slow
def test_causes_are_factors_of_the_fits(part2):
    zadeh = played("check-zadeh", simulated.study(np.random.default_rng(9), lengths=(5,), matches=100))
    table = causes(part2, zadeh).set_index(["cause", "term", "match_length"])
    total = table.loc[("all together", "b", 5)]
    assert total["reference"] == pytest.approx(863 - 519 / 5)
    assert total["factor"] == pytest.approx(total["value"] / total["reference"])
    assert total["ci_low"] < 1 < total["ci_high"]  # the simulated truth is the published formula
    # Four more in ten close decisions by the rule of 2003: b rises by that much, a2 does not.
    definition = table.loc[("definition", "b", 5)]
    assert definition["factor"] == pytest.approx(1.4, abs=0.05)
    assert 1 < definition["ci_low"] < definition["factor"] < definition["ci_high"]
    assert table.loc[("definition", "a2", 5), "factor"] == pytest.approx(1, abs=0.02)
    equity = table.loc[("match-equity table", "a2", 5)]
    assert equity["ci_low"] < 1 < equity["ci_high"]
    assert (equity["ci_low"] + equity["ci_high"]) / 2 == pytest.approx(equity["value"] / equity["reference"])
    assert ("match-equity table", "a2", 3) not in table.index
    rest = table.loc[("what is left", "b", 5)]
    mine = zadeh.coefficients.query(
        "model == 'bilinear-ols' and method == 'luck-adjusted' and epc_definition == '2003'"
    )
    mine = mine[(mine["term"] == "b") & (mine["match_length"] == 5)].iloc[0]
    assert rest[["factor", "ci_low", "ci_high"]].to_list() == pytest.approx(
        [mine[name] / 759.2 for name in ("estimate", "ci_low", "ci_high")]
    )


@pytest.mark.slow
def test_a_fit_that_loses_points_in_resamples_has_no_interval_and_says_so():
    """A player who hardly ever wins has no R in some resamples, so that least squares of R leave him out."""
    hopeless = simulated.Player("beginner", 0.06, 0.06, 0.09, 0.02)
    players = [*simulated.sixteen()[:7], hopeless]
    table = causes(
        played("part2", simulated.study(np.random.default_rng(4), lengths=(5,), matches=60, players=players)), None
    )
    method, definition = (table[table["cause"] == cause] for cause in ("method", "definition"))
    assert method["ci_low"].isna().all()
    assert method["words"].str.contains(r"; no interval, because in \d+ % of resamples a fit cannot").all()
    assert definition["ci_low"].le(definition["factor"]).all()
    assert not definition["words"].str.contains("no interval").any()


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


@pytest.mark.slow
def test_studies_not_played_leave_their_tables_without_rows(part2):
    none = tables({})
    assert list(none) == list(TABLES)
    assert all(table.empty for table in none.values())
    some = tables({"part2": part2})
    assert {name for name, table in some.items() if table.empty} == {"out_of_sample"}
