"""The first screen of a match: board, candidates and curve on a laptop, what decided it on a phone, keys from load."""

from pathlib import Path

import pytest

import browser
from corpus import data_text
from unit.site.test_match_page import ROWS, SIDES, page_of

pytestmark = pytest.mark.slow
IN_VIEW = data_text("pages/in_view.js")
STEP = "document.querySelector('#answer h2').textContent"


@pytest.fixture(name="page")
def _page(tmp_path: Path) -> Path:
    path = tmp_path / "match.html"
    path.write_text(page_of(SIDES, ROWS), encoding="utf-8")
    return path


def test_a_laptop_shows_board_candidates_curve_and_moves_and_keys_step_at_once(page: Path) -> None:
    with browser.opened(page) as one:
        one.resize(1280, 800)
        one.go(page)
        seen = one.ask(IN_VIEW)
        assert [at for at in ("#stage svg.board", "#answer table", ".track .chart svg", "#moves") if not seen[at]] == []
        before = one.ask(STEP)
        one.press("ArrowRight")
        assert one.ask(STEP) != before
        assert one.ask("scrollY") == 0


def test_no_label_of_the_curve_is_behind_a_button_and_the_moves_are_one_stop_of_the_keyboard(page: Path) -> None:
    with browser.opened(page) as one:
        one.resize(1280, 800)
        bottoms = one.ask("Array.from(document.querySelectorAll('.track .y'), at => at.getBoundingClientRect().bottom)")
        assert max(bottoms) <= one.ask("document.querySelector('.track .steps').getBoundingClientRect().top")
        one.press("ArrowRight")
        stops = one.ask("Array.from(document.querySelectorAll('#moves button'), at => at.tabIndex === 0)")
        assert stops.count(True) == 1
        assert one.ask("document.querySelector('#moves [aria-current]').tabIndex") == 0


def test_a_phone_shows_what_decided_the_match(page: Path) -> None:
    with browser.opened(page) as one:
        one.resize(400, 800)
        one.go(page)
        assert one.ask(IN_VIEW)["#decided"]


def test_candidates_are_sorted_and_a_decision_has_one_loss(page: Path) -> None:
    with browser.opened(page) as one:
        one.go(f"{page.resolve().as_uri()}#d2")
        rows = one.ask("Array.from(document.querySelectorAll('#answer tbody tr'), row => row.cells[1].textContent)")
        equities = [float(text.replace("−", "-")) for text in rows]
        assert equities == sorted(equities, reverse=True)
        assert len(equities) == 3
        assert "costs 0.200" in one.ask("document.querySelector('#answer .verdict').textContent")
        assert one.ask("document.querySelector('#answer tr.made').cells[2].textContent") == "−0.200"
