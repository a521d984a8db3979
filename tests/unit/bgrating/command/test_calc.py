"""`bgrating calc`: figures that the calculator gives, and why it gives none."""

import pytest
from click.testing import CliRunner

from bgrating.command.calc import command
from bgrating.rating.limits import pr_below
from corpus import cases


def calc(words: str) -> tuple[int, str]:
    result = CliRunner().invoke(
        command, words.split(), standalone_mode=False, catch_exceptions=False
    )
    return result.return_value, result.output


def test_figures_and_what_is_missing() -> None:
    status, text = calc("--length 5 --pr 6 --against-pr 4")
    assert status == 0
    assert (
        "XG's rule, 33 points per PR\n  rating 1852\n  66 points the weaker, chance of winning"
        " 45.8 %" in text
    )
    assert "it needs" not in text
    status, text = calc("--depth 2-ply --pr 6 --nets 1.07.001")
    assert (status, "not for those at 2-ply" in text) == (0, True)


@pytest.mark.parametrize(("words", "why"), cases("sentences.calc_reasons"))
def test_our_formula_tells_why_it_gives_no_rating_or_a_doubtful_one(words: str, why: str) -> None:
    status, text = calc(words)
    assert (status, why in text) == (0, True)


def test_one_caveat_with_a_link_stands_below_ratings() -> None:
    *_, figure, caveat = calc("--pr 6 --against-pr 4")[1].splitlines()
    assert figure == "  66 points the weaker, chance of winning 45.0 %"
    assert caveat == (
        "Compare these ratings with each other only: 2050 for play without errors is a convention"
        " (docs/formula.md)."
    )


@pytest.mark.parametrize(("words", "warning"), cases("sentences.calc_outside"))
def test_only_a_use_outside_the_domain_is_warned_of(words: str, warning: str) -> None:
    lines = [line.strip() for line in calc(words)[1].splitlines() if "outside" in line]
    assert [line.startswith(warning) for line in lines] == [True] * bool(warning)


def test_the_chance_of_a_true_pr_below_a_limit() -> None:
    lines = calc("--pr 5,8 --matches 12 --below 6.5")[1].splitlines()
    (expected,) = pr_below(5.8, 12, 7, [6.5])
    assert lines[-2:] == [
        "PR 5.8 from 12 matches to 7 points, analysed by gnubg: chance that the true PR is",
        f"  {expected.description}",
    ]
    assert 0.6 < expected.chance < 0.95
    text = calc("--pr 3 --matches 1 --length 1")[1]
    assert all(f"below {limit}: " in text for limit in ("2.5", "4", "6.5", "10"))
