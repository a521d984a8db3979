"""People's ratio at a deeper level, and the rule that decides by it, on simulated people."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import RatingModel, choose
from level_rule import judged
from study.people import depth_ratios
from study.people.depth_ratios import DEEP, LOSSES, SEEN, judged_twice, ratios, ratios_by_author

KEPT = {"epm": 0.8, "cube_per_move": 0.7}
MISTAKE = 0.05
MODEL = RatingModel(choose("fitted", "1.08").formula, "")


def people(rng: np.random.Generator, *, steep: float = 0.0) -> pd.DataFrame:
    """Return two authors' matches judged twice; the deeper judge acquits a share of mistakes.

    With `steep` above 0 it keeps more of the mistakes of players who err more.
    """
    parts = []
    for group in (SEEN, "others"):
        sides = simulated_people.collection(rng, players=80, matches=300)
        sides["match"] = np.repeat(np.arange(300), 2)
        parts.append(sides.assign(group=group, file=group, player=group + sides["player"]))
    table = pd.concat(parts, ignore_index=True)
    epm = table.groupby("player")["chequer_error_emg"].transform("sum")
    epm = epm / table.groupby("player")["unforced_moves"].transform("sum")
    for rate, loss in LOSSES.items():
        chance = np.clip(KEPT[rate] + steep * (epm - epm.mean()) / epm.mean(), 0.05, 0.95)
        mistakes = rng.poisson(table[loss] / MISTAKE)
        kept = rng.binomial(mistakes, chance)
        sizes = rng.gamma(np.column_stack([kept, mistakes - kept]), MISTAKE)
        table[loss], table[loss + DEEP] = sizes.sum(axis=1), sizes[:, 0]
    return table


@pytest.mark.slow
@pytest.mark.parametrize("steep", [0.0, 0.5])
def test_one_ratio_rates_unless_it_grows_with_pr(steep: float) -> None:
    sides = people(np.random.default_rng(2), steep=steep)
    found = judged(sides, MODEL, sides).set_index("measure")
    slopes = found[found.index.str.startswith("slope")]
    assert slopes["holds"].tolist() == [not steep] * 2
    assert (slopes["estimate"] > 0).all() or not steep
    assert bool(found.loc["all", "holds"]) is not bool(steep)
    assert found.loc["scatter of the shift", "n_people"] <= 160
    assert ("mean shift, lowest third of PR" in found.index) is bool(steep)
    if steep:  # the ratio is too large for strong players and too small for weak ones
        thirds = found.loc[[name for name in found.index if "third" in name], "estimate"]
        assert thirds.is_monotonic_decreasing
        assert thirds.iloc[0] > 0 > thirds.iloc[-1]


def test_the_ratio_that_was_put_in_comes_back() -> None:
    table = ratios_by_author(people(np.random.default_rng(3)), "checked")
    assert table["group"].unique().tolist() == [SEEN, "others", "all matches"]
    off = (table["factor"] - table["rate"].map(KEPT)) / table["std_error"]
    assert (off.abs() < 3).all()
    assert table["std_error"].between(0.002, 0.03).all()
    assert table["n_matches"].tolist() == [300, 300, 300, 300, 600, 600]


def test_a_person_with_many_matches_does_not_decide_alone() -> None:
    """One keeps all losses in 200 matches, forty keep half in two each: near one half."""
    rows = [("busy", match, 50, 1.0, 1.0) for match in range(200)]
    rows += 2 * [(f"p{k}", 200 + k, 50, 0.2 + 0.05 * k, 0.1 + 0.025 * k) for k in range(40)]
    sides = pd.DataFrame(rows, columns=["player", "match", "unforced_moves", "shallow", "deep"])
    for loss in LOSSES.values():
        sides[loss], sides[loss + DEEP] = sides["shallow"], sides["deep"]
    found = ratios(sides)["epm"]
    assert found["factor"] == pytest.approx(0.51, abs=0.01)
    assert found["largest_share"] < 0.05


def test_matches_that_the_earlier_rule_saw_have_no_say() -> None:
    """Both players of matches 0 to 3 have four or more; p3, p4 fewer; other collections stay."""
    pairs = [("p1", "p2")] * 4 + [("p1", "p3"), ("p3", "p4")]
    rows = [(SEEN, match, name) for match, pair in enumerate(pairs) for name in pair]
    rows += [("others", match, name) for match in range(4) for name in ("q1", "q2")]
    sides = pd.DataFrame(rows, columns=["group", "match", "player"])
    left = sides[~depth_ratios._seen(sides)]
    matches = left.groupby("group")["match"].unique().map(list).to_dict()
    assert matches == {SEEN: [4, 5], "others": [0, 1, 2, 3]}


AT_2_PLY = {"one man and his opponents": 742, SEEN: 295}
CHECKED = {"one man and his opponents": 775, SEEN: 528, "players of one server": 145}


@pytest.mark.parametrize(
    ("engine_version", "level", "matches"),
    [("1.07.001", "2-ply", AT_2_PLY), ("1.08", "checked", CHECKED | {"title matches": 59})],
)
def test_people_judged_at_two_depths_are_those_of_the_frozen_tables(
    engine_version: str, level: str, matches: dict[str, int]
) -> None:
    """Both depths judge the same decisions; the second look hardly ever raises a loss."""
    sides = judged_twice(engine_version, level)
    assert sides.groupby("group")["match"].nunique().to_dict() == matches
    for loss in LOSSES.values():
        assert np.corrcoef(sides[loss], sides[loss + DEEP])[0, 1] > 0.7
    if level == "checked":
        most = sides["chequer_error_emg"] * 1.25 + 0.1
        assert (sides["chequer_error_emg" + DEEP] <= most).mean() > 0.95
