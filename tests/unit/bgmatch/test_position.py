"""Positions and their names are what others publish."""

import pytest

from bgmatch.position import OTHER, Position, position_id, theme, xgid
from positions import OPENING, START, match_id, side


def test_names_of_the_opening_position() -> None:
    # The manual of gnubg and the help of eXtreme Gammon give these.
    assert position_id(OPENING) == "4HPwATDgc/ABMA"
    assert xgid(OPENING) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


def test_the_match_id_of_gnubg_s_manual() -> None:
    # "player 0 owns a 2-cube, player 1 has rolled 52, score 2-4 in a 9-point match": QYkqASAAIAAA,
    # with Jacoby as set.
    position = OPENING._replace(
        length=9, score=4, opponent_score=2, cube=2, owner=OTHER, dice=(5, 2), jacoby=True
    )
    assert match_id(position, 1) == "QYkqASAAIAAA"


def test_a_position_that_awaits_the_answer_to_a_double_is_named_as_the_doubler_sees_it() -> None:
    # gnubg: after 31: 8/5 6/5 the other side is to roll or to double.
    mover, opponent = side(p5=2, p6=4, p8=2, p13=5, p24=2), tuple(START)
    assert position_id(Position(opponent, mover, 7, 0, 0)) == "sGfwATDgc/ABMA"
    assert position_id(Position(mover, opponent, 7, 0, 0, doubled=True)) == "sGfwATDgc/ABMA"
    assert position_id(Position(mover, opponent, 7, 0, 0)) == "4HPwATCwZ/ABMA"


@pytest.mark.parametrize(
    ("player", "opponent", "phase"),
    [
        (tuple(START), tuple(START), "opening"),
        (side(p6=15), side(p6=15), "bearoff"),
        (side(p6=15), side(p12=2, p6=13), "race"),
        (side(p12=2, p6=13), side(p12=2, p6=13), "race"),
        (side(p13=2, p6=13), side(p12=1, p6=14), "contact"),
        (side(bar=1, p6=2), side(p1=2), "contact"),
    ],
)
def test_themes(player: tuple[int, ...], opponent: tuple[int, ...], phase: str) -> None:
    assert theme(Position(player, opponent, 0, 0, 0)) == phase
