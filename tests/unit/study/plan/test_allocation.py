"""Allocation of matches: what the textbook says of it, wanted half-widths, and the design it is written as."""

import numpy as np
import pandas as pd
import pytest
import yaml

import simulated
from bgrating.rating.intervals import quantile
from bgrating.settings import SettingsError, check
from study.formula.points import points
from study.plan import asked_lengths, require_one_of
from study.plan.allocation import LEAST, PlanError, design_text, make_plan

COSTS = pd.DataFrame(
    [
        (n, task, cost)
        for n in (3, 5)
        for task, cost in (("play", 0.001), ("analyse", 0.5), ("analyse with luck", 0.003))
    ],
    columns=["match_length", "task", "cpu_per_roll"],
)


@pytest.fixture(scope="module")
def matches() -> pd.DataFrame:
    table = simulated.study(np.random.default_rng(4), lengths=(3, 5), matches=200)
    return table.assign(rolls=np.where(table["match_length"] == 5, 100, 60))


def test_a_wanted_half_width_is_reached_by_no_more_matches_than_that_takes(matches: pd.DataFrame) -> None:
    plan = make_plan(matches, COSTS, 9.0, None, ())
    assert (plan["half_width"] <= 9.0).all()
    tight = plan[plan["matches"] > LEAST]
    assert len(tight) > 5
    assert (tight["half_width"] > 8.9).all()
    assert plan["cpu_seconds"].sum() == pytest.approx(
        sum(
            n * rolls * 0.004
            for n, rolls in zip(plan["matches"], plan["match_length"].map({3: 60, 5: 100}), strict=True)
        )
    )
    measured = points(matches).query("method == 'control-variate'")["rating_difference_se"].to_numpy()
    assert plan["half_width_now"].to_numpy() == pytest.approx(quantile(0.9) * measured)


def test_a_budget_is_spent_so_that_no_shift_of_it_does_better(matches: pd.DataFrame) -> None:
    plan = make_plan(matches, COSTS, None, 2.0, (5,))
    assert set(plan["match_length"]) == {5}
    assert plan["cpu_seconds"].sum() == pytest.approx(7200, rel=0.01)
    spread = (plan["half_width"] * np.sqrt(plan["matches"])).to_numpy()
    cost = (plan["cpu_seconds"] / plan["matches"]).to_numpy()
    here = (spread / np.sqrt(plan["cpu_seconds"] / cost)).mean()
    for give, take in ((0, 1), (1, 0), (0, 3), (2, 1)):
        cpu = plan["cpu_seconds"].to_numpy().copy()
        cpu[take] -= 100
        cpu[give] += 100
        assert (spread / np.sqrt(cpu / cost)).mean() > here * (1 - 1e-4)


def test_what_cannot_be_planned_is_said(matches: pd.DataFrame) -> None:
    for wanted, said in (
        ({"lengths": (7,)}, "nothing has been played at 7 points"),
        ({"hours": 0.001}, "core-hours do not reach for 100 matches at every design point"),
        ({"costs": COSTS[COSTS["match_length"] == 3]}, "no costs were measured at 5 points, only at 3"),
    ):
        asked = {"costs": COSTS, "half_width": None, "hours": 1.0, "lengths": (), **wanted}
        with pytest.raises(PlanError, match=said):
            make_plan(matches, **asked)


def test_a_plan_is_written_as_a_design_that_studies_accept(matches: pd.DataFrame) -> None:
    plan = make_plan(matches, COSTS, 9.0, None, ())
    settings = yaml.safe_load(design_text(plan, "mine", 7))
    check(settings, "design", "test")
    assert sum(one["matches"] for one in settings["points"]) == plan["matches"].sum()


def test_wishes_are_checked() -> None:
    assert asked_lengths("3, 5,5") == (3, 5)
    assert asked_lengths("") == ()
    with pytest.raises(SettingsError, match="x is not a match length"):
        asked_lengths("5,x")
    for wrong in ((None, None), (5.0, 1.0)):
        with pytest.raises(SettingsError, match="one of halfwidth= "):
            require_one_of(*wrong)
    require_one_of(None, 2.0)
