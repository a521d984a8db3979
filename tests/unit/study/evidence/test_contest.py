"""The contest of formulas and the rule of choice, over studies with a known formula and tables made by hand."""

import numpy as np
import pandas as pd
import pytest

import simulated
from bgrating.rating.fibs import win_probability
from bgrating.rating.shapes import BILINEAR, line_design
from study.comparison.studies import of_matches, pooled
from study.evidence import choice, contest
from study.evidence.contest import INCUMBENT, OTHERS, WAYS
from study.evidence.tables import other_studies, whole_lengths
from study.formula.fits import joint
from study.formula.points import Observations
from study.formula.regressions import UndeterminedError, fit_chances


def played(matches):
    return of_matches("part2", matches)


def test_measures_by_hand():
    one = Observations(
        np.array([5, 5]), np.zeros((2, 1)), np.array([0.40, 0.30]), np.array([0.01, 0.02]), np.array([9, 9]),
        np.array(["a", "b"]),
    )  # fmt: skip
    slope = np.log(10) * np.sqrt(5) / 2000
    error, se = contest.errors(one, np.zeros(2))  # a chance of one half is predicted
    np.testing.assert_allclose(error, np.array([0.10, 0.20]) / slope / 0.25)
    np.testing.assert_allclose(se, np.array([0.01, 0.02]) / slope / 0.25)
    weights = np.array([4.0, 1.0]) / 5
    assert contest.rms(error, se) == pytest.approx(np.sqrt(weights @ error**2))
    assert contest.misfit(error, se) == pytest.approx(np.sqrt(weights @ error**2 - 2 / np.sum(se**-2)))
    assert contest.misfit(error * 0.01, se) == 0
    expected = [-np.log(0.5) + p * np.log(p) + (1 - p) * np.log(1 - p) for p in one.p]
    np.testing.assert_allclose(contest.loss(one, np.zeros(2)), 1000 * np.array(expected))
    assert win_probability(0, 5) == 0.5


def test_the_per_match_is_over_matches():
    one = Observations(
        np.array([5, 5]), np.zeros((2, 1)), np.array([0.40, 0.30]), np.array([0.01, 0.02]), np.array([30, 10]),
        np.array(["a", "b"]),
    )  # fmt: skip
    first, second = contest.loss(one, np.zeros(2))
    assert contest.per_match(one, np.zeros(2)) == pytest.approx(0.75 * first + 0.25 * second)


def test_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(1).normal(size=12)
    value, low, high = contest.jackknife(lambda keep: float(values[keep].mean()), np.arange(12).astype(str))
    assert value == pytest.approx(values.mean())
    assert (high - low) / 2 == pytest.approx(1.795885 * values.std(ddof=1) / np.sqrt(12))  # t of 11, 95 %


@pytest.fixture(scope="module")
def judged():
    # Cube errors this dear can be told from chequer errors, so that one rate for both is wrong.
    truth = simulated.Truth(b_const=3000.0)
    matches = simulated.study(np.random.default_rng(2), lengths=(3, 5, 7), matches=150, truth=truth)
    return played(matches), contest.contest(played(matches))


def test_the_true_shape_is_nearer_in_every_way_and_the_difference_is_paired(judged):
    table = judged[1].set_index(["way", "rival"])
    for way in WAYS:
        linear = table.loc[(way, "linear")]
        assert linear["points"] > table.loc[(way, INCUMBENT), "points"]
        assert linear["points_low"] > 0
        assert linear["points_difference"] == pytest.approx(linear["points"] - table.loc[(way, INCUMBENT), "points"])
        assert linear["log_loss_difference"] == pytest.approx(
            linear["log_loss"] - table.loc[(way, INCUMBENT), "log_loss"]
        )
        assert np.isnan(table.loc[(way, INCUMBENT), "points_low"])


def test_other_functions_of_length_are_worse_than_the_true_one(judged):
    table = contest.scalings(judged[0], INCUMBENT).set_index(["way", "scaling"])["points"]
    assert table["left_out_length", "published"] < table["left_out_length", "root"]
    assert table["left_out_length", "published"] < table["left_out_length", "fourth-root"]


def test_other_studies_are_predicted_by_the_fit_to_the_cells_alone(judged):
    study, _ = judged
    name = "intermediate+noise-0.4"
    middle, strong = (simulated.Player(one, 0.04, 0.4, 0.033, 0.1) for one in ("intermediate", name))
    rng = np.random.default_rng(9)
    tables = {
        "pairs": simulated.study(rng, lengths=(1, 5), matches=100, players=[strong], opponent=middle),
        "levels": pd.concat(
            simulated.study(rng, lengths=(3,), matches=100, players=[first], opponent=second)
            for first, second in ((strong, middle), (middle, strong))
        ),
    }
    deeper = tables["levels"].assign(player="1-ply")
    tables["levels"] = pd.concat([tables["levels"], deeper, deeper.assign(player="expert-diluted-0.1")])
    made = other_studies(tables, (3, 5, 7))
    assert [one.name for one in made] == ["pairs", "levels"]
    assert set(made[0].matches["match_length"]) == {5}  # a single point lies outside what was fitted
    assert set(made[1].matches["player"]) == {"intermediate", name}
    rival = contest.RIVALS[INCUMBENT]
    seen = pooled(made, rival)
    assert sorted(set(seen.pairs)) == [f"levels: intermediate against {name}", f"pairs: intermediate against {name}"]
    assert len(seen) == 3  # whoever begins is one pair, but two design points
    table = contest.contest(study, made)
    row = table[(table["way"] == OTHERS) & (table["rival"] == INCUMBENT)].iloc[0]
    cells = study.observed(rival)
    fit = joint(cells, BILINEAR, fit_chances)
    error = contest.errors(seen, line_design(seen.predictors, seen.match_length) @ fit.estimate)
    assert row["points"] == pytest.approx(contest.rms(*error))
    assert row["n_points"] == 3
    assert other_studies({"pairs": tables["pairs"]}, (7,)) == []


def rows(**highs):
    """A contest in which each challenger's upper ends are as given: points in four ways, log loss of other studies."""
    made = []
    for name, (point, player, length, other, log_loss, error) in highs.items():
        for way, high in zip((*WAYS, OTHERS), (point, player, length, other), strict=True):
            made.append(
                {
                    "way": way, "rival": name.replace("_", "-"), "reference": INCUMBENT, "points": error,
                    "points_difference": high - 1, "points_low": high - 2, "points_high": high,
                    "log_loss_difference": log_loss - 1, "log_loss_low": log_loss - 2, "log_loss_high": log_loss,
                    "words": name,
                }
            )  # fmt: skip
    return pd.DataFrame(made)


def test_the_rule_of_choice():
    good = (-1.0, -1.0, -1.0, -1.0, -0.1, 10.0)
    assert choice.chosen(rows(per_cube_decision=good))[0] == "per-cube-decision"
    # Nearer, but not eligible: more coefficients.
    both = rows(per_cube_decision=good, curvature=(-2.0, -2.0, -2.0, -2.0, -1.0, 5.0))
    assert choice.chosen(both)[0] == "per-cube-decision"
    nearest = rows(per_cube_decision=good, bilinear_2003=(-1.0, -1.0, -1.0, -1.0, -0.1, 9.0))
    assert choice.chosen(nearest)[0] == "bilinear-2003"
    # As good to a tenth of a point, with a coefficient less.
    fewer = rows(per_unforced_move=good, per_unforced_move_even=(*good[:5], 10.05))
    assert choice.chosen(fewer)[0] == "per-unforced-move-even"
    worse = rows(per_unforced_move=good, per_unforced_move_even=(*good[:5], 10.2))
    assert choice.chosen(worse)[0] == "per-unforced-move"
    for i in range(5):  # one interval that reaches zero is enough to stay
        spoilt = list(good)
        spoilt[i] = 0.1
        name, reason = choice.chosen(rows(per_cube_decision=tuple(spoilt)))
        assert name == INCUMBENT
        assert "no challenger" in reason
        assert "the nearest, per_cube_decision, for players left out: 10.0 rating points" in reason
    assert choice.chosen(rows(per_cube_decision=(np.nan,) * 6))[0] == INCUMBENT
    alone = rows(per_cube_decision=good)
    name, reason = choice.chosen(alone[alone["way"] != OTHERS])
    assert (name, "none have been played" in reason) == (INCUMBENT, True)


def test_the_recommended_formula_says_what_it_counts_and_where_it_holds(judged):
    study, table = judged
    formula = choice.recommendation(study.points, table, {"study": "part2", "nets": "1.07.001"})
    assert formula.epc_definition == choice.ELIGIBLE[formula.facts["rival"]][1]
    assert "matches of 3 to 7 points" in formula.facts["domain"]
    assert "as gnubg 1.07.001 finds them" in formula.facts["domain"]
    good = rows(per_cube_decision=(-1.0, -1.0, -1.0, -1.0, -0.1, 10.0))
    every = choice.recommendation(study.points, good, {"nets": "1.07.001"})
    assert every.epc_definition == "every"
    b, error = every.coefficient("b", 5)
    # The simulated players have six decisions to every close one.
    assert abs(b - 6 * simulated.Truth(b_const=3000.0).at(5)["b"]) < 4 * error
    move = choice.recommendation(
        study.points, rows(per_unforced_move_even=(-1.0, -1.0, -1.0, -1.0, -0.1, 9.0)), {"nets": "1.07.001"}
    )
    assert move.terms == ("a2_const", "a2_inv", "b_const")
    assert move.epc_definition == "moves"
    one = study.points[study.points["match_length"] == 5]
    with pytest.raises(UndeterminedError, match="before two match lengths"):
        choice.recommendation(one, good, {"nets": "1.07.001"})


def test_a_contest_is_over_lengths_that_have_been_played_whole(judged):
    """Part II plans 500 matches a cell; these studies have 150, and one length that is filled up to what is planned."""
    none = whole_lengths(judged[0])
    assert len(none.matches) == len(none.points) == 0
    name, reason = choice.chosen(contest.contest(none))
    assert (name, "no challenger" in reason) == (INCUMBENT, True)
    at_5 = judged[0].matches[judged[0].matches["match_length"] == 5]
    filled = pd.concat([judged[0].matches[judged[0].matches["match_length"] != 5], *[at_5] * 4]).groupby(
        ["match_length", "player"]
    )
    study = played(filled.head(500).reset_index(drop=True))
    assert set(whole_lengths(study).matches["match_length"]) == {5}
    assert set(whole_lengths(study).points["match_length"]) == {5}
