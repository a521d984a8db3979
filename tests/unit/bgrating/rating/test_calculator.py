"""The calculator: figures by hand from kept formulas, refusals, and the page's script."""

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

from bgrating.command.numbers import read_number
from bgrating.rating.calculator import (
    CalculatorError,
    Figure,
    Player,
    Row,
    _warning,
    calculate,
    page_context,
    worth_showing,
)
from bgrating.rating.cube_counts import OPTIONS
from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.rating.formula_of_2003 import published_formula
from bgrating.rating.known import ENGINE_VERSIONS, people_error
from corpus import cases

MOVE = "EPM and cube error per move"


def named(rows: list[Row], words: str) -> Row:
    return next(row for row in rows if words in row.name)


def half_width(formula: RatingFormula, error: float, *shares: float) -> float:
    """Return half an interval: of the coefficients, and of relative errors of the points."""
    return formula.half_width(float(np.sqrt(error**2 + sum(share**2 for share in shares))))


def test_a_rating_by_hand(project: Path) -> None:
    """The file's coefficients, the scatter of players round it, and what is unknown of people."""
    formula = read_formula(project / "results/1.07.001/formula.json")
    points, error = formula.rating_difference(7, epm=0.0081, epc=0.0032)
    rating = named(
        calculate(Player(epm=8.1, epc=3.2, count="move"), 7, nets="1.07.001"), MOVE
    ).rating
    value, scatter = 2050 - points, formula.metadata["tau"] * points
    half = half_width(formula, error, scatter, people_error() * points)
    assert (rating.value, rating.low, rating.high) == pytest.approx(
        (value, value - half, value + half)
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_a_difference_by_hand_lies_in_the_middle_of_its_interval(project: Path, sign: int) -> None:
    formula = read_formula(project / "results/1.07.001/formula.json")
    points, error = formula.rating_difference(5, epm=0.004, epc=0.001)
    players = [Player(epm=12, epc=5, count="move"), Player(epm=8, epc=4, count="move")][::sign]
    row = named(calculate(players[0], 5, players[1], nets="1.07.001"), MOVE)
    losses = [
        formula.rating_difference(5, epm=epm, epc=epc)[0]
        for epm, epc in ((0.012, 0.005), (0.008, 0.004))
    ]
    scatters = [formula.metadata["tau"] * loss for loss in losses]
    half = half_width(formula, error, *scatters, people_error() * points)
    found, points = row.difference, sign * points
    assert (found.value, found.low, found.high) == pytest.approx(
        (points, points - half, points + half)
    )
    differences = (points, points + half, points - half)
    chances = (1 / (1 + 10 ** (worse * math.sqrt(5) / 2000)) for worse in differences)
    assert (row.chance.value, row.chance.low, row.chance.high) == pytest.approx(tuple(chances))


def test_the_error_of_people_is_some_thirteen_per_cent() -> None:
    """From 1.13 [0.99, 1.28]; 0.81 of Appendix I and 1.33 of strong players lie outside."""
    assert 0.08 < people_error() < 0.18
    row = named(calculate(Player(pr=6), 7, Player(pr=4)), "PR")
    assert 55 < row.difference.value < 70
    above = row.difference.high - row.difference.value
    assert 10 < above == pytest.approx(row.difference.value - row.difference.low)


def test_a_pr_is_rated_by_the_rates_that_go_with_it(project: Path) -> None:
    """What 500 times all errors per decision means, where one in five is about the cube."""
    row = named(calculate(Player(pr=6), 7), "PR")
    moves = named(calculate(Player(epm=6 * 1.7, epc=6 * 0.7, count="move"), 7), MOVE)
    assert row.rating.value == pytest.approx(moves.rating.value, abs=15)
    table = pd.read_csv(project / "results/1.08/people/per_pr.csv").set_index("rate")["ratio"]
    same = Player(epm=6000 * table["epm"], epc=6000 * table["cube_per_move"], count="move")
    assert row.rating.value == pytest.approx(named(calculate(same, 7), MOVE).rating.value)


def test_the_published_formula_and_xgs_rule_stand_beside_it() -> None:
    rows = calculate(Player(pr=6.0, epm=8.1, epc=32, count="close"), 7)
    published = published_formula("bilinear").rating_difference(7, epm=0.0081, epc=0.032)[0]
    for words, points in (("constants of 2003", published), ("XG's rule", 198.0)):
        rating = named(rows, words).rating
        assert rating.value == pytest.approx(2050 - points)
        assert math.isnan(rating.low)


def test_gnubgs_epc_is_read_with_as_many_close_decisions_as_people_have(project: Path) -> None:
    """At 7 points the field's share of close decisions turns EPC into cube error per move."""
    field = pd.read_csv(project / "results/1.08/field/matches.csv")
    own = field[field["match_length"] == 7]
    share = own["close_cube_decisions"].sum() / own["unforced_moves"].sum()
    expected = named(calculate(Player(epm=8.1, epc=32 * share, count="move"), 7), MOVE).rating
    found = named(calculate(Player(epm=8.1, epc=32, count="close"), 7), "EPM and EPC").rating
    assert found.value == pytest.approx(expected.value, abs=3)
    assert found.low < expected.low < expected.high < found.high
    # Of equal players the coefficients cancel, and both shares of close decisions stay.
    # Of equal players the coefficients and the error for people cancel; the scatter of both stays.
    formula = read_formula(project / "results/1.08/formula.json")
    table = pd.read_csv(project / "results/1.08/people/close.csv").iloc[0]
    cube = 0.032 * (table["share_const"] + table["share_inv"] / 7)
    loss, cubes = (formula.rating_difference(7, epm=epm, epc=cube)[0] for epm in (0.0081, 0.0))
    player = Player(epm=8.1, epc=32, count="close")
    both = named(calculate(player, 7, player), "EPC")
    own = formula.metadata["tau"] * loss, table["relative_error"] * cubes
    assert both.difference.value == 0
    assert both.difference.high == pytest.approx(half_width(formula, 0.0, *own, *own))


def test_a_match_to_one_point_has_no_cube(project: Path) -> None:
    """All of a PR is chequer play, and a cube error costs nothing."""
    table = read_formula(project / "results/1.08/formula.json")
    expected = 2050 - table.rating_difference(1, epm=6 / 500, epc=0.0)[0]
    assert named(calculate(Player(pr=6), 1), "PR").rating.value == pytest.approx(expected)
    for epc in (0, 300):
        found = named(calculate(Player(epm=12, epc=epc, count="move"), 1), MOVE).rating
        assert found.value == pytest.approx(expected)


@pytest.mark.parametrize(("rates", "words"), cases("sentences.far_off"))
def test_a_player_far_off_is_outside_the_domain(rates: list[list[float]], words: str) -> None:
    one, *others = (Player(epm=epm, epc=epc, count="move") for epm, epc in rates)
    warning = named(calculate(one, 5, *others), MOVE).warning
    assert words in warning
    assert bool(words) is bool(warning)


def test_another_depth_is_refused_by_the_formulas_of_engines_alone() -> None:
    why = named(calculate(Player(epm=8.1, epc=3.2, count="move"), 7, depth="3-ply"), MOVE).why
    assert "0-ply" in why
    assert "3-ply" in why
    close = calculate(Player(epm=8.1, epc=32, count="close"), 7, depth="3-ply")
    assert named(close, "constants of 2003").rating is not None


def test_the_ends_of_a_domain_are_within_it() -> None:
    formula = {"lengths": [7], "limit": 400.0, "cube_limit": 15.0}
    assert _warning(formula, 7, 400.0, {"epc": 0.015}) == ""
    assert "401 points" in _warning(formula, 7, 401.0)


def test_a_formula_of_ours_that_lacks_rates_is_shown_if_no_other_of_ours_gives_a_figure() -> None:
    lacking = Row("by EPM", "1.08", lacks_rates=True)
    of_others = Row("XG's rule", "", Figure(1800.0, math.nan, math.nan))
    ours = Row("by PR", "1.08", Figure(1800.0, 1700.0, 1900.0))
    assert worth_showing([lacking, of_others]) == [lacking, of_others]
    assert worth_showing([lacking, of_others, ours]) == [of_others, ours]


def test_the_page_divides_cube_errors_as_the_command_does(project: Path) -> None:
    page = (project / "report/calculator.html.j2").read_text()
    assert page_context()["counts"]
    assert next(iter(page_context()["counts"])) == Player(pr=1).count == "close"
    assert "calculator.counts.items()" in page.partition('name="count"')[2]


@pytest.fixture(name="script")
def _script(project: Path) -> Callable[[str], Any]:
    """Return a function that evaluates an expression with `c`, the script of the page."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node, which runs the page's script, is not installed (Debian: package nodejs)")

    def evaluated(expression: str) -> Any:
        text = f"const c = require({json.dumps(str(project / 'report/calculator.js'))});\n"
        command = [node, "-e", f"{text}console.log(JSON.stringify({expression}));"]
        return json.loads(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )

    return evaluated


@pytest.mark.parametrize("nets", ENGINE_VERSIONS)
def test_the_page_computes_the_same(script: Callable[[str], Any], nets: str) -> None:
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(40):
        rates = [
            dict(zip(("pr", "epm", "epc"), rng.uniform(0, (15, 40, 90)).round(2), strict=True))
            for _ in range(2)
        ]
        player, other = (one | {"count": str(rng.choice(["close", "move"]))} for one in rates)
        cases.append([player, int(rng.integers(1, 26)), other if rng.random() < 0.5 else None])
    known = json.dumps(page_context()["known"])
    rows = (
        f"{json.dumps(cases)}.map(([a, n, b]) => c.calculate({known}, a, n, b, {json.dumps(nets)}))"
    )
    page_rows = script(f"{rows}.map((each) => [each, c.worthShowing(each).map((row) => row.name)])")
    for (player, length, other), (theirs, names_shown) in zip(cases, page_rows, strict=True):
        ours = calculate(Player(**player), length, Player(**other) if other else None, nets=nets)
        assert [row.name for row in worth_showing(ours)] == names_shown
        assert [row.name for row in ours] == [row["name"] for row in theirs]
        for row, same in zip(ours, theirs, strict=True):
            assert (row.why, row.warning) == (same.get("why", ""), same.get("warning", ""))
            for name in ("rating", "difference", "chance"):
                figure = getattr(row, name)
                assert (figure is None) == (same.get(name) is None)
                for end in ("value", "low", "high") if figure else ():
                    number = math.nan if same[name][end] is None else same[name][end]
                    assert number == pytest.approx(getattr(figure, end), nan_ok=True)


def test_the_page_reads_a_number_as_the_command_does(script: Callable[[str], Any]) -> None:
    """`2,050` was 2.05 on the page, where the command refuses it."""
    texts = ["2,050", "6,5", "6.5", "12,345,678", "1,234.5", "1_0", "0x10", "nan", "1e3"]
    texts += ["+4", "6,", ".5", "6,5,"]
    theirs = script(
        f"{json.dumps(texts)}.map((text) => {{ try {{ return c.numberOf(text) }} catch {{ return"
        " null } })"
    )
    assert dict(zip(texts, theirs, strict=True)) == {text: number_or_none(text) for text in texts}


def number_or_none(text: str) -> float | None:
    try:
        return read_number(text)
    except click.BadParameter:
        return None


def test_a_player_without_errors_has_the_offset_and_an_even_chance_against_another() -> None:
    for count in OPTIONS:
        perfect = Player(pr=0, epm=0, epc=0, count=count)
        rows = [row for row in calculate(perfect, 1, perfect, offset=1900.0) if row.rating]
        assert rows
        assert {(row.rating.value, row.difference.value, row.chance.value) for row in rows} == {
            (1900.0, 0.0, 0.5)
        }


@pytest.mark.parametrize(("rates", "words"), cases("sentences.rates"))
def test_an_impossible_rate_is_refused(rates: dict[str, Any], words: str) -> None:
    with pytest.raises(CalculatorError, match=words):
        Player(**rates)
    assert Player(pr=100, epm=200, epc=1000)


def test_the_length_of_a_match_and_the_offset_have_bounds() -> None:
    assert calculate(Player(pr=4), 1, offset=100_000.0)
    for length, offset in ((0, 2050.0), (2.5, 2050.0), (7, 100_001.0), (7, -100_001.0)):
        with pytest.raises(
            CalculatorError, match=r"not (0|2\.5)$|a rating is a number from -100,000 to 100,000"
        ):
            calculate(Player(pr=4), length, offset=offset)  # type: ignore[arg-type]
