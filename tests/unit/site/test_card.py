"""The picture of a player to send on."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import browser
from bgrating.site.card import HEIGHT, WIDTH, card


def test_a_picture_has_name_figures_and_note_and_is_escaped() -> None:
    name = "<b>&" + "x" * 50
    root = ElementTree.fromstring(card(name, [("rating", "1,883"), ("PR", "5.5")], (0.7, 0.6, 0.8), ("a note",)))
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT)) == ("1200", "630")
    texts = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0].startswith("<b>&xxx")
    assert len(texts[0]) <= 28
    assert texts[1:] == ["1,883", "rating", "5.5", "PR", "a note"]
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 1
    assert not ElementTree.fromstring(card("a", [], None, ())).findall("{http://www.w3.org/2000/svg}circle")


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["x", "W", "m", "名"])
def test_no_line_runs_past_the_picture(tmp_path: Path, letter: str) -> None:
    picture = card(letter * 99, [("provisional rating", "1,883")], None, (letter * 99, "from 59 matches"))
    (tmp_path / "card.html").write_text(f'<body style="margin:0">{picture}')
    with browser.opened(tmp_path / "card.html") as page:
        ends = page.ask("Array.from(document.querySelectorAll('text'), line => line.getBoundingClientRect().right)")
    assert max(ends) <= WIDTH
