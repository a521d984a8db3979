"""The law's page, from its frozen tables: the answer in words, then measured against predicted, then tables."""

from pathlib import Path

import pytest

import browser
from bgrating.places import DATA
from study.law import page


@pytest.mark.parametrize("nets", ["1.07.001", "1.08"])
def test_the_page_of_the_law_begins_with_its_figure(nets: str, tmp_path: Path) -> None:
    picture = tmp_path / "cubes.svg"
    picture.write_text("<svg/>")
    text = page.made(DATA / "results" / nets / "law").html([picture])
    assert text.index("<h1>") < text.index("<figure>") < text.index("<table")
    assert "Rival forms" in text


@pytest.mark.slow
def test_no_table_of_the_law_is_cut_or_scrolls(tmp_path: Path) -> None:
    (tmp_path / "law.html").write_text(page.made(DATA / "results/1.08/law").html([]), encoding="utf-8")
    cut = "Array.from(document.querySelectorAll('.scroll')).filter(one => one.scrollWidth > one.clientWidth + 1).length"
    with browser.opened(tmp_path / "law.html") as keys:
        keys.ask("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in (1280, 1100):
            keys.resize(width)
            assert keys.ask(cut) == 0, width
