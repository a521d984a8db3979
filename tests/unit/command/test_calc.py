"""`bgrating calc`: figures that the calculator gives, decimal commas, and rates that nobody has."""

import click
import pytest
from click.testing import CliRunner

from bgrating import BgratingError
from bgrating.command.calc import command
from bgrating.rating.calculator import people_scale
from bgrating.rating.limits import pr_below


def calc(words: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, words.split(), standalone_mode=False, catch_exceptions=False)
    return result.return_value, result.output


def test_figures_and_what_is_lacking() -> None:
    status, text = calc("--length 5 --pr 6 --against-pr 4")
    assert status == 0
    assert "XG's rule, 33 points per PR\n  rating 1852\n  66 points the weaker, chance of winning 45.8 %" in text
    assert "it needs" not in text
    status, text = calc("--length 25 --epm 8 --epc 4 --count move")
    assert status == 1
    assert "does not hold at 25" in text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--epm 8 --epc 30 --depth 2-ply", "not at 2-ply"),
        ("--epm 8 --epc 30 --depth 2-ply", "per unforced move (--count move)"),
        ("--pr 6 --depth 2-ply --nets 1.07.001", "not at 2-ply"),
        *((f"--pr 6 --length {length}", f"does not hold at {length}") for length in (1, 2, 25, 99)),
        ("--pr 6 --epm 8 --epc 30 --length 1", "does not hold at 1"),
    ],
)
def test_our_formula_tells_why_it_gives_no_rating(words: str, why: str) -> None:
    status, text = calc(words)
    assert status == 0
    assert why in text


def test_a_difference_carries_the_sentence_of_the_scale() -> None:
    assert people_scale().words in calc("--pr 6 --against-pr 4")[1]
    assert people_scale().words not in calc("--pr 6")[1]


def test_the_chance_of_a_true_pr_below_a_limit() -> None:
    lines = calc("--pr 5,8 --matches 12 --below 6.5")[1].splitlines()
    (expected,) = pr_below(5.8, 12, 7, [6.5])
    assert lines[-2:] == [
        "PR 5.8 from 12 matches to 7 points, judged by gnubg: chance that the true PR is",
        f"  {expected.words}",
    ]
    assert 0.6 < expected.chance < 0.95
    text = calc("--pr 3 --matches 1 --length 1")[1]
    assert all(f"below {limit}: " in text for limit in ("2.5", "4", "6.5", "10"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--pr 3 --below 4", "needs --pr, and --matches"),
        ("--epm 3 --epc 3 --matches 4", "needs --pr, and --matches"),
        ("--pr 3 --matches 4 --depth 2-ply", "known at 0-ply, not at 2-ply"),
    ],
)
def test_a_limit_needs_a_pr_and_its_matches(words: str, sentence: str) -> None:
    with pytest.raises(click.UsageError, match=sentence):
        calc(words)


def test_a_decimal_comma_is_read() -> None:
    assert calc("--length 7 --pr 6,5") == calc("--length 7 --pr 6.5")
    assert calc("--length 7 --epm 8,1 --epc 32,0 --offset 2000,5") == calc(
        "--length 7 --epm 8.1 --epc 32 --offset 2000.5"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--length 7", "needs a PR, or EPM and cube error"),
        ("--length 7 --epm 3", "needs a PR, or EPM and cube error"),
        ("--length 0 --pr 3", "a whole number of points, 1 or more, not 0"),
        ("--length 7 --pr -3", "pr is a positive number"),
        ("--length 7 --pr nan", "pr is a positive number"),
        ("--length 7 --pr 600", "a PR of 600 is beyond any player (at most 100): is the decimal point missing?"),
        (
            "--length 7 --epm 810 --epc 3",
            "an EPM of 810 is beyond any player (at most 200 milli-EMG): is the decimal point missing?",
        ),
        ("--length 7 --pr 6 --against-pr 400", "a PR of 400 is beyond any player"),
        ("--pr 6 --depth 2ply", "no analysis level '2ply': did you mean 2-ply?"),
        ("--pr 6 --offset nan", "offset nan: a rating is a number"),
        ("--pr 6 --offset 1e300", "offset 1e+300: a rating is a number"),
        ("--length 7 --pr 3 --nets 1.06", "no formula for gnubg 1.06; there are: 1.08"),
    ],
)
def test_what_no_formula_answers_is_one_sentence(words: str, sentence: str) -> None:
    with pytest.raises(BgratingError) as problem:
        calc(words)
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)
