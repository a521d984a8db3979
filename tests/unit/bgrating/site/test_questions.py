"""Readers' questions: on the first screen or a click away; without scripts; on paper."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import browser
from bgrating.site.addresses import match_pages, player_pages
from corpus import cases
from unit.bgrating.site.test_collection_page import CHECKED, collection, site_of

pytestmark = pytest.mark.slow
SCREEN = (1366, 768)
SEEN = """(() => {
  const all = Array.from(document.querySelectorAll(%r));
  return all.map(one => ({text: one.innerText.replace(/\\s+/g, " ").trim(),
    box: [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]}));
})()"""


@pytest.fixture(scope="module", name="site")
def _site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the site of a collection that ann owns; return its pages by kind."""
    folder = tmp_path_factory.mktemp("site")
    made = collection(folder, ["ann", "bob", "ann", "cy", "ann", "dee"])
    site_of(replace(made, reader="ann"), folder, **CHECKED)
    club = tmp_path_factory.mktemp("club")
    site_of(collection(club, ["ann", "bob", "cy"]), club, **CHECKED)
    return {
        "club": club / "report.html",
        "player": folder / player_pages(["ann"])["ann"],
        "opponent": folder / player_pages(["bob"])["bob"],
        "match": folder / next(iter(match_pages(made.matches).values())),
        "report": folder / "report.html",
        "positions": folder / "positions.html",
    }


@pytest.mark.parametrize("case", cases("questions.question"), ids=lambda case: case["asks"])
def test_a_question_is_answered_on_the_first_screen_or_a_click_away(
    site: dict[str, Path], case: dict[str, Any]
) -> None:
    with browser.opened(site[case["page"]]) as page:
        page.resize(*SCREEN)
        if click := case.get("click"):
            page.ask(f"document.querySelector({click!r}).scrollIntoView()")
            page.ask(f"document.querySelector({click!r}).click()")
            page.until(browser.READY)
        found = page.until(f"({SEEN % case['at']}).length && {SEEN % case['at']}")
        told = [re.sub(" ", "", one["text"]) for one in found]
        pattern = case["says"].replace(" ", "")
        fits = [one for one, text in zip(found, told, strict=True) if re.search(pattern, text)]
        assert fits, told
        top, _ = fits[0]["box"]
        assert -10 <= top < SCREEN[1], case["asks"]
        assert page.said() == []


def test_a_reader_is_chosen_on_a_page_and_stays_in_the_address(site: dict[str, Path]) -> None:
    with browser.opened(site["report"]) as page:
        page.ask("localStorage.clear()")
        page.ask(
            "Object.defineProperty(window, 'localStorage', {get() { throw Error('no'); }}); null"
        )
        page.ask(
            "setTimeout(select => { select.value = 'bob'; select.dispatchEvent(new Event('change'));"
            " }, 0, document.querySelector('nav .me select'))"
        )
        page.until("location.search === '?me=bob' && document.readyState === 'complete'")
        assert page.ask("document.querySelector('#you h2').textContent") == "You: bob"
        assert page.ask("document.querySelector('tr[aria-current]').textContent").find("bob") >= 0
        page.ask("localStorage.clear()")
        page.ask("setTimeout(link => link.click(), 0, document.querySelector('#you a'))")
        page.until("location.pathname.includes('/players/bob') && location.search === '?me=bob'")
        page.until("document.querySelector('nav .me select')?.value === 'bob'")


def test_the_owner_is_greeted_whose_name_a_table_cuts(tmp_path: Path) -> None:
    owner = "ann " * 25 + "lee"
    made = collection(tmp_path, [owner, "bob", owner, "cy"])
    site_of(replace(made, reader=owner), tmp_path)
    with browser.opened(tmp_path / "report.html") as page:
        assert page.ask("document.getElementById('you').checkVisibility()")
        page.go(f"{(tmp_path / 'report.html').as_uri()}?me=")
        assert not page.ask("document.getElementById('you').checkVisibility()")


def test_a_question_waits_while_its_page_is_left(site: dict[str, Path]) -> None:
    with browser.opened(site["report"]) as page:
        # Only the page that comes after it answers.
        kind = "performance.getEntriesByType('navigation')[0].type"
        page.ask("setTimeout(() => location.reload(), 100)")
        assert page.until(f"{kind} === 'reload' ? 5 : new Promise(() => {{}})") == 5


def choose(page: browser.Page, **fields: str) -> int:
    """Return how many positions of a page have these fields."""
    page.ask("document.getElementById('all').click()")
    for name, value in fields.items():
        page.ask(f"document.querySelector('#find [name={name}]').value = {value!r}")
    page.ask("document.getElementById('find').dispatchEvent(new Event('change'))")
    return int(page.ask("document.getElementById('count').textContent").split()[0])


def test_a_page_finds_a_take_as_the_doubler_sees_it(tmp_path: Path) -> None:
    """The positions are those of the test of `find`: after 31: 8/5 6/5 the other side doubles."""
    opponent = "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:D:0:0:0:7:10"
    cube = {"kind": "take", "dice": "", "played": "take", "best": "pass", "candidates": ""}
    site_of(collection(tmp_path, ["ann", "bob"]), tmp_path, xgid=opponent, **cube)
    with browser.opened(tmp_path / "positions.html") as page:
        assert choose(page, position="sGfwATDgc/ABMA") == choose(page) > 0
        assert choose(page, position="4HPwATCwZ/ABMA") == 0


def test_positions_are_found_by_what_they_have_in_common(site: dict[str, Path]) -> None:
    with browser.opened(site["positions"]) as page:
        every = choose(page)
        assert every == 72, "an error of each player in each of 36 matches"
        assert choose(page, player="ann") == 36
        assert choose(page, player="ann", dice="13", plan="opening", away="1-1") == 36
        assert choose(page, position="4HPwATDgc/ABMA") == every
        assert choose(page, position="XGID=-b----E-C---eE") == every
        assert choose(page, pips="167", loss="0,17", cube="1", error="chequer play") == every
        for field in ({"pips": "-166"}, {"loss": "0.18"}, {"dice": "32"}, {"away": "2-1"}):
            assert choose(page, **field) == 0
        assert choose(page, player="bob") == 12
        assert page.ask("location.hash") == "#find:player=bob"
        assert page.ask("document.querySelectorAll('#found svg.board').length") == 12
        assert page.ask("document.querySelector('#found a').href").endswith("#d1")
        page.ask("URL.createObjectURL = blob => { window.saved = blob; return location.hash; }")
        page.ask("document.getElementById('csv').click()")
        lines = page.ask("window.saved.text()").splitlines()
        assert lines[0] == "player,opponent,kind,plan,dice,played,best,loss,xgid"
        assert len(lines) == 13
        page.ask("document.getElementById('ask').click()")
        assert "bob has 31 to play" in page.ask("document.getElementById('answer').textContent")


@pytest.mark.parametrize("kind", ["player", "match", "report", "positions"])
def test_without_scripts_a_page_has_its_worst_error_and_no_dead_button(
    site: dict[str, Path], kind: str
) -> None:
    dead = (
        "Array.from(document.querySelectorAll('button, select, input'))"
        ".filter(one => one.checkVisibility()).map(one => one.outerHTML)"
    )
    with browser.opened(site[kind]) as page:
        page.without_scripts()
        assert page.ask(dead) == []
        if kind != "report":
            boards = page.ask("document.querySelectorAll('svg.board path.still0').length")
            assert boards == 1
            text = page.ask("document.querySelector('main').innerText")
            assert "24/23 13/10" in text
            assert "8/5 6/5" in text


def test_paper_has_the_names_and_the_costs(site: dict[str, Path]) -> None:
    sheets = {}
    for kind in ("player", "match"):
        with browser.opened(site[kind]) as page:
            sheets[kind] = page.paper().rstrip("\f").split("\f")
    player = "\n".join(sheets["player"])
    for words in ("ann", "Worst errors", "What to practise", "Opening", "Played 24/23 13/10"):
        assert words in player
    match = "\n".join(sheets["match"])
    assert len(sheets["match"]) <= 2
    assert len(sheets["player"]) <= 2
    for words in ("ann – bob", "PR", "Every error", "24/23 13/10", "0.170"):
        assert words in match
    for text in (player, match):
        letters = [line for line in text.splitlines() if len(line.strip()) == 1]
        assert len(letters) < 40, "a column of single letters"


@pytest.mark.parametrize("kind", ["player", "match", "report", "positions"])
def test_a_phone_gives_a_page_its_whole_width(site: dict[str, Path], kind: str) -> None:
    """The match stood beside the choice of the reader, in half of the screen."""
    with browser.opened(site[kind]) as page:
        page.resize(390, 844)
        assert page.ask("document.documentElement.scrollWidth") == 390
        widths = "Array.from(document.querySelectorAll('main > section'), one => one.offsetWidth)"
        assert all(width > 350 for width in page.ask(widths) if width)
