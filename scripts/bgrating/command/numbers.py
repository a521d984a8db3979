"""The types of options that take a number.

Users write decimals with a point or a comma, and thousands with commas. Python also reads 1_0, nan
and digits of other scripts: these types refuse them. They refuse a text with two readings, such as
1,234.
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
    """Return the number that a text means. Raises BadParameter if it means none, or two."""
    if _TWO_READINGS.fullmatch(text):
        thousands = text.replace(",", "")
        decimal = text.replace(",", ".")
        raise click.BadParameter(
            f"{text!r} can be {thousands} or {float(decimal):g}: write it without the comma"
        )
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
    """A number, optionally in a range."""

    name = "number"

    # click describes a range without bounds as x<=None.
    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises BadParameter."""
        return super().convert(read_number(value) if isinstance(value, str) else value, param, ctx)


class WholeNumber(click.IntRange):
    """A whole number, optionally in a range."""

    name = "whole number"

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises BadParameter."""
        return super().convert(
            read_whole_number(value) if isinstance(value, str) else value, param, ctx
        )
