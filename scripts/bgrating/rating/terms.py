"""Evaluate the terms of a formula, for numbers and arrays, without numpy; no other module does.

A term is a coefficient and its part of match length N: `a2_const` and `a2_inv` make a2(N) = const +
inv / N. If there is an `a2_one`, that alone is a2(1). A term without a part holds at the single
match length that was fitted.
"""

from collections.abc import Callable, Sequence
from typing import Any

from bgmatch.records import Record

FORMS: dict[str, Callable[[Any], Any]] = {
    "": lambda length: 1.0,
    "const": lambda length: 1.0,
    "one": lambda length: 1.0,
    "inv": lambda length: 1 / length,
}
"""The functions of match length that make up a coefficient."""
MULTIPLIES = {"a": "depd", "a2": "epm", "b": "epc", "pr": "pr"}
"""The error rate that each coefficient multiplies."""


def multipliers(terms: Sequence[str], length: Any, rates: Record) -> list[Any]:
    """Return the multiplier of each term's coefficient at match lengths, for error rates by name
    (of MULTIPLIES).

    Lengths and rates are numbers or arrays that broadcast together.
    """
    named = [term.partition("_")[::2] for term in terms]
    with_one = {name for name, form in named if form == "one"}
    factors = []
    for name, form in named:
        share = FORMS[form](length)
        if name in with_one:
            share = share * ((length == 1) == (form == "one"))
        factors.append(rates[MULTIPLIES[name]] * share)
    return factors


def beyond(measured: Sequence[int], match_length: float) -> str:
    """Return that a match length is outside the measured ones, as a sentence.

    Between them it is measured too.
    """
    longer = [length for length in measured if length > 1] or measured
    if match_length in measured or min(longer) <= match_length <= max(longer):
        return ""
    at = ", ".join(map(str, measured))
    return f"the formula was measured at {at} points; {match_length:g} points are beyond that"


def chance(difference: Any, match_length: Any) -> Any:
    """Return the chance (0 to 1) to win a match of a player who is `difference` FIBS points
    weaker.
    """
    return 1 / (1 + 10 ** (difference * match_length**0.5 / 2000))


def total(factors: Sequence[Any], values: Sequence[float]) -> Any:
    """Return the sum of products: rating points for multipliers and coefficients."""
    return sum(factor * value for factor, value in zip(factors, values, strict=True))


def variance(factors: Sequence[Any], covariance: Sequence[Sequence[float]]) -> Any:
    return total(factors, [total(factors, row) for row in covariance])
