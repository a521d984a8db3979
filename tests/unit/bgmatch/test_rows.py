"""Lines of a match text: columns, words and play notations; score lines, lengths and dates."""

from itertools import chain

import pytest

from bgmatch.headers import iso_date, match_length
from bgmatch.rows import cells, score_line
from corpus import values

LINES = values("lines")


@pytest.mark.parametrize(("line", "actions"), LINES["cells"])
def test_a_row_has_cells(line: str, actions: list[list[object]]) -> None:
    assert [[cell.side, cell.kind, cell.text] for cell in cells(line, 1)] == actions


@pytest.mark.parametrize(("line", "columns"), LINES["scores"])
def test_score_line(line: str, columns: list[object]) -> None:
    """Name and score of the left column, then of the right one."""
    assert list(chain.from_iterable(zip(*(score_line(line) or ()), strict=True))) == columns


@pytest.mark.parametrize(("line", "length"), LINES["lengths"])
def test_match_length(line: str, length: int | str) -> None:
    assert match_length(line) == (None if length == "none" else length)


@pytest.mark.parametrize(("text", "date"), LINES["dates"])
def test_iso_date(text: str, date: str) -> None:
    assert iso_date(text) == date


def test_names_inside_a_snowie_position_are_no_actions() -> None:
    line = " 24) 11: Illegal play (25;0;1;0;0;wins;Takes 31: x;0;1;) 52: 8/3"
    assert [(cell.kind, cell.dice) for cell in cells(line, 1)] == [
        ("roll", (1, 1)),
        ("roll", (5, 2)),
    ]
