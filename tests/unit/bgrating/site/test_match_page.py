"""The page of a match: figures are those of decisions, and the keyboard alone plays it."""

import json
import math
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import browser
from bgrating.pages.formatting import short
from bgrating.pages.template import page
from bgrating.site.match_page import match_variables, with_chances
from corpus import cases, data_text, values

Json = dict[str, Any]
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:{}:{}:0:3:10"
HOSTILE = "</script><script>document.title=1</script>"
KINDS = ("missed double", "wrong take")

SEEN = data_text("pages/match.js")


def row(
    side: str,
    kind: str,
    played: str,
    *,
    game: int = 1,
    chance: float,
    loss: float = 0.0,
    **more: Any,
) -> Json:
    names = {"left": HOSTILE, "right": "Bob"}
    scores = {1: (0, 0), 2: (0, 1)}[game]
    own, other = scores if side == "left" else scores[::-1]
    dice = "31" if kind == "play" else ""
    luck = 0.0 if kind == "play" else math.nan
    figures = {"loss_emg": loss, "loss_mwc": loss / 4, "luck_mwc": luck}
    facts = {"game": game, "kind": kind, "side": side, "player": names[side]}
    facts |= {"dice": dice, "chance": chance}
    facts |= {"played": played, "best": played, "score": own, "opponent_score": other}
    xgid = OPENING.format(dice or ("D" if kind == "take" else "00"), own, other)
    return values("decision") | figures | facts | {"xgid": xgid} | more


ROWS = [row(*case["what"], **case["facts"]) for case in cases("match_rows.rows")]
ROWS.append(row("right", "play", "no play", game=2, chance=math.nan, luck_mwc=-0.1))
SIDES = [values("side") | {"player_page": None} | side for side in cases("match_rows.sides")]


def test_chances_are_of_the_left_player_and_luck_moves_them_without_a_play() -> None:
    chances = [row["left_chance"] for row in with_chances(ROWS)]
    assert chances == pytest.approx([0.55, 0.5, 0.6, 0.3, 0.4])


def test_the_data_of_the_page_are_those_of_the_decisions() -> None:
    found = match_variables(SIDES, ROWS)
    shown = (
        page_of(SIDES, ROWS).partition("<h2>Costliest errors</h2>")[2].partition("</section>")[0]
    )
    assert re.findall(r"<li>(Game .*?) <", shown) == [
        "Game 2:  take for pass, 7.5\u00a0%",
        "Game 1: 31 24/20 for 13/9*, 5.0\u00a0%",
        "Game 1:  no double for double, 2.5\u00a0%",
    ]
    assert [row["index"] for row in found["errors"]] == [3, 2, 1], "the costliest first"
    assert [one["errors"] for one in found["players"]] == [1, 2]
    assert "was luckier, by 14.0\u00a0% of the match." in story_of(SIDES, ROWS)


def test_the_readers_errors_come_first() -> None:
    found = match_variables(SIDES, ROWS, reader="Bob")
    assert [one["player"] for one in found["reader_first"]] == ["Bob", HOSTILE]
    assert found["decisions"]["reader"] == "Bob"


@pytest.mark.parametrize("case", cases("match_rows.opened"))
def test_a_match_opens_at_the_worst_error_of_the_owner_or_of_whom_the_browser_knows(
    tmp_path: Path, case: Json
) -> None:
    about = {"links": [("../report.html", "mine")], "name": "mine"}
    about |= {"owner": case.get("owner", "")}
    shown = case.get("shown", "")
    written = tmp_path / "match.html"
    written.write_text(page_of(SIDES, ROWS, **about), encoding="utf-8")
    # Another process of the browser may read what was stored just now too early.
    kept = json.dumps({f"bgrating reader of {case.get('of', 'mine')}": case.get("chosen")})
    storage = f"{{getItem: key => ({kept})[key] ?? null}}"
    with browser.opened(written) as page:
        page.run_first(f"Object.defineProperty(window, 'localStorage', {{value: {storage}}})")
        page.go(written)
        heading = page.ask("document.querySelector('#answer h2').textContent")
        first = page.ask("document.querySelector('#costliest h3').textContent")
        picked = page.ask("document.querySelector('nav select').value")
    assert f"step {case['opened_at'] + 1} of 5" in heading
    assert first == ("Bob" if shown == "Bob" else short(HOSTILE))
    assert picked == shown


@pytest.mark.parametrize(("luck", "loss", "last"), cases("sentences.stories"))
def test_the_story_says_what_decided_a_match(luck: float, loss: float, last: str) -> None:
    """Bob won: dice helped by the other's luck less; errors cost 0.1, a quarter of that."""
    rows = [row("left", "play", "24/20", chance=0.5, loss=loss, luck_mwc=luck)]
    rows.append(row("right", "play", "24/20", chance=0.5, loss=0.1))
    assert story_of(SIDES, rows).endswith(last)


@pytest.mark.parametrize(
    ("complete", "end"),
    [(True, "The record does not tell who won."), (False, "The match is not complete.")],
)
def test_the_story_of_a_match_without_a_winner_names_the_luckier_player(
    complete: bool, end: str
) -> None:
    sides = [side | {"won": math.nan, "complete": complete} for side in SIDES]
    lucks = {"left": 0.1, "right": 0.0}
    rows = [row(side, "play", "24/20", chance=0.5, luck_mwc=luck) for side, luck in lucks.items()]
    story = story_of(sides, rows)
    assert story.startswith(end)
    lucky, _, percentage = story.removeprefix(end).partition(" was luckier, by ")
    assert percentage.startswith("10.0")
    assert "Bob" not in lucky


def story_of(sides: list[Json], rows: list[Json]) -> str:
    """Return the sentences of a page after the PR of both players."""
    headline = page_of(sides, rows).partition('<p id="headline">')[2].partition("</p>")[0]
    return unescape(re.sub(r"[ \n]+", " ", headline.rpartition("</b>")[2]).lstrip(". ").rstrip())


def page_of(sides: list[Json], rows: list[Json], **about: Any) -> str:
    facts = {"analysis": "0-ply", "check": "none", "plies": 0, "least": 0.02, "blunder": 0.08}
    facts |= {"confidence": "90 %", "links": []}
    left, right = sides
    variables = match_variables(sides, rows)
    return page("human_match.html.j2", **variables, **(facts | about), left=left, right=right)


def test_luck_stands_where_it_is_known_and_nowhere_else() -> None:
    """Without luck a page had "Luck, of the match –"; a session had luck in its games only."""
    sides = [side | {"luck_mwc": math.nan, "luck_adjusted_result": math.nan} for side in SIDES]
    without = page_of(sides, [one | {"luck_mwc": math.nan} for one in ROWS])
    main = without.partition("<main>")[2].partition("</main>")[0].partition("<script")[0]
    shown = re.sub(r"<[^>]*>", "", main)
    assert "luck" not in shown.lower()
    gained = r"gained by luck</dt><dd>(.*?)</dd>"
    money = page_of([side | {"length": "money"} for side in sides], ROWS)
    assert re.findall(gained, money) == ["0.14 points", "-0.14 points"]
    assert re.findall(gained, page_of(SIDES, ROWS)) == ["14.0\u00a0%", "-14.0\u00a0%"]


@pytest.mark.parametrize(("event", "turn", "by_name", "shown"), cases("sentences.events"))
def test_a_match_has_its_event_and_round_and_says_which_the_file_name_gave(
    event: str, turn: str, by_name: str, shown: str
) -> None:
    facts = {"event": event, "round": turn, "from_file_name": by_name}
    text = page_of([side | facts for side in SIDES], ROWS)
    lead = text.partition('<p class="lead">')[2].partition("</p>")[0]
    assert lead.endswith(f" {shown}.")


def test_the_result_without_luck_of_a_match_whose_beginning_is_lost() -> None:
    """From a chance of 70 % Bob won, and the dice gave him 10 %: 90 % without them."""
    results = [
        one | {"luck_adjusted_result": 0.2 * turn} for one, turn in zip(SIDES, (-1, 1), strict=True)
    ]
    rows = [row("right", "play", "24/20", chance=0.5, luck_mwc=0.1)]
    shown = re.findall(r"without luck</dt><dd>(.*?)</dd>", page_of(results, rows))
    assert shown == ["10 %", "90 %"]


def test_unchecked_decisions_are_marked_in_the_summary() -> None:
    mark = "0-ply; not checked in bear-offs"
    rows = [one | {"by": mark if one["loss_emg"] >= 0.2 else ""} for one in ROWS]
    text = page_of(SIDES, rows)
    section = text.partition("<h2>Costliest errors</h2>")[2].partition("</section>")[0]
    assert section.count(f"({mark})") == 2, "one of each player"
    assert mark not in page_of(SIDES, ROWS)


@pytest.mark.slow
def test_a_match_is_played_through_with_the_keyboard(written: Path) -> None:
    rows = [
        one | {"by": "0-ply; close, not checked" if one["kind"] == "double" else ""} for one in ROWS
    ]
    written.write_text(page_of(SIDES, rows), encoding="utf-8")
    with browser.opened(written) as page:
        page.resize(1000)
        found = page.ask(SEEN)
        for dark in (False, True):
            page.picture(400, dark=dark)
        assert page.said() == []
    assert found == json.loads(data_text("pages/match.json"))


IN_VIEW = data_text("pages/in_view.js")


@pytest.fixture(name="written")
def _written(tmp_path: Path) -> Path:
    path = tmp_path / "match.html"
    path.write_text(page_of(SIDES, ROWS), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_laptop_shows_board_candidates_curve_and_moves_and_keys_step_at_once(
    written: Path,
) -> None:
    step = "document.querySelector('#answer h2').textContent"
    with browser.opened(written) as page:
        page.resize(1280, 800)
        page.go(written)
        seen = page.ask(IN_VIEW)
        wanted = ("#headline", "#stage svg.board", "#answer table", ".track .chart svg", "#moves")
        assert [at for at in wanted if not seen[at]] == []
        bottoms = page.ask(
            "Array.from(document.querySelectorAll('.track .y'), at =>"
            " at.getBoundingClientRect().bottom)"
        )
        steps_top = page.ask("document.querySelector('.track .steps').getBoundingClientRect().top")
        assert max(bottoms) <= steps_top, "a label of the curve is behind a button"
        before = page.ask(step)
        page.press("ArrowRight")
        assert page.ask(step) != before
        assert page.ask("scrollY") == 0
        stops = page.ask(
            "Array.from(document.querySelectorAll('#moves button'), at => at.tabIndex === 0)"
        )
        assert stops.count(True) == 1, "the moves are one stop of the keyboard"
        assert page.ask("document.querySelector('#moves [aria-current]').tabIndex") == 0


@pytest.mark.slow
def test_a_phone_shows_what_decided_the_match(written: Path) -> None:
    with browser.opened(written) as page:
        page.resize(400, 800)
        page.go(written)
        assert page.ask(IN_VIEW)["#headline"]


@pytest.mark.slow
def test_candidates_are_sorted_and_a_decision_has_one_loss(written: Path) -> None:
    with browser.opened(f"{written.resolve().as_uri()}#d2") as page:
        rows = page.ask(
            "Array.from(document.querySelectorAll('#answer tbody tr'), row =>"
            " row.cells[1].textContent)"
        )
        equities = [float(text.replace("−", "-")) for text in rows]
        assert equities == sorted(equities, reverse=True)
        assert len(equities) == 3
        assert "costs 0.200" in page.ask("document.querySelector('#answer .verdict').textContent")
        assert (
            page.ask("document.querySelector('#answer tr.made').cells[2].textContent") == "−0.200"
        )


@pytest.mark.parametrize(("won", "end"), [(1.0, "0.0"), (0.0, "100.0"), (math.nan, "60.0")])
def test_a_curve_ends_at_the_result_or_at_the_last_chance(won: float, end: str) -> None:
    results = ({"won": result, "complete": True} for result in (won, 1 - won))
    sides = [side | result for side, result in zip(SIDES, results, strict=True)]
    (line,) = re.findall(r'class="curve" d="M(.*?)"', match_variables(sides, ROWS)["curve"])
    assert line.split("L")[-1] == f"6 {end}"
    assert match_variables(sides, [])["curve"] == ""
