"""Populations with a known truth, studies drawn from them, and how coverage is counted."""

import numpy as np
import pytest

import simulated
from bgrating.rating.fibs import win_probability
from bgrating.rating.published import published_formula
from bgrating.rating.shapes import BILINEAR, EVEN
from study.evidence import coverage, coverage_tables, simulation
from study.evidence.simulation import populations, tilted
from study.formula.catalogue import KINDS, Result, evaluate
from study.formula.cells import UnusableMatchesError
from study.formula.estimators import ESTIMATORS, Results
from study.formula.points import observations, points
from study.formula.recommended import recommended

PLAYER = simulated.Player("noise-0.02+noise-0.4", 0.02, 0.4, 0.0125, 0.11)


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(14)
    matches = simulated.study(rng, lengths=(5,), matches=500, players=[PLAYER])
    key = (5, PLAYER.name, "expert")
    return matches, populations(matches, {key: 150.0}, ("epm", "epc"))[0]


def test_a_population_has_the_truth_asked_for(made):
    matches, one = made
    own, w = one.matches, one.weights
    assert w @ own["actual_result"] + 0.5 == pytest.approx(float(win_probability(150.0, 5)), abs=1e-5)
    assert w @ own["player_luck_mwc"] == pytest.approx(0, abs=1e-5)
    pooled = (w @ own["player_cube_error_emg"]) / (w @ own["player_close_cube_decisions"])
    plain = matches["player_cube_error_emg"].sum() / matches["player_close_cube_decisions"].sum()
    assert pooled == pytest.approx(plain, rel=1e-4)
    assert w.sum() == pytest.approx(1)


def test_a_truth_out_of_reach_is_refused(made):
    with pytest.raises(UnusableMatchesError, match=r"5 points, noise-0\.02"):
        populations(made[0], {(5, PLAYER.name, "expert"): 3000.0}, ("epm", "epc"))
    with pytest.raises(UnusableMatchesError, match="30 matches are too few for a population"):
        populations(made[0].head(30), {(5, PLAYER.name, "expert"): 150.0}, ("epm",))
    with pytest.raises(UnusableMatchesError, match="here: its matches cannot be weighted"):
        tilted(np.array([[1.0], [2.0], [3.0]]), "here")


def test_many_studies_at_once_are_what_the_estimators_say_one_by_one(made):
    one = made[1]
    drawn = np.random.default_rng(1).choice(len(one.weights), size=(3, 60), p=one.weights)
    chances, spreads, rates = simulation._reduced(one, drawn)
    for i, rows in enumerate(drawn):
        results = Results(*(one.matches[name][rows] for name in (
            "actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"
        )))  # fmt: skip
        for method in simulation.METHODS:
            chance = ESTIMATORS[method](results)
            assert chances[method][i] == pytest.approx(chance.p, abs=1e-9)
            assert spreads[method][i] == pytest.approx(chance.se, rel=1e-9)
        errors, moves = (one.matches[f"player_{n}"][rows].sum() for n in ("chequer_error_emg", "unforced_moves"))
        assert rates["epm"][i] == pytest.approx(errors / moves)


def test_the_interval_of_r_covers_and_a_wrong_truth_is_seen(made):
    studies = simulation.simulate([made[1]], 400, 200, np.random.default_rng(2))
    table = coverage.rating_coverage(studies, "exact").set_index("method")
    assert 0.85 <= table.loc["control-variate", "coverage"] <= 0.95
    assert table.loc["control-variate", "default"]
    moved = coverage.scattered(studies, 60.0, np.random.default_rng(3))
    assert coverage.rating_coverage(moved, "misfit").set_index("method").loc["control-variate", "coverage"] < 0.6


def test_coefficients_are_counted_against_the_formula_that_the_studies_came_from(monkeypatch):
    """With the recommended formula as the truth, and with the study's own, which is offered but not the default."""
    monkeypatch.setattr(coverage_tables, "LEAST", 50)
    monkeypatch.setattr("study.evidence.simulation.LEAST", 50)
    monkeypatch.setattr(coverage_tables, "PERSONS", ("expert+noise-0.4",))
    matches = simulated.study(np.random.default_rng(4), lengths=(3, 5), matches=60)
    own, even = (fitted(matches, form, epc) for form, epc in ((BILINEAR, "today"), (EVEN, "moves")))
    table = coverage_tables.coverage_tables(matches, even, own, 4, 40, 5)["coverage"]
    assert set(table["formula"]) == {"recommended", "EPC", ""}
    defaults = table[table["default"]]
    assert set(defaults["formula"]) == {"recommended", ""}
    assert set(defaults["kind"]) == {"joint-probability-clustered", "one design point"}
    assert set(table[table["formula"] == "EPC"]["kind"]) == {"joint-probability-clustered"}
    b = even.coefficient("b", 5)[0]
    # Single lengths are fitted with lines, of which the true b has no part over N.
    single = table[(table["kind"] == "probability") & (table["world"] == "exact")].set_index("term")["truth"]
    assert set(single["b"]) == {b}
    assert single["b_inv"] == 0
    assert single["a2_inv"] == even.estimate[1]
    theirs = table[(table["formula"] == "EPC") & (table["term"] == "b") & (table["match_length"] == 3)]
    assert set(theirs["truth"]) == {own.coefficient("b", 3)[0]}
    assert (table["studies"] > 0).all()
    once = coverage_tables.coverage_tables(matches, own, own, 4, 40, 5)["coverage"]
    assert set(once["formula"]) == {"recommended", ""}


def fitted(matches, form, epc):
    table = points(matches)
    seen = observations(table[table["method"] == "control-variate"], form, epc)
    answers = evaluate(KINDS["joint-probability-clustered"], form, seen).items()
    results = [Result(form, "joint-probability-clustered", "control-variate", epc, n, fit) for n, fit in answers]
    return recommended(results, table, {}, epc, form)


def test_counting_by_hand():
    answers = np.array([[1.0, 0.0, 2.0, 1.0], [3.0, 2.5, 3.5, 1.0], [2.0, 1.0, 3.0, 1.0], [0.0, -1.0, 1.0, 1.0]])
    got = coverage.counted(answers, 1.0)
    assert (got["studies"], got["covered"], got["coverage"]) == (4, 3, 0.75)
    assert got["bias"] == pytest.approx(0.5)
    assert got["coverage_low"] < 0.75 < got["coverage_high"]


def test_a_default_out_of_bounds_is_named(made):
    studies = simulation.simulate([made[1]], 100, 100, np.random.default_rng(2))
    table = coverage.rating_coverage(coverage.scattered(studies, 60.0, np.random.default_rng(3)), "misfit")
    assert any("rating difference R" in line for line in coverage.outside(table))
    assert not list(coverage.outside(table.assign(coverage=0.9)))
    assert published_formula("bilinear").epc_definition == "2003"
