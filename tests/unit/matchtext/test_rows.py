"""Columns, words and play notations."""

import pytest

from bgrating.matchtext.rows import cells, score_line


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (" ann : 0                          bob : 3", ("ann", 0, "bob", 3)),
        (" Ann Lee: 0                      Bob: 0 ", ("Ann Lee", 0, "Bob", 0)),
        (" ann,1770 : 0     bob,1760 : 0", ("ann,1770", 0, "bob,1760", 0)),
        (" : 0              bob : 2", ("", 0, "bob", 2)),
        (" ann : 0          : 2", ("ann", 0, "", 2)),
        (" a : 1 b : 2", ("a", 1, "b", 2)),
        (" a:b : 1   c : 2", ("a:b", 1, "c", 2)),
        ("  1) 31: 8/5 6/5       42: 8/4 6/4", None),
        ("nothing", None),
    ],
)
def test_score_line(line: str, found: tuple[str, int, str, int] | None) -> None:
    assert score_line(line) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("  1) 31: 8/5 6/5                 42: 8/4 6/4", [(0, "roll", "8/5 6/5"), (1, "roll", "8/4 6/4")]),
        ("  1)                             42: 8/4 6/4", [(1, "roll", "8/4 6/4")]),
        (" 10) 51:", [(0, "roll", "")]),
        ("  3)  Doubles => 2                Takes", [(0, "double", "=> 2"), (1, "take", "")]),
        ("  4)  Drops                       Wins 1 point", [(0, "drop", ""), (1, "wins", "1 point")]),
        (" 13) 11: 25/20* 25/20 25/20 20/15* 52: 8/1", [(0, "roll", "25/20* 25/20 25/20 20/15*"), (1, "roll", "8/1")]),
        (" 13) 11: 17/16 16/15 15/14 14/13*52: 8/1", [(0, "roll", "17/16 16/15 15/14 14/13*"), (1, "roll", "8/1")]),
        (" 23) 66: 3/0 2/0 2/0 1/0           Resigns", [(0, "roll", "3/0 2/0 2/0 1/0"), (1, "concedes", "")]),
        (" 23) 66: Concedes", [(0, "roll", ""), (0, "concedes", "")]),
        (" 9) 52: 6/1    53: 8/3    10)  Losses 1 point         Wins 1 point",
         [(0, "roll", "6/1"), (1, "roll", "8/3"), (0, "loses", "1 point"), (1, "wins", "1 point")]),
        (" 3) 54: 24/15\t\t\t31: 8/5 6/5", [(0, "roll", "24/15"), (1, "roll", "8/5 6/5")]),
        ("      Wins 2 points", [(0, "wins", "2 points")]),
        ("                                  Wins 2 points", [(1, "wins", "2 points")]),
        (" Losses 2 point", [(0, "lost", "2 point")]),
        ("  9) hello", [(0, "unread", "hello")]),
        ("  9)", []),
    ],
)  # fmt: skip
def test_cells(line: str, found: list[tuple[int, str, str]]) -> None:
    assert [(cell.side, cell.kind, cell.text) for cell in cells(line, 1)] == found


def test_names_inside_a_snowie_position_are_no_actions() -> None:
    line = " 24) 11: Illegal play (25;0;1;0;0;wins;Takes 31: x;0;1;) 52: 8/3"
    assert [(cell.kind, cell.dice) for cell in cells(line, 1)] == [("roll", (1, 1)), ("roll", (5, 2))]
