"""Figures of the tables in words, as every answer writes them."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.people.tables import Check
from bgrating.report.words import between, number


class Finding(NamedTuple):
    """One line of an answer: what was found, the figure with its interval, and the matches or players behind it.

    A line that says why a collection cannot answer has no figure.
    """

    what: str
    figure: str = ""
    behind: str = ""


def records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in which the named columns have the wanted values."""
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def said(row: Mapping[str, Any], value: str = "value", ends: str = "ci", decimals: int = 2, scale: float = 1.0) -> str:
    """Write a figure of a row with its interval."""
    low, high = (None if pd.isna(row[f"{ends}_{end}"]) else scale * row[f"{ends}_{end}"] for end in ("low", "high"))
    return f"{number(scale * row[value], decimals)} {between(low, high, decimals)}"


def verdict(low: float, high: float) -> str:
    """Say what an interval of a ratio says of 1."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "too few matches to tell"
    if low > 1:
        return "more than noise's"
    if high < 1:
        return "less than noise's"
    return f"no difference shown; differences beyond {max(1 - low, high - 1):.0%} are excluded"


def count_of(row: Mapping[str, Any], *what: str) -> str:
    """Write how many players and matches are behind a row: "30 players, 120 matches"."""
    return ", ".join(f"{number(row[f'n_{name}'])} {name}" for name in what or ("matches",))


def cannot(check: Check, what: str) -> Finding:
    """Say that a collection is too small, and what it would need."""
    return Finding(f"This collection cannot say: {what} (it has {check.decided} decided matches with luck).")
