"""Tags, dates, lengths and ratings of the header lines."""

import pytest

from bgrating.matchtext.headers import iso_date, match_length


@pytest.mark.parametrize(
    ("line", "length"),
    [
        (" 7 point match", 7),
        ("1 Point Match", 1),
        ("0 point match", 0),
        ("5 points match", 5),
        ("Match of 11 points", 11),
        ("Unlimited game", 0),
        (" Game 7", None),
    ],
)
def test_match_length(line: str, length: int | None) -> None:
    assert match_length(line) == length


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2022.07.10", "2022-07-10"),
        ("2022-7-1", "2022-07-01"),
        ("1981", "1981"),
        ("2022.13.40", "2022"),
        ("2022.02.31", "2022-02"),
        ("2022.02.29", "2022-02"),
        ("2024.02.29", "2024-02-29"),
        ("2022.??.??", "2022"),
        ("0000.00.00", ""),
        ("July 2022", ""),
        ("", ""),
    ],
)
def test_iso_date(text: str, date: str) -> None:
    assert iso_date(text) == date
