"""The fourth test: its rule, its design and power as written down, and the position on simulated matches."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.play import designs
from bgrating.play.designs import frozen_matches, frozen_table
from bgrating.play.matches import read_checked
from bgrating.rating.fibs import win_probability
from bgrating.tables.tables import read_table
from study.law import FOURTH_TEST, STUDIES, between
from study.law.forms import Points, points_of, smooth, together
from study.law.tests import fixed_coefficients

LAW_FOLDER = committed_results("1.08") / "law"
FIXED = fixed_coefficients(LAW_FOLDER / f"{FOURTH_TEST}-fixed.json")
POWER = read_table(LAW_FOLDER / f"{FOURTH_TEST}-power.csv")


@pytest.fixture(scope="module")
def planned() -> Points:
    """Return the points of the design as its power was computed: from the studies that were there before."""
    held = {}
    for name in (study for study in STUDIES if study in designs.studies() and study != FOURTH_TEST):
        lengths = frozen_matches(committed_results("1.08"), designs.design(name))
        tables = [read_checked(frozen_table(committed_results("1.08"), name, n)) for n in lengths]
        held |= {name: pd.concat(tables)} if tables else {}
    sides = between.level_rates(held["people-range"])
    epm, cube = sides["blunders-0.14"]
    sides["blunders-0.16"] = (16 / 14 * epm, 16 / 14 * cube)
    part1 = held["part1"]
    held["part1"] = part1[part1["match_length"].isin((1, 3, 5, 7))]  # what there was of it
    points = together(points_of({name: table}) for name, table in held.items())
    return between.planned(designs.design(FOURTH_TEST), sides, smooth(points))


def test_the_design_is_the_one_written_down(planned: Points) -> None:
    design = designs.design(FOURTH_TEST)
    others = [designs.design(name) for name in designs.studies() if name != FOURTH_TEST]
    played = {frozenset((point.player, point.opponent)) for other in others for point in other.points}
    assert not {frozenset((point.player, point.opponent)) for point in design.points} & played
    assert design.seed not in {other.seed for other in others}
    assert len(design.points) == 60
    assert {point.matches for point in design.points} == {300}
    assert sum("blunders" in point.player + point.opponent for point in design.points) == 21
    assert 0.005 < planned.both_cubes.min() < planned.both_cubes.max() < 0.010
    assert planned.both_cubes.mean() == pytest.approx(0.0073, abs=5e-5)
    assert planned.both_err.all()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.5, 0.9, "law"), (0.1, 1.2, "frozen"), (-0.1, 1.1, "undecided"), (0.1, 0.9, "both refuted"),
        (1.1, 2.0, "both refuted"), (-1.0, -0.1, "both refuted"),
    ],
)  # fmt: skip
def test_the_verdict_is_the_one_written_down(low: float, high: float, said: str) -> None:
    assert between.verdict(low, high) == said


@pytest.mark.parametrize(("name", "position"), [("law", 0.0), ("frozen", 1.0)])
def test_a_true_form_is_found_with_the_spread_that_its_error_says(planned: Points, name: str, position: float) -> None:
    rng, found, errors = np.random.default_rng(20), [], []
    form, (estimate, _) = between.PAIR[name], FIXED[name]
    chance = win_probability(form.difference(planned.rates, planned.length, estimate), planned.length)
    spread = np.sqrt(planned.covariance[:, 0, 0])
    for _ in range(200):
        seen = replace(planned, chance=chance + rng.normal(0, spread))
        first = between.positions(seen, FIXED).iloc[0]
        found.append(first["position"])
        errors.append(first["std_error"])
    assert np.mean(found) == pytest.approx(position, abs=4 * errors[0] / np.sqrt(200))
    assert np.std(found) == pytest.approx(errors[0], rel=0.2)


def test_the_power_written_down_is_what_the_code_gives_and_what_the_page_says(planned: Points, project) -> None:  # type: ignore[no-untyped-def]
    made = between.power(planned, FIXED)
    known = POWER[["law", "frozen"]].to_numpy()
    assert (made["truth"] == POWER["truth"]).all()
    assert made[["law", "frozen"]].to_numpy() == pytest.approx(known, abs=0.002)
    page = (project / "docs" / "preregistration-frozen-form.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.search(r"\| (fixed|drawn) \|", line)]
    for line, row in zip(rows, POWER.to_dict("records"), strict=True):
        shares = [f"{row[key]:.2f}" for key in ("law", "frozen", "undecided", "both_refuted")]
        assert [cell.strip() for cell in line.split("|")][4:8] == shares
