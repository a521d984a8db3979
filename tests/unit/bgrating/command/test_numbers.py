"""Numbers on the command line: how people write them, and what is never read as another number."""

import importlib

import click
import pytest

from bgrating.command import COMMANDS
from bgrating.command.numbers import Number, WholeNumber
from corpus import cases
from study.__main__ import OWN

ANY, WHOLE = Number(), WholeNumber()
KINDS = {"any": ANY, "whole": WHOLE, "1 to 25": WholeNumber(1, 25)}
KINDS |= {"above 0": Number(0, min_open=True)}
KINDS |= {"from 0 to 0.5": Number(0, 0.5, min_open=True, max_open=True)}


@pytest.mark.parametrize(("text", "value"), cases("values.numbers"))
def test_a_number_is_read_as_people_write_it(text: str, value: float) -> None:
    assert ANY.convert(text, None, None) == value


@pytest.mark.parametrize(("text", "value"), cases("values.whole_numbers"))
def test_a_whole_number_may_have_commas_between_thousands(text: str, value: int) -> None:
    found = WHOLE.convert(text, None, None)
    assert (found, type(found)) == (value, int)


@pytest.mark.parametrize(("kind", "text", "why"), cases("values.no_numbers"))
def test_a_text_that_is_no_number_or_ambiguous_is_refused(kind: str, text: str, why: str) -> None:
    with pytest.raises(click.BadParameter) as problem:
        KINDS[kind].convert(text, None, None)
    assert why in problem.value.message


@pytest.mark.parametrize("module", [module for module, _ in {**COMMANDS, **OWN}.values()])
def test_every_option_that_takes_a_number_reads_it_so(module: str) -> None:
    command: click.Command = importlib.import_module(module).command
    kinds = (click.types.FloatParamType, click.types.IntParamType)
    numbers = {param.name: param.type for param in command.params if isinstance(param.type, kinds)}
    assert [
        name for name, kind in numbers.items() if not isinstance(kind, Number | WholeNumber)
    ] == []
