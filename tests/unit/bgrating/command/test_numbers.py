"""Numbers on the command line: how people write them, and what is never read as another number."""

import importlib

import click
import pytest

from bgrating.command import COMMANDS
from bgrating.command.numbers import Number, WholeNumber
from corpus import cases
from study.__main__ import OWN

ANY, WHOLE = Number(), WholeNumber()


@pytest.mark.parametrize(("text", "value"), cases("values.numbers"))
def test_a_number_is_read_as_people_write_it(text: str, value: float) -> None:
    assert ANY.convert(text, None, None) == value


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("20000", 20000), ("20,000", 20000), ("1,234,567", 1234567)]
)
def test_a_whole_number_may_have_commas_between_thousands(text: str, value: int) -> None:
    found = WHOLE.convert(text, None, None)
    assert (found, type(found)) == (value, int)


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        (ANY, "2,050", "'2,050' can be 2050 or 2.05: write it without the comma"),
        (ANY, "-12,345", "'-12,345' can be -12345 or -12.345"),
        *(
            (ANY, text, "is not a number")
            for text in ("1_0", "", " ", "x", "1,2,3", "1.2.3", "2.050,5", "٣", "0x10")
        ),
        *(
            (ANY, text, "is not a number")
            for text in ("nan", "inf", "-Infinity", "1e999", "1:30", "1 000", "12,34.5")
        ),
        *(
            (WHOLE, text, "is not a whole number")
            for text in ("1_0", "7.0", "7,5", "1e3", "", "x", "٣", "1,00")
        ),
        (WHOLE, "9" * 19, "is not a whole number"),
        (WholeNumber(1, 25), "26", "26 is not in the range 1<=x<=25."),
        (Number(0, min_open=True), "0", "0 is not in the range x>0."),
        (Number(0, 0.5, min_open=True, max_open=True), "0,5", "0.5 is not in the range 0<x<0.5."),
    ],
)
def test_a_text_that_is_no_number_or_ambiguous_is_refused(
    kind: Number | WholeNumber, text: str, why: str
) -> None:
    with pytest.raises(click.BadParameter) as problem:
        kind.convert(text, None, None)
    assert why in problem.value.message


@pytest.mark.parametrize("module", [module for module, _ in {**COMMANDS, **OWN}.values()])
def test_every_option_that_takes_a_number_reads_it_so(module: str) -> None:
    command: click.Command = importlib.import_module(module).command
    kinds = (click.types.FloatParamType, click.types.IntParamType)
    numbers = {param.name: param.type for param in command.params if isinstance(param.type, kinds)}
    assert [
        name for name, kind in numbers.items() if not isinstance(kind, Number | WholeNumber)
    ] == []
