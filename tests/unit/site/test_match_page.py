"""The page of a match: its figures are those of the decisions, and one plays through it with the keyboard alone."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

import browser
from bgrating.pages.template import page
from bgrating.pages.words import short
from bgrating.site.match_page import left_chances, match_contents

Json = dict[str, Any]
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:{}:{}:0:3:10"
HOSTILE = "</script><script>document.title=1</script>"
KINDS = ("missed double", "wrong take")

SEEN = r"""(() => {
  const page = document, told = page.getElementById("told"), found = {};
  const play = page.getElementById("play");
  const press = key => play.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const where = () => told.querySelector("h2").textContent;
  found.title = page.title;
  found.first = where();
  press("Home"); found.home = where();
  press("ArrowRight"); found.right = where();
  press("ArrowLeft"); press("ArrowLeft"); found.left = where();
  found.seen = [];
  for (let n = 0; n < 6; n++) { press("ArrowDown"); found.seen.push(where()); }
  press("End"); found.end = where();
  page.querySelector("[data-ply='2']").click(); found.jump = told.textContent.replaceAll("\u00a0", " ");
  found.arrows = page.querySelectorAll("#stage path.made, #stage path.best").length;
  found.dice = Array.from(page.querySelectorAll("#stage .die ~ text.value"), one => one.textContent);
  found.chequers = ["seat0", "seat1"].map(kind => page.querySelectorAll(`#stage circle.${kind}[r="12"]`).length);
  found.names = Array.from(page.querySelectorAll("#stage text.name"), one => one.textContent);
  page.querySelector("[data-turn]").click();
  found.turned = Array.from(page.querySelectorAll("#stage text.name"), one => one.getAttribute("y"));
  found.moves = Array.from(page.querySelectorAll("#moves li"), one => one.textContent);
  found.current = page.querySelector("#moves [aria-current]").dataset.ply;
  const choose = (sieve, value) => {
    const select = page.querySelector(`select[data-sieve=${sieve}]`);
    select.value = value; select.dispatchEvent(new Event("change"));
  };
  const number = one => one.hidden ? "" : one.dataset.ply ?? one.dataset.row;
  const seen = where => Array.from(page.querySelectorAll(where), number).filter(Boolean);
  const chosen = [["size", "error"], ["kind", "play"], ["size", "all"], ["side", "1"], ["kind", ""]];
  found.sieved = chosen.map(([sieve, value]) => {
    choose(sieve, value); return [seen("#moves button").join(), seen("ol.boards > li").join()];
  });
  const touch = (kind, x) => {
    const touches = [new Touch({identifier: 1, target: page.getElementById("stage"), clientX: x, clientY: 200})];
    page.getElementById("stage").dispatchEvent(new TouchEvent(kind, {changedTouches: touches}));
  };
  found.before = where(); touch("touchstart", 300); touch("touchend", 200); found.swiped = where();
  touch("touchstart", 200); touch("touchend", 300); found.back = where();
  found.games = Array.from(page.querySelectorAll(".chart .g"), one => one.textContent);
  found.label = page.querySelector("#stage svg").getAttribute("aria-label");
  found.boards = page.querySelectorAll("ol.boards svg.board").length;
  found.list = Array.from(page.querySelectorAll("ol.boards li"), one => one.textContent);
  const over = () => new Event("pointerover", {bubbles: true});
  page.querySelectorAll(".chart [class^=error]").forEach(dot => dot.dispatchEvent(over()));
  found.dots = Array.from(page.querySelectorAll(".chart path title"), one => one.textContent.replaceAll("\u00a0", " "));
  found.here = page.querySelector(".here").getAttribute("x1");
  return found;
})()"""


def row(side: str, kind: str, played: str, *, game: int = 1, chance: float, loss: float = 0.0, **more: Any) -> Json:
    names = {"left": HOSTILE, "right": "Bob"}
    scores = {1: (0, 0), 2: (0, 1)}[game]
    own, other = scores if side == "left" else scores[::-1]
    dice = "31" if kind == "play" else ""
    return {
        "game": game,
        "kind": kind,
        "side": side,
        "theme": "contact",
        "player": names[side],
        "unforced": True,
        "xgid": OPENING.format(dice or ("D" if kind == "take" else "00"), own, other),
        "position_id": "4HPwATDgc/ABMA",
        "match_id": "MIFlAQAAAAAA",
        "dice": dice,
        "played": played,
        "best": played,
        "loss_emg": loss,
        "loss_mwc": loss / 4,
        "luck_mwc": 0.0 if kind == "play" else math.nan,
        "candidates": "",
        "chances": "",
        "no_double": math.nan,
        "double_take": math.nan,
        "by": "",
        "others": "",
        "chance": chance,
        "score": own,
        "opponent_score": other,
        "match_length": 3,
        "cube": 1,
        "xg_by": "",
        "xg_loss_emg": math.nan,
        "disputed": False,
    } | more


ROWS = [
    row("left", "play", "8/5 6/5", chance=0.55, luck_mwc=0.04, candidates="8/5 6/5 0.1600;24/21 24/23 0.0100"),
    row("right", "double", "no double", chance=0.5, loss=0.1, best="double", no_double=0.5, double_take=0.6),
    row(
        "right",
        "play",
        "24/20",
        chance=0.4,
        loss=0.2,
        best="13/9*",
        candidates="13/9* 0.3000;24/21 24/23 0.2000;24/20 0.1000",
    ),
    row("left", "take", "take", game=2, chance=0.3, loss=0.3, best="pass", no_double=0.9, double_take=1.3),
    row("right", "play", "no play", game=2, chance=math.nan, luck_mwc=-0.1),
]
SIDES = [
    {
        "side": side,
        "player": name,
        "player_page": None,
        "score": score,
        "points": score,
        "won": won,
        "pr": 5.0,
        "xg_pr": math.nan,
        "rating": 1900.0,
        "rating_note": "",
        "xg_errors": math.nan,
        "xg_blunders": math.nan,
        "chequer_error_emg": 0.1,
        "cube_error_emg": 0.2,
        "luck_mwc": luck,
        "luck_adjusted_result": -0.1,
        "length": "3",
        "date": "",
        "event": "",
        "round": "",
        "from_file_name": "",
        "games": 2,
        "rolls": 3,
        "status": "analysed",
        "file": "a.mat",
        "level": "0-ply",
        "earlier": "",
        "later": "",
        "unforced_moves": 20.0,
        "close_cube_decisions": 5.0,
    }
    for side, name, score, won, luck in (("left", HOSTILE, 0.0, 0.0, 0.05), ("right", "Bob", 3.0, 1.0, -0.1))
]


def test_chances_are_the_left_players_and_luck_moves_them_where_nothing_was_played() -> None:
    assert left_chances(ROWS) == pytest.approx([0.55, 0.5, 0.6, 0.3, 0.4])


def test_what_the_page_is_told() -> None:
    found = match_contents(SIDES, ROWS)
    assert re.findall(r'class="curve" d="M(.*?)"', found["curve"])[0].split("L")[-1] == "6 100.0"  # Bob won
    assert [(one["score"], one["result"]) for one in found["games"]] == [
        ("0–0", "\u2068Bob\u2069 +1"),
        ("0–1", "\u2068Bob\u2069 +2"),
    ]
    assert [one["words"] for one in found["decided"]] == ["take"]  # the errors of the player who lost
    assert found["costly"] == [3, 2, 1], "the costliest first"
    assert found["games"][1]["cube"] == 2
    assert [one["errors"] for one in found["players"]] == [1, 2]
    assert found["story"][1].startswith("Net luck: ")


@pytest.mark.parametrize(
    ("luck", "loss", "last"),
    [
        (-0.1, 0.2, "Luck decided it more than errors."),
        (-0.1, 0.6, "Errors decided it more than luck."),
        (0.1, 0.2, "Errors decided it more than luck."),
        (0.1, 0.0, "\u2068Bob\u2069's errors cost 2.5\u00a0% of the match more than the opponent's."),
    ],
)
def test_the_story_says_what_decided_a_match(luck: float, loss: float, last: str) -> None:
    """Bob won: the dice helped him by the other's luck less; his errors cost 0.1 of equity, a quarter of that."""
    sides = [side | {"luck_mwc": luck if side["side"] == "left" else 0.0} for side in SIDES]
    rows = [
        row("left", "play", "24/20", chance=0.5, loss=loss),
        row("right", "play", "24/20", chance=0.5, loss=0.1),
    ]
    assert match_contents(sides, rows)["story"][-1] == last


def page_of(sides: list[Json], rows: list[Json]) -> str:
    left, right = sides
    return page(
        "human_match.html.j2",
        **match_contents(sides, rows),
        left=left,
        right=right,
        analysis="0-ply",
        least=0.02,
        blunder=0.08,
        links=[],
        plies=0,
        check="none",
        confidence="90 %",
    )


def test_luck_stands_where_it_is_known_and_nowhere_else() -> None:
    """Without luck a page had "Luck, of the match –"; of a session for money only its games had luck."""
    sides = [side | {"luck_mwc": math.nan, "luck_adjusted_result": math.nan} for side in SIDES]
    without = page_of(sides, [one | {"luck_mwc": math.nan} for one in ROWS])
    shown = re.sub(r"<[^>]*>", "", without.partition("<main>")[2].partition("</main>")[0].partition("<script")[0])
    assert "luck" not in shown.lower()
    money = match_contents([side | {"length": "money"} for side in sides], ROWS)
    assert [player["luck"] for player in money["players"]] == ["0.14 points", "-0.14 points"]
    of_match = match_contents(SIDES, ROWS)
    assert [player["luck"] for player in of_match["players"]] == ["15.0\u00a0%", "-15.0\u00a0%"]


@pytest.mark.parametrize(
    ("event", "turn", "by_name", "shown"),
    [
        ("Nordic Open", "Final", "", "Nordic Open, Final"),
        ("Nordic <Open>", "", "event", "Nordic &lt;Open&gt; (event by the file's name)"),
        ("", "", "date", " (date by the file's name)"),
    ],
)
def test_a_match_has_its_event_and_round_and_says_which_the_file_name_gave(
    event: str, turn: str, by_name: str, shown: str
) -> None:
    facts = {"event": event, "round": turn, "from_file_name": by_name}
    lead = page_of([side | facts for side in SIDES], ROWS).partition('<p class="lead">')[2].partition("</p>")[0]
    assert lead.endswith(f" {shown}.")


def test_what_a_match_of_which_the_beginning_is_lost_would_be_without_luck() -> None:
    """Bob began at a chance of 70 %, won, and the dice gave him 10 % of the match: 90 % without them."""
    sides = [side | {"luck_mwc": 0.05 * turn} for side, turn in zip(SIDES, (-1, 1), strict=True)]
    results = [one | {"luck_adjusted_result": 0.2 * turn} for one, turn in zip(sides, (-1, 1), strict=True)]
    assert [player["without_luck"] for player in match_contents(results, ROWS)["players"]] == ["10 %", "90 %"]


def test_what_is_not_checked_is_marked_in_the_summary() -> None:
    mark = "0-ply; not checked in bear-offs"
    rows = [one | {"by": mark if one["loss_emg"] >= 0.2 else ""} for one in ROWS]
    text = page_of(SIDES, rows)
    section = text.partition("<h2>What decided it</h2>")[2].partition("</section>")[0]
    assert section.count(f"({mark})") == 1
    assert mark not in page_of(SIDES, ROWS)


@pytest.mark.slow
def test_a_match_is_played_through_with_the_keyboard(tmp_path: Path) -> None:
    rows = [one | {"by": "0-ply; close, not checked" if one["kind"] == "double" else ""} for one in ROWS]
    (tmp_path / "match.html").write_text(page_of(SIDES, rows), encoding="utf-8")
    with browser.opened(tmp_path / "match.html") as page:
        page.resize(1000)
        found = page.ask(SEEN)
        for dark in (False, True):
            page.picture(400, dark=dark)
        assert page.said() == []
    assert found["title"] == f"{short(HOSTILE)} – Bob"
    assert found["first"] == "Game 2, step 4 of 5"  # the costliest error
    assert found["names"][0::3] == [HOSTILE[:17] + "…", "Bob"]
    assert len(set(found["turned"])) == 2
    assert found["moves"][0] == "Game 1318/5 6/5"
    assert found["moves"][2] == "3124/20−0.200"
    assert found["current"] == "2"
    assert found["sieved"] == [["1,2,3", "3,2,1"], ["2", "2"], ["0,2,4", "2"], ["2,4", "2"], ["1,2,4", "2,1"]]
    assert (found["before"], found["swiped"], found["back"]) == tuple(
        f"Game {game}, step {step} of 5" for game, step in ((1, 3), (2, 4), (1, 3))
    )
    assert found["games"] == ["1", "2"]
    assert (found["home"], found["right"]) == ("Game 1, step 1 of 5", "Game 1, step 2 of 5")
    assert found["left"] == "Game 1, step 1 of 5"
    assert [one.split()[3] for one in found["seen"]] == ["2", "3", "4", "4", "4", "4"]
    assert found["end"] == "Game 2, step 5 of 5"
    assert "costs 0.200, 5.0 % of the match" in found["jump"]
    assert "13/9* ✓+0.300" in found["jump"]
    assert "24/20+0.100−0.200" in found["jump"]
    assert "Copy XGID" in found["jump"]
    assert found["arrows"] == 2
    assert found["dice"] == ["3", "1"]
    assert found["chequers"] == [15, 15]
    assert found["label"].startswith("Bob rolled 31; has 2 on 24, 5 on 13, 3 on 8, 5 on 6;")
    assert found["boards"] == 3
    assert "Missed double; the right answer is to take. Costs 0.100" in found["list"][2]
    assert "Wrong take: passing loses less. Costs 0.300" in found["list"][0]
    assert ["(0-ply; close, not checked)" in one for one in found["list"]] == [False, False, True]
    assert "Game 1, Bob:  no double costs 2.5 % of the match (0-ply; close, not checked)" in found["dots"]
    assert "No double+0.900−0.100Double, take+1.300+0.300Double, pass+1.000" in found["list"][0]
    assert found["here"] == "3"
    assert "Game 1, Bob: 31 24/20 costs 5.0 % of the match" in found["dots"]
