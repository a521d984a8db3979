"""Pages of extreme input on a phone: nothing is wider than the screen, long tables fold."""

from pathlib import Path

import pytest

import browser
from bgrating.site.match_page import match_variables
from unit.bgrating.site.test_collection_page import collection, site_of
from unit.bgrating.site.test_match_page import ROWS, SIDES, page_of

PHONE = 400
NAMES = ("x" * 200, "שלום עולם " * 20, "?! — 1/2", "Ann")
pytestmark = pytest.mark.slow


def on_a_phone(text: str, folder: Path) -> int:
    """Open a page on a screen of 400 px; return the number of its boards."""
    (folder / "page.html").write_text(text, encoding="utf-8")
    with browser.opened(folder / "page.html") as page:
        page.resize(PHONE)
        assert page.ask("document.documentElement.scrollWidth") == PHONE
        return page.ask("document.querySelectorAll('svg.board').length")


@pytest.mark.parametrize("plies", [1, 2000])
def test_a_match_of_one_roll_and_of_two_thousand_plies(tmp_path: Path, plies: int) -> None:
    rows = (ROWS * plies)[:plies]
    variables = match_variables(SIDES, rows)
    assert len(variables["decisions"]["xgid"]) == plies
    # The board to play on, the first boards of errors, and two heads of arrows.
    assert on_a_phone(page_of(SIDES, rows), tmp_path) == 1 + min(25, len(variables["errors"])) + 2


def test_names_without_an_end_without_letters_and_from_right_to_left(tmp_path: Path) -> None:
    site_of(collection(tmp_path, list(NAMES)), tmp_path)
    pages = [
        tmp_path / "report.html",
        *tmp_path.glob("players/*.html"),
        next(tmp_path.glob("matches/*.html")),
    ]
    assert len(pages) == 2 + len(NAMES)
    for number, written in enumerate(pages):
        folder = tmp_path / str(number)
        folder.mkdir()
        on_a_phone(written.read_text(encoding="utf-8"), folder)
