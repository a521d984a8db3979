"""The days on which a match can have been played."""

from datetime import date

import pytest

from bgmatch.days import impossible
from corpus import cases

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(("day", "reason"), cases("lists/dates.impossible"))
def test_a_day_is_possible_or_the_reason_is_said(day: str, reason: str) -> None:
    assert reason in impossible(day, TODAY)
    assert bool(reason) == bool(impossible(day, TODAY))


def test_today_is_that_of_utc_without_another() -> None:
    assert impossible("2999-01-01")
    assert not impossible("2026-11-28")
