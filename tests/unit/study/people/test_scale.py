"""One factor for people: what the likelihood finds of simulated people of known strength, and of a deeper judge."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import choose
from study.people.pairs import pairs
from study.people.scale import ALL, DEEP, Likelihood, Meetings, coverage, drawn, folders, pairs_of, scale, simulated

FORMULA = choose("published", "1.07.001").formula


def people(matches: int = 250, seed: int = 1) -> pd.DataFrame:
    return pairs(simulated_people.collection(np.random.default_rng(seed), matches=matches))


@pytest.fixture(scope="module", name="fitted")
def _fitted() -> Likelihood:
    fitted = Likelihood(Meetings.of(people(), FORMULA))
    fitted.fit()
    return fitted


def test_the_factor_is_found_where_errors_cost_what_the_formula_gives(fitted: Likelihood) -> None:
    """In these collections a match's own errors move its result as the formula has it: W is 1, as F is."""
    assert 0.05 < fitted.std_error < 0.2
    assert abs(fitted.values[0] - 1) < 3 * fitted.std_error
    assert abs(fitted.named(fitted.values)["within"][0] - 1) < 0.3


def test_another_truth_is_found_too(fitted: Likelihood) -> None:
    """A larger factor in the same matches: the estimate follows."""
    low, high = (Likelihood(simulated(fitted, truth, np.random.default_rng(2))) for truth in (0.8, 1.6))
    assert high.fit(fitted.values) - low.fit(fitted.values) == pytest.approx(0.8, abs=0.15)


def test_coverage_is_counted_about_the_truth(fitted: Likelihood) -> None:
    assert drawn(fitted, 1) == drawn(fitted, 1)
    near, far = fitted.values[0] + np.array([0.1, 3.0]) * fitted.std_error
    (found,) = coverage(fitted, [near, far, near, near]).to_dict("records")
    assert (found["truth"], found["coverage"], found["replicates"]) == (fitted.values[0], 0.75, 4)


def test_levels_do_not_depend_on_the_match_itself() -> None:
    meetings = Meetings.of(people(), FORMULA)
    other = meetings.loss.copy()
    other[0, 0] *= 3
    changed = Meetings(**{**vars(Meetings.of(people(), FORMULA)), "loss": other})
    assert changed.level[0, 0] == pytest.approx(meetings.level[0, 0], rel=0.05)
    assert (changed.level != meetings.level).any()


@pytest.mark.slow
def test_a_deeper_judge_adds_a_row() -> None:
    table, rng = people(), np.random.default_rng(4)
    for side in ("player", "opponent"):
        for kind in ("chequer", "cube"):
            seen = table[f"{side}_{kind}_error_emg"] * 0.8 * rng.normal(1, 0.1, len(table))
            table[f"{side}_deeper_{kind}_error_emg"] = seen.where(np.arange(len(table)) % 2 == 0)
    found = scale(table, FORMULA).set_index("group")
    assert found.loc[DEEP, "ratio"] == pytest.approx(0.8, abs=0.03)
    assert found.loc[DEEP, "n_deeper"] == 125
    assert found.loc[ALL, "n_deeper"] == 0
    assert {"stronger half", "weaker half", "with the busiest player"} <= set(found.index)


def test_too_few_matches_have_no_rows() -> None:
    assert scale(people(40), FORMULA).empty


def test_collections_are_the_first_two_folders() -> None:
    files = [f"a/b/c/{n}.mat" for n in range(50)] + [f"a/d/{n}.mat" for n in range(3)] + ["x.mat"]
    assert folders(pd.DataFrame({"file": files})).value_counts().to_dict() == {"a/b": 50, "": 4}


def test_pairs_come_from_losses_with_numbers_for_names() -> None:
    sides = {"match": [0, 0], "side": ["left", "right"], "player": ["p0", "p1"], "match_length": 7}
    figures = {"unforced_moves": [50, 60], "close_cube_decisions": 5, "cube_error_emg": 0.1}
    about = {"level": "a", **sides, "luck_adjusted_result": [0.1, -0.1]}
    shallow = pd.DataFrame(about | figures | {"chequer_error_emg": [0.5, 0.7]})
    deep = shallow.assign(level="b", chequer_error_emg=[0.4, 0.6])
    (row,) = pairs_of(pd.concat([shallow, deep]), "a", "b", "here").to_dict("records")
    assert (row["file"], row["player"], row["opponent"]) == ("here/0", "herep0", "herep1")
    assert (row["player_chequer_error_emg"], row["opponent_deeper_chequer_error_emg"]) == (0.5, 0.6)
