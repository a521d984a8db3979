"""Numbers on the command line: the types of every option that takes one.

People write decimals with a point or a comma, and thousands with commas. Python reads more: 1_0, nan, digits of other
scripts. A text that two people would read as two numbers is refused.
"""

import math
import re
from typing import Any

import click

_NUMBER = re.compile(r"[+-]?(\d+|\d*[.,]\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
_TWO_READINGS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def read_number(text: str) -> float:
    """Return the number that a text means. Raises BadParameter where it means none, or two."""
    if _TWO_READINGS.fullmatch(text):
        thousands, decimal = text.replace(",", ""), text.replace(",", ".")
        raise click.BadParameter(f"{text!r} can be {thousands} or {float(decimal):g}: write it without the comma")
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text.replace(",", ".")
    value = float(plain) if _NUMBER.fullmatch(plain) else math.nan
    if not math.isfinite(value):
        raise click.BadParameter(f"{text!r} is not a number")
    return value


def read_whole_number(text: str) -> int:
    """Return the whole number of up to 18 digits that a text means. Raises BadParameter."""
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
    if not _WHOLE.fullmatch(plain):
        raise click.BadParameter(f"{text!r} is not a whole number")
    return int(plain)


class Number(click.FloatRange):
    """A number, in a range where one is given."""

    name = "number"

    def _describe_range(self) -> str:
        return _described(self, super()._describe_range())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises BadParameter."""
        return super().convert(read_number(value) if isinstance(value, str) else value, param, ctx)


class WholeNumber(click.IntRange):
    """A whole number, in a range where one is given."""

    name = "whole number"

    def _describe_range(self) -> str:
        return _described(self, super()._describe_range())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises BadParameter."""
        return super().convert(read_whole_number(value) if isinstance(value, str) else value, param, ctx)


def _described(kind: click.FloatRange | click.IntRange, described: str) -> str:
    """Return how help describes a range; click describes one without bounds as x<=None."""
    return "" if kind.min is None and kind.max is None else described
