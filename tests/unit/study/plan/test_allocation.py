"""Allocation of matches: what the textbook says of it, least numbers, and the designs it is written as."""

import math

import numpy as np
import pandas as pd
import pytest
import yaml

from bgrating.rating.fibs import log_odds_per_point
from bgrating.settings import SettingsError, check
from study.formula.mixture import moments
from study.plan import asked_lengths, one_wish
from study.plan.allocation import LEAST_LUCK, LEAST_RATES, PlanError, Point, best, for_budget, for_half_width, rate
from study.plan.report import design_texts

COSTS = {"luck": 0.17, "errors": 0.03, "plain": 0.014}


def point(p, spread, player="noise-0.02+noise-0.1", length=5):
    rng = np.random.default_rng(6)
    luck, errors = rng.normal(0, 0.22, (4000, 2)), rng.gamma(2, spread, (4000, 2))
    result = luck @ [1.0, -1.0] - errors.sum(axis=1) + rng.normal(0, 0.07, 4000)
    return Point(length, player, "expert", p, moments(result, luck, errors), COSTS, 0.01)


def test_slope_and_published_error_by_hand():
    one = point(0.4, 0.02)
    assert one.slope == pytest.approx(1 / (abs(float(log_odds_per_point(5))) * 0.24))
    assert one.published_std_error(400) == pytest.approx(one.slope * 0.1 / 20)
    assert one.cpu({"luck": 10, "errors": 100, "plain": 1000}) == pytest.approx(1.7 + 3 + 14)


def test_cpu_goes_by_the_two_thirds_power_and_no_shift_of_it_does_better():
    points = [point(0.45, 0.005), point(0.3, 0.02, "intermediate"), point(0.1, 0.06, "beginner")]
    plan = for_budget(points, 6000.0)
    spent = plan["cpu_seconds"].to_numpy()
    weights = np.array([rate(one) for one in points]) ** (2 / 3)
    np.testing.assert_allclose(spent / spent.sum(), weights / weights.sum(), rtol=0.02)
    assert spent.sum() == pytest.approx(6000, rel=0.01)

    def mean(seconds):
        return np.mean([one.std_error(best(one, s)) for one, s in zip(points, seconds, strict=True)])

    here = mean(spent)
    for shift in ([150, -150, 0], [-150, 0, 150], [0, 150, -150]):
        assert mean(spent + shift) > here - 1e-3 * here


def test_a_wanted_half_width_is_reached_everywhere_and_hardly_overdone():
    points = [point(0.45, 0.005), point(0.1, 0.06, "beginner")]
    plan = for_half_width(points, 12.0)
    assert (plan["half_width"] <= 12.0).all()
    assert (plan["half_width"] > 11.0).all()
    with pytest.raises(PlanError, match="more than 0 points"):
        for_half_width(points, 0.0)


def test_least_numbers_are_kept():
    found = best(point(0.1, 0.06), 60.0)
    assert found["luck"] + found["errors"] >= LEAST_RATES
    assert found["luck"] == 0 or found["luck"] >= LEAST_LUCK
    with pytest.raises(PlanError, match="are less than the 6 s"):
        best(point(0.1, 0.06), 1.0)


def test_a_plan_is_written_as_designs_that_studies_accept():
    plan = for_budget([point(0.45, 0.005), point(0.1, 0.06, "beginner")], 900.0)
    texts = design_texts(plan, "mine", 7)
    assert set(texts) <= {"mine-luck", "mine-errors", "mine-plain"}
    total = 0
    for text in texts.values():
        settings = yaml.safe_load(text)
        check(settings, "design", "test")
        total += sum(one["matches"] for one in settings["points"])
    assert total == plan[["luck", "errors", "plain"]].to_numpy().sum()
    plain = yaml.safe_load(texts["mine-plain"])
    assert plain["analysis"] == "none"


def test_the_same_cpu_as_published_by_hand():
    plan = for_budget([point(0.45, 0.005), point(0.3, 0.02, "intermediate")], 340.0)
    # Two points at 0.17 s a match with luck: 1000 matches at each for 340 s.
    expected = 1.6448536 * point(0.45, 0.005).slope * math.sqrt(0.01 / 1000)
    assert plan["published_half_width"].iloc[0] == pytest.approx(expected)
    assert isinstance(plan, pd.DataFrame)


def test_wishes_are_checked():
    assert asked_lengths("3, 5,5") == (3, 5)
    assert asked_lengths("") == ()
    with pytest.raises(SettingsError, match="x is not a match length"):
        asked_lengths("5,x")
    for wrong in ((None, None), (5.0, 1.0)):
        with pytest.raises(SettingsError, match="one of halfwidth= "):
            one_wish(*wrong)
    one_wish(None, 2.0)
