"""Dates of a column: their order is decided from all cells, or refused in one sentence."""

from datetime import date

import pytest

from bgleague.dates import read_dates
from bgleague.settings import RatingsError
from bgmatch.days import impossible
from corpus import cases

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(("written", "days"), cases("lists/dates.columns"))
def test_the_order_of_dates_is_that_of_the_column(written: str, days: str) -> None:
    if days == "refused":
        with pytest.raises(RatingsError, match=r"fit two readings: .* may be .* or .*--dates"):
            read_dates(written.split(), TODAY)
        assert len(read_dates(written.split(), TODAY, order="dmy")[0]) == len(written.split())
        return
    days_read = [day or "?" for day in read_dates(written.split(), TODAY)[0]]
    assert [
        "?" if day != "?" and impossible(day, TODAY) else day for day in days_read
    ] == days.split()


def test_the_readings_of_a_date_are_named_in_the_order_of_the_choices() -> None:
    with pytest.raises(
        RatingsError, match=r"may be 2001-02-03 or 2003-02-01 or 2003-01-02; .* ymd, dmy, mdy$"
    ):
        read_dates(["01-02-03"], TODAY)


@pytest.mark.parametrize(
    "written", ["Sat 14 Mar 2026", "March 14, 2026", "14 de marzo de 2026", "Samstag, 14.03.2026"]
)
def test_a_date_may_hold_words(written: str) -> None:
    assert read_dates([written], TODAY)[0] == ["2026-03-14"]


@pytest.mark.parametrize("heading", ["Dato", "Datum", "fecha"])
def test_the_language_of_a_heading_tells_that_the_day_is_first(heading: str) -> None:
    assert read_dates(["03/04/2026"], TODAY, heading)[0] == ["2026-04-03"]
