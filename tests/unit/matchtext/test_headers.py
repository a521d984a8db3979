"""Tags, dates, lengths and ratings of the header lines."""

import pytest

from bgrating.matchtext.headers import elo, iso_date, match_length, tag


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ('; [Player 1 "Ann Lee"]', ("Player 1", "Ann Lee")),
        ('# [Site "Hall 2, Bonn"] ', ("Site", "Hall 2, Bonn")),
        ('; [Event "the "open" one"]', ("Event", 'the "open" one')),
        ('; [Match ID ""]', ("Match ID", "")),
        ("; Ann wins by forfeit", None),
        ("7 point match", None),
    ],
)
def test_tag(line: str, pair: tuple[str, str] | None) -> None:
    assert tag(line) == pair


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


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("1665.83/36", 1665.83),
        ("1665,83/36", 1665.83),
        ("1600.00/0", None),
        ("1600.00", None),
        ("1600.00/12", 1600.0),
        ("5,00/0", None),
        ("11,00", None),
        ("1712", 1712.0),
        ("strong", None),
        ("", None),
    ],
)
def test_elo(text: str, rating: float | None) -> None:
    assert elo(text) == rating
