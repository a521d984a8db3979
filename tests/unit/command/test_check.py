"""`bgrating check`: which programs speak UBGI, and what is said of those that do not."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bgrating.command.check import command

REFEREE = Path(__file__).parents[1] / "referee"


def check(words: str, *more: str, engine: str = "ubgi_engine.py") -> tuple[int, list[str]]:
    told = [f"{sys.executable} {REFEREE / engine} {words}", "--answer-limit", "3", *more]
    done = CliRunner().invoke(command, told, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.output.splitlines()


@pytest.mark.parametrize(("version", "none"), [("0.1", 4), ("0.2", 5)])
def test_a_program_that_keeps_to_a_specification_fails_nowhere(version: str, none: int) -> None:
    status, lines = check(version, engine="spec_engine.py")
    assert (status, lines[-1]) == (0, "Nothing failed.")
    assert sum(line.startswith("none") for line in lines) == none  # an XGID, and what depends on it; stop
    assert sum(line.startswith("pass") for line in lines) >= 19


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("hang", "it did not answer in time"),
        ("illegal", "24/1 24/1, which the rules forbid"),
    ],
)
def test_a_fault_is_told_with_what_was_read(fault: str, sentence: str) -> None:
    status, lines = check(fault)
    assert status == 2
    failed = [line for line in lines if line.startswith("FAIL")]
    assert sentence in failed[0]


def test_a_program_that_says_nothing_fails_at_the_first_check() -> None:
    done = CliRunner().invoke(command, ["true"], standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 2
    assert done.output.startswith("FAIL  ubgi, isready and options are answered: its process ended with exit code 0")


def test_an_option_that_it_refuses_is_told() -> None:
    status, lines = check("", "--option", "Threads=2")
    assert status == 2
    assert "it refuses the option Threads=2" in lines[0]


def test_a_program_that_always_takes_fails() -> None:
    status, lines = check("")
    assert status == 2
    assert [line for line in lines if line.startswith("FAIL")] == [
        "FAIL  a trivial drop, by an XGID: its answer to a double is 'take', where only 'drop' makes sense"
    ]
