"""Ratings and chances from few matches: what holds for simulated people of known strength."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import choose
from study.people.few import PLAIN, few_matches, limits

CHOSEN = choose("published", "1.07.001")


def collection(seed: int = 1) -> pd.DataFrame:
    return simulated_people.collection(np.random.default_rng(seed), players=80, matches=500)


@pytest.mark.slow
def test_intervals_from_few_matches_hold_and_narrow() -> None:
    found = few_matches({"": (collection(), CHOSEN)}, 2050.0, rest=3)
    plain = found[found["interval"] == PLAIN].set_index("matches")
    assert list(plain.index) == [1, 2, 5]
    assert plain["coverage"].between(0.82, 0.98).all()
    assert plain["median_half_width"].is_monotonic_decreasing
    assert (plain["rms_from_deepest"] == 0).all()


@pytest.mark.slow
def test_a_worse_judge_is_further_from_the_deepest_and_from_the_truth() -> None:
    deep = collection()
    rng = np.random.default_rng(2)
    vague = deep.assign(chequer_error_emg=deep["chequer_error_emg"] * rng.gamma(4.0, 0.25, len(deep)))
    found = few_matches({"0-ply": (vague, CHOSEN), "2-ply": (deep, CHOSEN)}, 2050.0, rest=3)
    plain = found[(found["interval"] == PLAIN) & (found["matches"] == 1)].set_index("level")
    assert plain.loc["0-ply", "rms_error"] > plain.loc["2-ply", "rms_error"]
    assert plain.loc["0-ply", "rms_from_deepest"] > 20
    assert plain.loc["2-ply", "rms_from_deepest"] == 0


def test_chances_below_a_limit_come_true_as_often_as_expected() -> None:
    found = limits(collection(3))
    assert set(found["matches"]) == {1, 2, 5}
    many = found[found["n_players"] >= 40]
    assert len(many) > 5
    assert (abs(many["seen"] - many["expected"]) < 0.12).all()


def test_too_few_people_have_no_rows() -> None:
    assert limits(collection().head(10)).empty
    assert few_matches({"": (collection().head(10), CHOSEN)}, 2050.0).empty
