"""`bgrating check`: which programs speak UBGI, and what is said of those that do not."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bgduel.command.check import command
from corpus import cases

REFEREE = Path(__file__).parents[1]


def check(words: str, *more: str, engine: str = "ubgi_engine.py") -> tuple[int, list[str]]:
    limit = "1" if words == "hang" else "600"  # only a program that hangs may be late
    told = [f"{sys.executable} {REFEREE / engine} {words}", "--answer-limit", limit, *more]
    done = CliRunner().invoke(command, told, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.output.splitlines()


@pytest.mark.parametrize(("version", "none"), [("0.1", 4), ("0.2", 5)])
def test_a_program_that_keeps_to_a_specification_fails_nowhere(version: str, none: int) -> None:
    status, lines = check(version, engine="spec_engine.py")
    assert (status, lines[-1]) == (0, "Nothing failed.")
    # They lack XGIDs, what depends on these, and `stop`.
    assert sum(line.startswith("none") for line in lines) == none
    assert sum(line.startswith("pass") for line in lines) >= 19


def test_the_engine_that_the_documents_recommend_fails_nowhere() -> None:
    status, lines = check("")
    assert (status, lines[-1]) == (0, "Nothing failed.")


@pytest.mark.parametrize(("words", "first_failure"), cases("faults.named_by_check"))
def test_a_fault_is_named_with_the_answer(words: list[str], first_failure: str) -> None:
    status, lines = check(*words)
    failed = [line for line in lines if line.startswith("FAIL")]
    assert (status, first_failure in failed[0]) == (2, True)
    assert words != [""] or len(failed) == 1


def test_a_program_that_says_nothing_fails_at_the_first_check() -> None:
    done = CliRunner().invoke(command, ["true"], standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 2
    assert done.output.startswith(
        "FAIL  ubgi, isready and options are answered: its process ended with exit code 0"
    )
