"""Better or worse, and credible or not: the answers happen as often as they say, where the truth is known."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from bgrating.people.players import errors_of
from bgrating.people.questions import WANTED, chance_of_match, change, credible, later_against_earlier
from bgrating.rating.calculator import people_scale
from bgrating.rating.choose import choose
from bgrating.rating.field import Field

FIELD = Field(3.5, 0.03, 0.3, 9.0, 500, 500)
PR_FIELD = Field(1.5, 0.01, 0.12, 1.4, 500, 500)


def shown(rng: np.random.Generator, root: float, moves: float, scatter: float) -> float:
    return float(max(rng.normal(root, math.sqrt(scatter / moves)), 0.0) ** 4)


def row(loss: float, moves: float) -> dict[str, float]:
    return {"loss": loss, "own_se": math.nan, "matches": 1, "moves": moves}


def test_a_change_is_inside_its_interval_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    inside, runs = 0, 2000
    for _ in range(runs):
        first, second = 3.5, 3.3
        table = pd.DataFrame([row(shown(rng, r, 1200.0, 9.0), 1200.0) for r in (first, second)])
        found = change(table, FIELD)
        inside += found.low <= first**4 - second**4 <= found.high
    assert 0.88 < inside / runs < 0.93


def test_more_matches_narrow_the_change_as_it_says() -> None:
    few = change(pd.DataFrame([row(150.0, 300.0), row(145.0, 300.0)]), FIELD)
    more = change(pd.DataFrame([row(150.0, 300.0 * few.times), row(145.0, 300.0 * few.times)]), FIELD)
    ends = people_scale().widened(more.difference, more.difference - WANTED, more.difference + WANTED)
    assert (more.low, more.high) == pytest.approx(ends)
    more_matches = int(re.search(r"about ([\d,]+) more matches", few.words())[1].replace(",", ""))  # type: ignore[index]
    assert few.words().startswith("Neither better nor worse for sure")
    assert (few.times - 1) * 2 <= more_matches <= 1.1 * (few.times - 1) * 2 + 1
    assert "Better than before" in change(pd.DataFrame([row(200.0, 9e4), row(120.0, 9e4)]), FIELD).words()


def test_a_low_rate_happens_as_often_as_it_says() -> None:
    """Players drawn from the field, known by one stretch of matches, then three matches more."""
    rng = np.random.default_rng(4)
    chances, happened = [], []
    for _ in range(3000):
        root = rng.normal(PR_FIELD.mean, PR_FIELD.sd)
        others = pd.DataFrame([row(shown(rng, root, 800.0, 1.4), 800.0)])
        chances.append(credible(others, PR_FIELD, 3.0, 300.0))
        happened.append(shown(rng, root, 300.0, 1.4) <= 3.0)
    assert abs(np.mean(chances) - np.mean(happened)) < 0.02
    sure = np.array(chances) < 0.05
    assert np.mean(np.array(happened)[sure]) < 0.05


def test_halves_in_time_and_a_match_against_the_others() -> None:
    """Twenty matches at one rate, then twenty at half of it: the change is shown, and a faultless one is rare."""
    chosen, early, late = choose("fitted", "1.08"), match(0.6), match(0.3)
    own = pd.DataFrame([early] * 20 + [late] * 20)
    change_shown = later_against_earlier(errors_of(own, chosen), chosen, 2050.0, FIELD)
    assert change_shown is not None
    assert change_shown.words().startswith("Better than before")
    assert (
        later_against_earlier(errors_of(own.iloc[::-1], chosen), chosen, 2050.0, FIELD)
        .words()
        .startswith("Worse than before")
    )  # type: ignore[union-attr]
    assert later_against_earlier(errors_of(own.head(1), chosen), chosen, 2050.0, FIELD) is None
    chances = [chance_of_match(errors_of(own, chosen), place, chosen, 2050.0, FIELD) for place in (0, 20)]
    assert chances[0] > 0.5 > chances[1]
    faultless = pd.concat([own, pd.DataFrame([match(0.0)])], ignore_index=True)
    assert chance_of_match(errors_of(faultless, chosen), 40, chosen, 2050.0, FIELD) < 0.05
    assert math.isnan(chance_of_match(errors_of(own.head(1), chosen), 0, chosen, 2050.0, FIELD))


def match(error: float) -> dict[str, float]:
    return {
        "match_length": 7, "chequer_error_emg": error, "unforced_moves": 90, "cube_error_emg": 0.0,
        "close_cube_decisions": 9, "close_cube_decisions_2003": 9.0,
    }  # fmt: skip
