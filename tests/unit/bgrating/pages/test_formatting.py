"""Words of pages: one thing is not "1 things"."""

import math

import pytest

from bgrating.pages import formatting
from bgrating.pages.formatting import counted
from bgrating.rating.calculator import LIMITS
from bgrating.rating.limits import BelowLimit
from corpus import cases


def test_numbers_as_words():
    assert formatting.number(12345.6) == "12,346"
    assert formatting.number(-0.04, 1) == "0.0"
    assert formatting.number(float("nan")) == formatting.ABSENT
    assert formatting.between(1.0, float("nan")) == f"[1, {formatting.ABSENT}]"
    assert formatting.milli(0.01234) == "12.3"
    assert [formatting.lengths(n) for n in ((1,), (5,), (3, 5), (3, 5, 7))] == [
        "1 point",
        "5 points",
        "3 and 5 points",
        "3, 5 and 7 points",
    ]


@pytest.mark.parametrize(("count", "plural", "text"), cases("values.counts"))
def test_a_count_has_its_number(count: float, plural: str, text: str) -> None:
    assert counted(count, plural) == text


@pytest.mark.parametrize(("chances", "title"), cases("values.grades"))
def test_a_grade_is_named_only_where_it_is_certain(chances: tuple[float, ...], title: str) -> None:
    below = [BelowLimit(limit, chance) for limit, chance in zip(LIMITS, chances, strict=True)]
    assert formatting.grade(below) == title


def test_the_first_is_told_with_the_chance_to_be_the_best() -> None:
    """With standard deviations of 100, a difference of 100 has 141; Phi(0.707) is 76 %."""
    rows = [
        {"player": name, "rating": value, "ci_low": value - 164.49, "ci_high": value + 164.49}
        for name, value in (("ann", 1800.0), ("bob", 1700.0))
    ]
    first = "\u2068ann\u2069 is first with 1,800, and the best with a chance of 76 %."
    assert formatting.leader(rows) == first
    assert formatting.leader(rows[:1]) == ""
    assert formatting.leader([row | {"ci_low": math.nan} for row in rows]) == ""
