"""Numbers, names and formulas in the words of the pages."""

import math
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from scipy.special import ndtr

from bgmatch.records import Record
from bgrating.rating.calculator import GRADES
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.limits import BelowLimit

ABSENT = "–"
NAMES = {"epm": "EPM", "epc": "EPC", "depd": "DEPD"}
LETTERS = 40
"""Most letters of a name in a sentence or a table heading."""


def short(text: str, most: int = LETTERS) -> str:
    """Return a name, cut to `most` letters with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def isolated(name: str) -> str:
    """Return a short name between Unicode isolates.

    A name written right to left does not reorder its sentence.
    """
    return f"\u2068{short(name)}\u2069"


def leader(rows: Sequence[Record]) -> str:
    """Say who leads a ranking (the best first), and with what chance that player is the best.

    Ratings scatter as normal distributions with their intervals of CONFIDENCE. The text is empty
    without intervals.
    """
    if len(rows) < 2 or math.isnan(rows[0]["ci_low"]):
        return ""
    table = np.array(list(map(itemgetter("rating", "ci_low", "ci_high"), rows)))
    rating, low, high = table[~np.isnan(table).any(axis=1)].T
    spread = np.maximum((high - low) / (2 * quantile(CONFIDENCE)), 0.1)
    ends = np.linspace(-6.0, 6.0, 241)
    values = rating[0] + spread[0] * (ends[1:] + ends[:-1]) / 2
    below = ndtr((values[:, None] - rating[1:]) / spread[1:])
    chance = (np.diff(ndtr(ends)) * below.prod(axis=1)).sum()
    percentage = "over 99" if chance > 0.99 else f"{100 * chance:.0f}"
    first = f"{isolated(rows[0]['player'])} is first with {number(rows[0]['rating'])}"
    return f"{first}, and the best with a chance of {percentage} %."


def counted(count: float, plural: str) -> str:
    """Write a count with its noun: "1 player", "2 players", "1 match"."""
    singular = plural.removesuffix("es") if plural.endswith("ches") else plural.removesuffix("s")
    noun = singular if count == 1 else plural
    return f"{number(count)} {noun}"


def number(value: float | None, decimals: int = 0) -> str:
    """Write a number with commas between thousands; a dash if it is missing or infinite."""
    if value is None or not math.isfinite(value):
        return ABSENT
    text = f"{value:,.{decimals}f}"
    return text if text.strip("-0.,") else text.lstrip("-")


def span(low: float, high: float) -> str:
    """Write an interval as "1,815 to 1,895"; empty without an interval."""
    return "" if math.isnan(low + high) else f"{number(low)} to {number(high)}"


def between(low: float | None, high: float | None, decimals: int = 0) -> str:
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def milli(value: float) -> str:
    return number(1000 * value, 1)


def line(formula: RatingFormula, name: str) -> str:
    """Write a coefficient as a function of match length, such as 8,798 + 25,526 / N (33,885 at 1
    point).
    """
    values = dict(zip(formula.terms, formula.estimate, strict=True))
    if name in values:
        return f"{number(values[name])} (at {formula.match_lengths[0]} points only)"
    at_one = f" ({number(values[f'{name}_one'])} at 1 point)" if f"{name}_one" in values else ""
    if f"{name}_inv" not in values:
        return f"{number(values[f'{name}_const'])} at every match length{at_one}"
    inverse = values[f"{name}_inv"]
    sign = "-" if inverse < 0 else "+"
    return f"{number(values[f'{name}_const'])} {sign} {number(abs(inverse))} / N{at_one}"


def lines(formula: RatingFormula) -> str:
    return "; ".join(f"{name}(N) = {line(formula, name)}" for name in formula.coefficients)


def misfit(formula: RatingFormula) -> str:
    """Write the goodness of fit of a formula, such as "a chi-square of 85 on 78"."""
    fit = formula.metadata["goodness_of_fit"]
    return f"a chi-square of {number(fit['chi_square'])} on {number(fit['dof'])}"


def lengths(values: Sequence[int]) -> str:
    """Write match lengths: "1 point", "3, 5 and 7 points"."""
    *most, last = map(str, values)
    listed = f"{', '.join(most)} and {last}" if most else last
    return f"{listed} point" if listed == "1" else f"{listed} points"


def grade(below: Sequence[BelowLimit]) -> str:
    """Return the best title that the true PR holds with probability CONFIDENCE or more.

    The text is empty if it holds none.
    """
    sure = [title.limit for title in below if title.chance >= CONFIDENCE]
    return f"{grade_below(min(sure))} or better" if sure else ""


def grade_below(limit: float) -> str:
    """Return the title that ends at a limit of PR: "grandmaster" at 4."""
    return GRADES[limit].removesuffix(" level")
