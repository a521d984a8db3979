"""Boards in a browser: report/board.js draws what the XGIDs of decisions say."""

from pathlib import Path
from typing import Any

import pytest

import browser
from bgmatch.position import OTHER, OWN, Position, xgid
from bgrating.pages.positions import for_boards
from bgrating.pages.template import TEMPLATES, packed
from corpus import data_text, values
from positions import OPENING, side

pytestmark = pytest.mark.browser
SEEN = data_text("pages/boards.js")
CASES = {
    "opening": OPENING,
    "money": OPENING._replace(length=0, dice=None),
    "bar and off": Position(side(bar=2, p6=7), side(bar=1, p1=9), 5, 3, 2, 4, OWN, (6, 6)),
    "their cube": Position(side(p1=15), side(p20=15), 5, 3, 2, 8, OTHER),
    "doubled": OPENING._replace(dice=None, doubled=True, cube=2, owner=OTHER),
    "Crawford": OPENING._replace(score=6, crawford=True),
}


def row(position: Position, **more: Any) -> dict[str, Any]:
    return values("decision") | {"xgid": xgid(position)} | more


def drawn(
    rows: list[dict[str, Any]],
    folder: Path,
    seen: str = SEEN,
    names: list[str] | None = None,
    then: str = "",
) -> Any:
    """Return what a script sees of the boards; `then` goes on in the module that draws."""
    columns = for_boards(rows) | {
        "player": ["a"] * len(rows),
        "opponent": ["b"] * len(rows),
        "costly": 0.02,
    }
    columns |= {"names": names} if names else {}
    scripts = "".join(
        (TEMPLATES / name).read_text(encoding="utf-8") for name in ("reader.js", "board.js")
    )
    places = " ".join(map(str, range(len(rows))))
    (folder / "page.html").write_text(
        f'<!DOCTYPE html><ol class="boards" data-rows="{places}"></ol>'
        f'<script type="text/plain" id="decisions">{packed(columns)}</script>'
        f"<script type='module'>{scripts}{then}"
        'document.documentElement.dataset.drawn = "";</script>'
    )
    with browser.opened(folder / "page.html") as page:
        return page.ask(seen)


def test_a_board_shows_every_chequer(tmp_path: Path) -> None:
    found = drawn([row(position) for position in CASES.values()], tmp_path)
    for name, board in zip(CASES, found, strict=True):
        position = CASES[name]
        for kind, chequers in (("own", position.player), ("other", position.opponent)):
            on_points = sum(min(count, 5) for count in chequers[1:25]) + bool(chequers[25])
            assert len(board[kind]) == on_points, name
        pips = sum(point * count for point, count in enumerate(position.player))
        off = [f"{position.player[0]} off"] if position.player[0] else []
        for text in (*off, f"{pips} pips", *(map(str, position.dice or ()))):
            assert text in board["texts"], name
        assert ("Crawford" in board["texts"]) is position.crawford
        assert board["cubes"] == (not position.crawford)
        large = [
            str(count)
            for chequers in (position.player, position.opponent)
            for count in chequers[1:25]
            if count > 5
        ]
        assert all(count in board["texts"] for count in large), name
    assert "8" in found[list(CASES).index("their cube")]["texts"]
    assert "4" in found[list(CASES).index("doubled")]["texts"]  # what the cube is turned to
    assert found[2]["label"].startswith(
        "a rolled 66; has 2 on the bar, 7 on 6; b has 1 on the bar, 9 on 1;"
    )


def test_chequers_stand_where_their_player_counts_them(tmp_path: Path) -> None:
    (board,) = drawn([row(Position(side(p1=1, p13=1), side(p1=1, p23=1), 0, 0, 0))], tmp_path)
    own, other = sorted(board["own"]), sorted(board["other"])
    middle = 157.0
    # The 1-point lies bottom right, the 13-point top left; the opponent's 23-point is our 2-point,
    # his 1-point our 24.
    assert own[0][0] < 40
    assert own[0][1] < middle
    assert own[1][0] > 300
    assert own[1][1] > middle
    assert {y > middle for _, y in other} == {True, False}
    assert all(x > 300 for x, _ in other)


def test_arrows_are_the_steps_of_the_plays(tmp_path: Path) -> None:
    plays = [("8/5 6/5", "24/20"), ("13/7*/5", "6/4(4)"), ("bar/22 6/off(2)", "no play")]
    rows = [
        row(OPENING, played=played, candidates=f"{best} 0.2", loss_emg=0.1)
        for played, best in plays
    ]
    assert [(board["made"], board["best"]) for board in drawn(rows, tmp_path)] == [
        (2, 1),
        (2, 4),
        (3, 0),
    ]


def test_sides_and_colours_are_fixed_for_the_whole_match(tmp_path: Path) -> None:
    """Bob's chequers once changed colour with the turn. The left player always sits below."""
    bobs = Position(side(p1=2, p13=1), side(p6=3), 7, 2, 4, dice=(3, 1))
    rows = [
        row(bobs, side="right"),
        row(Position(bobs.opponent, bobs.player, 7, 4, 2, dice=(3, 1))),
    ]
    of_right, of_left = drawn(rows, tmp_path, names=["Ann", "<b>Bob"])
    assert sorted(of_right["own"]) == sorted(of_left["own"])
    assert sorted(of_right["other"]) == sorted(of_left["other"])
    for board in (of_right, of_left):
        assert {"Ann", "4 of 7, 3 away", "18 pips", "<b>Bob", "2 of 7, 5 away", "15 pips"} <= set(
            board["texts"]
        )
    # The points are numbered as the player on roll counts.
    assert of_left["texts"][:2] == ["1", "2"]
    assert of_right["texts"][:2] == ["24", "23"]
    turned = "below = 1; document.querySelectorAll('ol.boards li').forEach((li, n) => "
    turned += "li.firstChild.replaceWith(board(at(n))));"
    (above, _) = drawn(rows, tmp_path, names=["Ann", "Bob"], then=turned)
    assert sorted((x, 314 - y) for x, y in above["own"]) == sorted(map(tuple, of_right["own"]))


CHOSEN = data_text("pages/candidates.js")


def test_candidates_have_headings_chances_of_both_sides_and_arrows(tmp_path: Path) -> None:
    plays = "8/5 6/5 0.1600;24/21 24/23 0.0100@1;13/9 -0.0500"
    chances = "552 170 12 122 5;501 150 10 130 6;490 140 9 140 1000"
    told = drawn(
        [row(OPENING, played="13/9", loss_emg=0.21, candidates=plays, chances=chances)],
        tmp_path,
        CHOSEN,
    )
    assert told["heads"] == ["Play", "Equity", "Difference", "Depth", "Wins %", "Loses %"]
    assert told["cells"][0] == [
        ["8/5 6/5 ✓"],
        ["+0.160"],
        [],
        [],
        ["55.2", "17.0 · 1.2"],
        ["44.8", "12.2 · 0.5"],
    ]
    assert told["cells"][1][3] == ["1-ply"]
    assert told["cells"][2][2:] == [
        ["−0.210"],
        [],
        ["49.0", "14.0 · 0.9"],
        ["51.0", "14.0 · 100.0"],
    ]
    assert (told["before"], told["over"], told["after"], told["pressed"]) == (
        [2, 1],
        [0, 2],
        [2, 1],
        [2, 0],
    )


def test_a_cube_decision_has_three_equities_and_chances(tmp_path: Path) -> None:
    equities = {"loss_emg": 0.1, "no_double": 0.5, "double_take": 0.6, "chances": "603 201 3 110 1"}
    told = drawn([row(OPENING, kind="double", played="no double", **equities)], tmp_path, CHOSEN)
    assert told["cells"] == [
        [["No double"], ["+0.500"], ["−0.100"]],
        [["Double, take"], ["+0.600"], []],
        [["Double, pass"], ["+1.000"], ["+0.400"]],
    ]
    assert "Wins 60.3 % (gammons 20.1, backgammons 0.3), loses 39.7 % (11.0, 0.1)." in told["text"]
