"""Positions and their names: what others publish, and pictures in every case."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from bgrating.decisions.board import read_xgid, svg, words
from bgrating.decisions.position import OTHER, OWN, Position, match_id, position_id, theme, xgid

START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
OPENING = Position(tuple(START), tuple(START), 7, 0, 0, dice=(3, 1))


def side(**points: int) -> tuple[int, ...]:
    """Return the chequers of a side: p6=5 is five on its 6-point; the rest are off."""
    chequers = [0] * 26
    for name, count in points.items():
        chequers[25 if name == "bar" else int(name[1:])] = count
    chequers[0] = 15 - sum(chequers)
    return tuple(chequers)


def test_names_of_the_opening_position() -> None:
    # The manual of gnubg and the help of eXtreme Gammon give these.
    assert position_id(OPENING) == "4HPwATDgc/ABMA"
    assert xgid(OPENING) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


def test_the_match_id_of_gnubg_s_manual() -> None:
    # "player 0 owns a 2-cube, player 1 has rolled 52, score 2-4 in a 9-point match": QYkqASAAIAAA, with Jacoby as set.
    about = replace(OPENING, length=9, score=4, other_score=2, cube=2, owner=OTHER, dice=(5, 2), jacoby=True)
    assert match_id(about, 1) == "QYkqASAAIAAA"


@pytest.mark.parametrize(
    ("own", "other", "phase"),
    [
        (tuple(START), tuple(START), "opening"),
        (side(p6=15), side(p6=15), "bearoff"),
        (side(p12=2, p6=13), side(p12=2, p6=13), "race"),
        (side(p13=2, p6=13), side(p12=1, p6=14), "contact"),
        (side(bar=1, p6=2), side(p1=2), "contact"),
    ],
)
def test_themes(own: tuple[int, ...], other: tuple[int, ...], phase: str) -> None:
    assert theme(Position(own, other, 0, 0, 0)) == phase


CASES = {
    "opening": OPENING,
    "money": replace(OPENING, length=0, dice=None),
    "bar and off": Position(side(bar=2, p6=7), side(bar=1, p1=9), 5, 3, 2, 4, OWN, (6, 6)),
    "their cube": Position(side(p1=15), side(p20=15), 5, 3, 2, 8, OTHER),
    "doubled": replace(OPENING, dice=None, doubled=True, cube=2, owner=OTHER),
    "Crawford": replace(OPENING, score=6, crawford=True),
}


@pytest.mark.parametrize("name", CASES)
def test_a_picture_shows_every_chequer_and_is_read_back(name: str) -> None:
    position = CASES[name]
    assert read_xgid(xgid(position)) == position
    root = ElementTree.fromstring(svg(position))
    space = "{http://www.w3.org/2000/svg}"
    title = root.find(f"{space}title")
    assert title is not None
    assert title.text == words(position)
    paths = {one.get("class"): one.get("d", "") for one in root.iter(f"{space}path")}
    for kind, chequers in (("own", position.own), ("other", position.other)):
        drawn = sum(min(count, 5) for count in chequers[1:25]) + bool(chequers[25])
        assert paths[kind].count("h0") == drawn
    texts = [one.text for one in root.iter(f"{space}text")]
    for text in (f"{position.own[0]} off", f"{position.pips[0]} pips", *(map(str, position.dice or ()))):
        assert text in texts
    assert ("Crawford" in texts) is position.crawford
    large = [str(count) for chequers in (position.own, position.other) for count in chequers[1:25] if count > 5]
    assert all(count in texts for count in large)


def test_chequers_stand_where_their_player_counts_them() -> None:
    root = ElementTree.fromstring(svg(Position(side(p1=1, p13=1), side(p1=1, p23=1), 0, 0, 0)))
    places = {
        one.get("class"): [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", one.get("d", ""))]
        for one in root.iter("{http://www.w3.org/2000/svg}path")
    }
    own, other = sorted(places["own"]), sorted(places["other"])
    assert places["inner"] == places["other"]
    middle = 150.0
    # The 1-point lies bottom right, the 13-point top left; the opponent's 23-point is our 2-point, his 1-point our 24.
    assert own[0][0] < 40
    assert own[0][1] < middle
    assert own[1][0] > 300
    assert own[1][1] > middle
    assert {y > middle for _, y in other} == {True, False}
    assert all(x > 300 for x, _ in other)
