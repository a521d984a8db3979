"""Boards in a browser: report/board.js reads every XGID that decisions have, and draws what it says."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import browser
from bgrating.decisions.position import OTHER, OWN, Position, xgid
from bgrating.pages.positions import for_boards
from bgrating.pages.template import TEMPLATES
from positions import OPENING, side

SEEN = """
const all = (svg, kind) => Array.from(svg.querySelectorAll(`circle.${kind}`));
const places = (svg, kind) => all(svg, kind).map(one => [+one.getAttribute("cx"), +one.getAttribute("cy")]);
const told = Array.from(document.querySelectorAll("ol.boards svg.board"), svg => ({
  own: places(svg, "own"), other: places(svg, "other"),
  texts: Array.from(svg.querySelectorAll("text"), one => one.textContent),
  label: svg.getAttribute("aria-label"), made: svg.querySelectorAll("path.made").length,
  best: svg.querySelectorAll("path.best").length, cubes: svg.querySelectorAll("rect.cube").length,
}));
document.getElementById("result").textContent = JSON.stringify(told);
"""


CASES = {
    "opening": OPENING,
    "money": replace(OPENING, length=0, dice=None),
    "bar and off": Position(side(bar=2, p6=7), side(bar=1, p1=9), 5, 3, 2, 4, OWN, (6, 6)),
    "their cube": Position(side(p1=15), side(p20=15), 5, 3, 2, 8, OTHER),
    "doubled": replace(OPENING, dice=None, doubled=True, cube=2, owner=OTHER),
    "Crawford": replace(OPENING, score=6, crawford=True),
}


def row(position: Position, **more: Any) -> dict[str, Any]:
    return {
        "kind": "play", "side": "left", "theme": "contact", "game": 1, "xgid": xgid(position), "position_id": "",
        "match_id": "", "played": "", "loss_emg": 0.0, "loss_mwc": 0.0, "luck_mwc": None, "candidates": "",
        "no_double": None, "double_take": None, "by": "", "others": "",
    } | more  # fmt: skip


def drawn(rows: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    columns = for_boards(rows) | {"player": ["a"] * len(rows), "opponent": ["b"] * len(rows)}
    places = " ".join(map(str, range(len(rows))))
    (folder / "page.html").write_text(
        f'<!DOCTYPE html><ol class="boards" data-rows="{places}"></ol><pre id="result">nothing</pre>'
        f'<script type="application/json" id="decisions">{json.dumps(columns)}</script>'
        f"<script>{(TEMPLATES / 'board.js').read_text(encoding='utf-8')}</script><script>{SEEN}</script>"
    )
    found: list[dict[str, Any]] = browser.result(folder / "page.html", folder)
    return found


def test_a_board_shows_every_chequer(tmp_path: Path) -> None:
    found = drawn([row(position) for position in CASES.values()], tmp_path)
    for name, board in zip(CASES, found, strict=True):
        position = CASES[name]
        for kind, chequers in (("own", position.own), ("other", position.other)):
            on_points = sum(min(count, 5) for count in chequers[1:25]) + bool(chequers[25])
            assert len(board[kind]) == on_points, name
        pips = sum(point * count for point, count in enumerate(position.own))
        for text in (f"{position.own[0]} off", f"{pips} pips", *(map(str, position.dice or ()))):
            assert text in board["texts"], name
        assert ("Crawford" in board["texts"]) is position.crawford
        assert board["cubes"] == (not position.crawford)
        large = [str(count) for chequers in (position.own, position.other) for count in chequers[1:25] if count > 5]
        assert all(count in board["texts"] for count in large), name
    assert "8" in found[list(CASES).index("their cube")]["texts"]
    assert "4" in found[list(CASES).index("doubled")]["texts"]  # what the cube is turned to
    assert found[2]["label"].startswith(
        "Player rolled 66; has 2 on the bar, 7 on 6; opponent has 1 on the bar, 9 on 1;"
    )


def test_chequers_stand_where_their_player_counts_them(tmp_path: Path) -> None:
    (board,) = drawn([row(Position(side(p1=1, p13=1), side(p1=1, p23=1), 0, 0, 0))], tmp_path)
    own, other = sorted(board["own"]), sorted(board["other"])
    middle = 157.0
    # The 1-point lies bottom right, the 13-point top left; the opponent's 23-point is our 2-point, his 1-point our 24.
    assert own[0][0] < 40
    assert own[0][1] < middle
    assert own[1][0] > 300
    assert own[1][1] > middle
    assert {y > middle for _, y in other} == {True, False}
    assert all(x > 300 for x, _ in other)


@pytest.mark.parametrize(
    ("played", "best", "arrows"),
    [
        ("8/5 6/5", "24/20", (2, 1)),
        ("13/7*/5", "6/4(4)", (2, 4)),
        ("bar/22 6/off(2)", "no play", (3, 0)),
    ],
)
def test_arrows_are_the_steps_of_the_plays(tmp_path: Path, played: str, best: str, arrows: tuple[int, int]) -> None:
    (board,) = drawn([row(OPENING, played=played, candidates=f"{best} 0.2", loss_emg=0.1)], tmp_path)
    assert (board["made"], board["best"]) == arrows
