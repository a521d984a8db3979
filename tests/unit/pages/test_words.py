"""Numbers as words."""

from bgrating.pages import words


def test_numbers_as_words():
    assert words.number(12345.6) == "12,346"
    assert words.number(-0.04, 1) == "0.0"
    assert words.number(float("nan")) == words.ABSENT
    assert words.between(1.0, float("nan")) == f"[1, {words.ABSENT}]"
    assert words.milli(0.01234) == "12.3"
    assert [words.lengths(n) for n in ((1,), (5,), (3, 5), (3, 5, 7))] == [
        "1 point", "5 points", "3 and 5 points", "3, 5 and 7 points",
    ]  # fmt: skip
