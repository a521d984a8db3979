"""Positions and their names are what others publish."""

import pytest

from bgmatch import BgmatchError
from bgmatch.position import OTHER, OWN, Position, position_id, read_xgid, theme, xgid
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


# From the help of eXtreme Gammon: capitals are the player at the bottom, whose score comes first;
# the cube's owner and the turn are 1 for the player at the bottom, -1 for the one at the top.
@pytest.mark.parametrize(
    ("bottom", "top"),
    [
        ((1, 1, "31", "2:4"), (-1, -1, "31", "4:2")),
        ((-1, 1, "00", "2:4"), (1, -1, "00", "4:2")),
        ((0, -1, "D", "2:4"), (0, 1, "D", "4:2")),
    ],
)
def test_an_xgid_is_read_from_the_side_of_the_player_to_decide(
    bottom: tuple[object, ...], top: tuple[object, ...]
) -> None:
    def text(values: tuple[object, ...], points: str) -> str:
        fields = dict(zip(("owner", "turn", "dice", "score"), values, strict=True))
        return f"XGID={points}:1:{{owner}}:{{turn}}:{{dice}}:{{score}}:0:7:10".format(**fields)

    points = "-a-B--E-C---eE---c-e------"
    as_bottom = text(bottom, points)
    position = read_xgid(as_bottom)
    assert position == read_xgid(text(top, points[::-1].swapcase()))
    assert xgid(position) == as_bottom
    assert (position.player[6], position.opponent[24]) == (5, 1)
    assert (position.score, position.opponent_score) == (2, 4)
    assert position.owner == {1: OWN, -1: OTHER}.get(bottom[0], "centre")


@pytest.mark.parametrize(
    "fields",
    ["31:0:0", "99:0:0:0:7:10", "B:0:0:0:7:10", "31:0:0:0:7", "31:-1:0:0:7:10", "31:0:0:0:7:1O"],
)
def test_what_is_no_xgid_is_one_error(fields: str) -> None:
    with pytest.raises(BgmatchError, match="not an XGID such as XGID="):
        read_xgid(f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{fields}")


def test_an_xgid_has_fifteen_chequers_a_side() -> None:
    with pytest.raises(BgmatchError, match="more than 15 chequers"):
        read_xgid("XGID=-b----E-C---eE---c-e----BB:0:0:1:31:0:0:0:7:10")
