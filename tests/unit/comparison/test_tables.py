"""The comparison's tables, over simulated studies whose formula is known and over numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

import simulated
from bgrating.comparison import TABLES, causes, pairs, rivals
from bgrating.comparison.tables import tables
from bgrating.formula.cells import UnusableMatchesError
from bgrating.formula.points import points
from bgrating.formula.rates import KEY, differences
from played_by import played

TRUTH = simulated.Truth()


@pytest.fixture(scope="module")
def part2():
    return played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=150))


def equal(noise, name, epm=None):
    return simulated.Player(name, noise, noise, noise / 1.2 if epm is None else epm, noise / 3)


WEAK, MIDDLE, SMALL = equal(0.06, "beginner"), equal(0.04, "intermediate"), equal(0.02, "noise-0.02")


def part1(shift=0.0, lengths=(1, 5)):
    """Part I, with the chance of the pair that both err moved by `shift` at one point."""
    rng = np.random.default_rng(3)
    table = pd.concat(
        [
            simulated.study(rng, lengths=lengths, matches=400, players=[WEAK, MIDDLE, SMALL]),
            simulated.study(rng, lengths=lengths, matches=400, players=[WEAK], opponent=MIDDLE),
        ],
        ignore_index=True,
    )
    odd = (table["opponent"] == "intermediate") & (table["match_length"] == 1)
    flipped = odd & (table["actual_result"] < 0) & (np.random.default_rng(4).random(len(table)) < shift)
    return played("part1", table.assign(actual_result=table["actual_result"].where(~flipped, 0.5)))


def test_rates_are_pooled_errors_over_pooled_counts():
    one = simulated.design_point(
        np.random.default_rng(1), player=WEAK, opponent=MIDDLE, length=5, matches=30, truth=TRUTH
    )
    got = differences(one).iloc[0]
    both = [(one[f"{s}_cube_error_emg"].sum(), one[f"{s}_total_cube_decisions"].sum()) for s in ("player", "opponent")]
    assert got["epc_every"] == pytest.approx(both[0][0] / both[0][1] - both[1][0] / both[1][1])
    assert got["epc_games"] == pytest.approx((both[0][0] - both[1][0]) / one["games"].sum())
    assert got["cube_mwc"] == pytest.approx((one["player_cube_error_mwc"] - one["opponent_cube_error_mwc"]).mean())
    reduced = points(one).iloc[0]
    for name in ("epm", "epc", "epc_2003", "depd"):
        assert got[name] == pytest.approx(reduced[name])
    assert list(differences(one)[KEY].iloc[0]) == [5, "beginner", "intermediate"]


def test_published_lines_and_ratios_by_hand(part2):
    table = causes.coefficients([(part2, "bilinear")])
    assert set(table["fit"]) == set(causes.FITS)
    row = table[(table["term"] == "b") & (table["match_length"] == 5)].iloc[0]
    assert row["published"] == pytest.approx(863 - 519 / 5)
    assert row["ratio"] == pytest.approx(row["estimate"] / row["published"])
    assert row["ratio_low"] == pytest.approx(row["ci_low"] / row["published"])
    lines = table[(table["fit"] == "recommended") & (table["epc_definition"] == "today") & table["match_length"].isna()]
    assert list(lines["published"]) == [8798, 25526, 863, -519]
    got = causes.at_length(table, "a2", 3, "recommended", "today")[0]
    assert got == pytest.approx(part2.formula.coefficient("a2", 3)[0])
    assert np.isnan(causes.at_length(table, "a2", 7, "recommended", "today")[0])


def test_the_true_shape_predicts_best_and_the_wrong_one_is_seen():
    # With cube errors this dear they and chequer errors cannot be taken for one rate. The players' measured error rates
    # vary round the true ones, so the true shape has more than one squared deviation a point too.
    truth = simulated.Truth(b_const=3000.0)
    study = played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=300, truth=truth))
    table = rivals.rivals(study, 0.9)[0].set_index("rival")
    true = table.loc["bilinear"]
    assert true["chi_square"] < 2.5 * true["chi_square_dof"]
    assert table.loc["linear", "left_out_point"] > 3 * true["left_out_point"]
    assert table.loc["linear", "left_out_player"] > 3 * true["left_out_player"]
    assert (table["left_out_point"] > table["chi_square"]).all()
    assert table["left_out_length"].isna().all()  # one length alone cannot say what another does


def test_leaving_out_is_fitting_the_others(part2):
    import scipy.optimize as so

    rival = rivals.RIVALS["bilinear"]
    seen = part2.observed(rival).at_length(5)
    got = rivals.chi_square_left_out(seen, rival, np.arange(len(seen)))
    total = 0.0
    for i in range(len(seen)):
        kept = np.arange(len(seen)) != i

        def off(b, rows):
            p = 1 / (1 + 10 ** (seen.predictors[rows] @ b * np.sqrt(5) / 2000))
            return (p - seen.p[rows]) / seen.p_se[rows]

        answer = so.least_squares(off, [14000, 800], x_scale=[1e4, 1e3], args=(kept,), xtol=1e-14, ftol=1e-14)
        total += float(off(answer.x, ~kept)[0] ** 2)
    assert got == pytest.approx(total, rel=1e-4)


def test_the_alternative_is_a_formula_with_its_own_count(part2, tmp_path):
    from bgrating.formula.formula import read_formula

    formula = rivals.alternative(part2, 0.9)
    formula.write(tmp_path / "alternative.json")
    again = read_formula(tmp_path / "alternative.json")
    assert again.epc_definition == "moves"
    # At 5 points the simulated players have 47 unforced moves to 6.5 close decisions: b is so many times as large.
    value, error = again.coefficient("b", 5)
    assert abs(value - 47 / 6.5 * TRUTH.at(5)["b"]) < 4 * error
    assert again.coefficient("b", 3)[0] == value


def test_a_bend_is_found_where_there_is_one(part2):
    straight = rivals.curvature(part2, 0.9)
    square = straight[straight["shape"] == "square"]
    assert ((square["extra_low"] < 0) & (square["extra_high"] > 0)).all()
    flat = straight[straight["shape"] == "straight"]
    assert (flat["slope_small"] == flat["slope_large"]).all()
    bent = [
        simulated.Player(p.name, p.chequer_noise, p.cube_noise, p.epm, p.epc + 6.0 * p.epc**2)
        for p in simulated.sixteen()
    ]
    table = simulated.study(np.random.default_rng(2), lengths=(5,), matches=600, players=bent)
    error = {p.name: p.epc / q.epc for p, q in zip(simulated.sixteen(), bent, strict=True)}
    scale = table["player"].map(error)
    study = played("part2", table.assign(player_cube_error_emg=table["player_cube_error_emg"] * scale))
    found = rivals.curvature(study, 0.9).set_index("shape").loc["square"]
    assert found["extra_low"] > 0
    assert found["extra"] == pytest.approx(6 * TRUTH.at(5)["b"], rel=0.5)
    assert found["slope_large"] == pytest.approx(found["slope_small"] + 2 * 0.1 * found["extra"])
    assert found["slope_widest"] < found["slope_large"] + found["extra"]


def test_causes_are_factors_of_the_fits(part2):
    zadeh = played("check-zadeh", simulated.study(np.random.default_rng(9), lengths=(5,), matches=100))
    table = causes.causes(part2, zadeh, 0.9).set_index(["cause", "term", "match_length"])
    total = table.loc[("all together", "b", 5)]
    assert total["factor"] == pytest.approx(total["value"] / (863 - 519 / 5))
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
    both = causes.equity_table_cells(part2, zadeh)
    assert len(both) == 16
    assert both["difference"].to_numpy() == pytest.approx(
        (both["rating_difference_zadeh"] - both["rating_difference"]).to_numpy()
    )


def test_cube_only_players_stand_beside_the_papers(part2):
    table = pairs.cube_only([part2])
    assert len(table) == 2 * 4 + 3
    paper = table[table["source"] == "van den Doel 2003"].set_index(["player", "match_length"])
    assert paper.loc[("expert+noise-1", 5), "r_over_epc_2003"] == pytest.approx(191 / 0.192)
    assert paper["epc"].isna().all()
    ours = table[table["source"] == "part2"]
    assert ours["player"].str.startswith("expert+").all()
    assert (ours["decisions_per_game"] / ours["close_per_game"]).to_numpy() == pytest.approx(6.0)


def test_depth_pairs_the_same_matches_and_refuses_others():
    matches = simulated.study(np.random.default_rng(6), lengths=(5,), matches=60, players=[MIDDLE, WEAK])
    matches = matches.assign(rolls=100)
    deep = matches.assign(player_chequer_error_emg=matches["player_chequer_error_emg"] * 0.9)
    table = pairs.depth(played("a", matches), played("b", deep), 0.9)
    assert table["epm_ratio"].to_numpy() == pytest.approx(0.9)
    assert table["epm_ratio_low"].to_numpy() == pytest.approx(0.9)  # every match alike: nothing to vary
    assert table["epc_ratio"].to_numpy() == pytest.approx(1.0)
    other = deep.assign(actual_result=-deep["actual_result"])
    with pytest.raises(UnusableMatchesError, match="a and b do not hold the same matches"):
        pairs.depth(played("a", matches), played("b", other), 0.9)


def test_pairs_are_predicted_from_their_own_rates(part2):
    pair = simulated.Player("expert+beginner", 0.0, 0.06, 0.0, 0.02)
    other = played("appendix2", simulated.study(np.random.default_rng(7), lengths=(5,), matches=300, players=[pair]))
    formula, alternative = part2.formula, rivals.alternative(part2, 0.9)
    row = pairs.out_of_sample([other], formula, alternative).iloc[0]
    assert row["predicted"] == pytest.approx(formula.coefficient("b", 5)[0] * row["epc"], abs=1e-6)
    assert row["alternative"] == pytest.approx(alternative.coefficient("b", 5)[0] * row["epc_moves"], abs=1e-6)
    spread = np.hypot(row["rating_difference_se"], row["predicted_se"])
    assert row["deviation"] == pytest.approx((row["rating_difference"] - row["predicted"]) / spread)
    assert (row["published_low"], row["published_high"]) == (21, 41)
    nothing = pairs.out_of_sample([other], None, None).iloc[0]
    assert np.isnan(nothing["predicted"])


def test_ratings_of_three_players_add_up_unless_the_pair_is_odd():
    quiet = pairs.both_err(part1(), 0.9).set_index("match_length")
    assert list(quiet.index) == [1, 5]
    assert (quiet["deviation"].abs() < 3).all()
    row = quiet.loc[5]
    assert row["rating_gap"] == pytest.approx(row["weak_rating"] - row["middle_rating"] - row["pair_rating"])
    assert row["predicted"] == pytest.approx(row["slope_without_pair"] * row["pair_depd"])
    odd = pairs.both_err(part1(shift=0.35), 0.9).set_index("match_length")
    assert odd.loc[1, "deviation"] < -4
    assert odd.loc[1, "rating_gap_low"] > 0
    assert odd.loc[5, "deviation"] == pytest.approx(quiet.loc[5, "deviation"])


def test_studies_not_played_leave_their_tables_without_rows(part2):
    none, other = tables({})
    assert list(none) == list(TABLES)
    assert other is None
    assert all(table.empty for name, table in none.items() if name != "cube_only")
    some, other = tables({"part2": part2})
    assert other is not None
    assert {name for name, table in some.items() if table.empty} == {
        "equity_table", "depth", "out_of_sample", "both_err",
    }  # fmt: skip
