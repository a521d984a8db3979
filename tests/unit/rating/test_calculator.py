"""The calculator: figures by hand from the kept formulas, what it refuses, and the page's script beside it."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.rating.calculator import (
    CalculatorError,
    PeopleScale,
    Player,
    Row,
    calculate,
    page_context,
    people_scale,
    worth_showing,
)
from bgrating.rating.formula import read_formula
from bgrating.rating.known import nets_with_formula
from bgrating.rating.published import published_formula

MOVE = "EPM and cube error per move"


def named(rows: list[Row], words: str) -> Row:
    return next(row for row in rows if words in row.name)


def test_our_formula_is_that_of_its_file(project: Path) -> None:
    formula = read_formula(project / "results/1.07.001/formula.json")
    points, error = formula.rating_difference(7, epm=0.0081, epc=0.0032)
    rating = named(calculate(Player(epm=8.1, epc=3.2, count="move"), 7, nets="1.07.001"), MOVE).rating
    assert rating is not None
    assert rating.value == pytest.approx(2050 - points)
    assert rating.high - rating.low == pytest.approx(2 * formula.half_width(error))


def test_a_difference_has_the_interval_of_the_difference(project: Path) -> None:
    formula = read_formula(project / "results/1.07.001/formula.json")
    points, error = formula.rating_difference(5, epm=0.004, epc=0.001)
    own, other = Player(epm=12, epc=5, count="move"), Player(epm=8, epc=4, count="move")
    row = named(calculate(own, 5, other, nets="1.07.001"), MOVE)
    assert row.difference is not None
    assert row.chance is not None
    assert row.difference.value == pytest.approx(points)
    low, high = people_scale().widened(points, points - formula.half_width(error), points + formula.half_width(error))
    assert (row.difference.low, row.difference.high) == pytest.approx((low, high))
    assert row.chance.low == pytest.approx(1 / (1 + 10 ** (high * math.sqrt(5) / 2000)))
    assert row.chance.value == pytest.approx(1 / (1 + 10 ** (points * math.sqrt(5) / 2000)))


def test_the_published_formula_and_xgs_rule_stand_beside_it() -> None:
    rows = calculate(Player(pr=6.0, epm=8.1, epc=32, count="close"), 7)
    published = published_formula("bilinear").rating_difference(7, epm=0.0081, epc=0.032)[0]
    for words, points in (("constants of 2003", published), ("XG's rule", 198.0)):
        rating = named(rows, words).rating
        assert rating is not None
        assert rating.value == pytest.approx(2050 - points)
        assert math.isnan(rating.low)


def test_gnubgs_epc_is_read_with_as_many_close_decisions_as_people_have(project: Path) -> None:
    """By hand at 7 points: the field's share of close decisions turns EPC into cube error per move."""
    field = pd.read_csv(project / "results/1.08/field/matches.csv")
    own = field[field["match_length"] == 7]
    share = own["close_cube_decisions"].sum() / own["unforced_moves"].sum()
    expected = named(calculate(Player(epm=8.1, epc=32 * share, count="move"), 7), MOVE).rating
    found = named(calculate(Player(epm=8.1, epc=32, count="close"), 7), "EPM and EPC").rating
    assert expected
    assert found
    assert found.value == pytest.approx(expected.value, abs=3)
    assert found.low < expected.low < expected.high < found.high
    both = named(calculate(Player(epm=8.1, epc=32, count="close"), 7, Player(epm=8.1, epc=32, count="close")), "EPC")
    assert both.difference  # of equal players the coefficients cancel, and both shares of close decisions stay
    coefficients, alone = expected.high - expected.value, found.high - found.value
    assert both.difference.high == pytest.approx((2 * (alone**2 - coefficients**2)) ** 0.5, rel=0.01)


@pytest.mark.parametrize("length", [24, 25])
def test_nothing_is_read_off_the_line_outside_its_lengths(length: int) -> None:
    row = named(calculate(Player(epm=8.1, epc=3.2, count="move"), length, nets="1.07.001"), MOVE)
    assert row.rating is None
    assert row.why.endswith(f"does not hold at {length}")


def test_a_player_far_off_is_outside_the_domain() -> None:
    row = named(calculate(Player(epm=30, epc=7, count="move"), 5), MOVE)
    assert row.warning.startswith("outside its domain")
    near = calculate(Player(epm=30, epc=7, count="move"), 5, Player(epm=29, epc=7, count="move"))
    assert named(near, MOVE).warning == ""
    wild = calculate(Player(epm=30, epc=8, count="move"), 5, Player(epm=29, epc=8, count="move"))
    assert "cube errors of 16.0 milli-EMG a move, where it was measured up to 15" in named(wild, MOVE).warning


def test_another_depth_is_refused_by_the_formulas_of_engines_alone() -> None:
    player = Player(epm=8.1, epc=3.2, count="move")
    why = named(calculate(player, 7, depth="3-ply"), MOVE).why
    assert "0-ply" in why
    assert "3-ply" in why
    close = calculate(Player(epm=8.1, epc=32, count="close"), 7, depth="3-ply")
    assert named(close, "constants of 2003").rating is not None


@pytest.mark.parametrize("depth", ["banana", "2ply", ""])
def test_an_unknown_depth_is_refused_by_name(depth: str) -> None:
    with pytest.raises(CalculatorError, match=f"no analysis level '{depth}'.*there are: 0-ply, 1-ply, 2-ply"):
        calculate(Player(pr=6.0), 7, depth=depth)


def test_the_page_divides_cube_errors_as_the_command_does(project: Path) -> None:
    page = (project / "report/calculator.html.j2").read_text()
    assert page_context()["counts"]
    assert next(iter(page_context()["counts"])) == Player(pr=1).count == "close"
    assert "calculator.counts.items()" in page.partition('name="count"')[2]


@pytest.mark.parametrize("nets", nets_with_formula())
def test_the_page_computes_the_same(project: Path, nets: str) -> None:
    node = shutil.which("node")
    if not node:
        pytest.skip("node, which runs the page's script, is not installed (Debian: package nodejs)")
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(40):
        rates = [dict(zip(("pr", "epm", "epc"), rng.uniform(0, (15, 40, 90)).round(2), strict=True)) for _ in range(2)]
        player, other = (one | {"count": str(rng.choice(["close", "move"]))} for one in rates)
        depth = str(rng.choice(["0-ply", "2-ply", "3-ply"]))
        cases.append([player, int(rng.integers(1, 26)), other if rng.random() < 0.5 else None, depth])
    script = f"""
const c = require({json.dumps(str(project / "report/calculator.js"))});
const known = {json.dumps(page_context()["known"])};
const rows = {json.dumps(cases)}.map(([a, n, b, d]) => c.calculate(known, a, n, b, {json.dumps(nets)}, d));
console.log(JSON.stringify(rows.map((each) => [each, c.worthShowing(each).map((row) => row.name)])));
"""
    page_rows = json.loads(subprocess.run([node, "-e", script], capture_output=True, text=True, check=True).stdout)
    for (player, length, other, depth), (theirs, names_shown) in zip(cases, page_rows, strict=True):
        ours = calculate(Player(**player), length, Player(**other) if other else None, nets=nets, depth=depth)
        assert [row.name for row in worth_showing(ours)] == names_shown
        assert [row.name for row in ours] == [row["name"] for row in theirs]
        for row, same in zip(ours, theirs, strict=True):
            assert (row.why, row.warning) == (same.get("why", ""), same.get("warning", ""))
            for name in ("rating", "difference", "chance"):
                figure = getattr(row, name)
                assert (figure is None) == (same.get(name) is None)
                if figure:
                    numbers = [same[name][end] for end in ("value", "low", "high")]
                    expected = [figure.value, figure.low, figure.high]
                    assert [math.nan if n is None else n for n in numbers] == pytest.approx(expected, nan_ok=True)


def test_an_interval_is_widened_by_the_scale_alone_where_nothing_else_is_unsure() -> None:
    scale = PeopleScale(1.1, 0.9, 1.3)
    assert scale.widened(100.0, 100.0, 100.0) == pytest.approx((90.0, 130.0))
    assert scale.widened(-100.0, -100.0, -100.0) == pytest.approx((-130.0, -90.0))
    assert scale.widened(0.0, -5.0, 5.0) == pytest.approx((-5.0, 5.0))
    assert scale.widened(100.0, 60.0, 160.0) == pytest.approx(
        (100 - (40**2 + 10**2) ** 0.5, 100 + (60**2 + 30**2) ** 0.5)
    )
