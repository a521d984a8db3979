"""Rival shapes and the bend, over simulated studies whose formula is known."""

import numpy as np
import pytest

import simulated
from bgrating.rating.formula import read_formula
from played_by import played
from study.comparison import rivals

TRUTH = simulated.Truth()


def test_the_true_shape_predicts_best_and_the_wrong_one_is_seen():
    # With cube errors this dear they and chequer errors cannot be taken for one rate. The players' measured error rates
    # vary round the true ones, so the true shape has more than one squared deviation a point too.
    truth = simulated.Truth(b_const=3000.0)
    study = played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=300, truth=truth))
    table = rivals.rivals(study).set_index("rival")
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
    formula = rivals.alternative(part2)
    formula.write(tmp_path / "alternative.json")
    again = read_formula(tmp_path / "alternative.json")
    assert again.epc_definition == "moves"
    # At 5 points the simulated players have 47 unforced moves to 6.5 close decisions: b is so many times as large.
    value, error = again.coefficient("b", 5)
    assert abs(value - 47 / 6.5 * TRUTH.at(5)["b"]) < 4 * error
    assert again.coefficient("b", 3)[0] == value


def test_a_bend_is_found_where_there_is_one(part2):
    straight = rivals.curvature(part2)
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
    found = rivals.curvature(study).set_index("shape").loc["square"]
    assert found["extra_low"] > 0
    assert found["extra"] == pytest.approx(6 * TRUTH.at(5)["b"], rel=0.5)
    assert found["slope_large"] == pytest.approx(found["slope_small"] + 2 * 0.1 * found["extra"])
    assert found["slope_widest"] < found["slope_large"] + found["extra"]
