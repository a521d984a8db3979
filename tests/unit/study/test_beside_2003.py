from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import simulated_studies as simulated
from bgrating.rating.formula_of_2003 import published_formula
from study.beside_2003 import appendix1, beside_published
from study.formula.design_points import points


def pair(player, opponent, length, **columns):
    one = simulated.Player(player, 0.0, 0.06, 0.0, 0.02)
    other = simulated.Player(opponent, 0.0, 0.0, 0.0, 0.0)
    rng = np.random.default_rng(4)
    table = simulated.study(rng, lengths=(length,), matches=50, players=[one], opponent=other)
    return beside_published(points(table.assign(**columns))).iloc[0]


def results(p):
    """Luck-adjusted results with mean `p` and a little spread."""
    return np.tile([p - 0.5 - 0.01, p - 0.5 + 0.01], 25)


def test_a_published_pair_is_found_by_players_and_length():
    row = pair("expert+beginner", "expert", 11, luck_adjusted_result=results(0.45))
    printed = ["published_difference", "published_low", "published_high"]
    assert row[printed].tolist() == [29, 23, 36]
    rates = {"epm": 0.0, "epc": row["epc_2003_averaged"]}
    difference, _ = published_formula("bilinear").rating_difference(11, **rates)
    assert row["published_formula"] == pytest.approx(difference)
    assert row["published_epc"] == 0.0165
    assert np.isnan(pair("expert+beginner", "expert", 7)["published_difference"])
    assert np.isnan(pair("expert", "expert+beginner", 11)["published_difference"])


def test_people_of_appendix_1_are_rated_by_a_formula_that_costs_errors_twice_as_much():
    """With 2003's constants and no cube errors nothing moves; doubled, the offset stays."""
    chequer = {"chequer_error_emg": [1.0], "unforced_moves": [100]}
    cube = {"cube_error_emg": [0.0], "close_cube_decisions": [9], "close_cube_decisions_2003": [10]}
    field = pd.DataFrame(chequer | cube)
    paper = published_formula("bilinear")
    same, twice = (appendix1(field, replace(paper, estimate=n * paper.estimate)) for n in (1, 2))
    assert same["rating"].tolist() == pytest.approx(same["estimated_rating"].tolist())
    doubled = 2 * twice["estimated_rating"] - twice["rating_offset"]
    assert twice["rating"].tolist() == pytest.approx(doubled.tolist())
    assert len(twice) == 9


def test_the_rates_that_go_with_2003s_constants_are_averaged_over_matches():
    """EPM is 3/200 by totals, (1/50 + 2/150)/2 averaged; without cube errors, their ratio."""
    field = pd.DataFrame({"chequer_error_emg": [1.0, 2.0], "unforced_moves": [50, 150]})
    field = field.assign(cube_error_emg=0.0, close_cube_decisions=9, close_cube_decisions_2003=10)
    table = appendix1(field, replace(published_formula("bilinear"), epc_definition="today"))
    assert table["factor"].iloc[0] == pytest.approx((3 / 200) / ((1 / 50 + 2 / 150) / 2))
