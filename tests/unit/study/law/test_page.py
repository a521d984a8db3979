"""The law's page, from its frozen tables: the answer in words, then measured against predicted, then tables."""

from pathlib import Path

import pytest

from bgrating.places import DATA
from study.law import page


@pytest.mark.parametrize("nets", ["1.07.001", "1.08"])
def test_the_page_of_the_law_begins_with_its_figure(nets: str, tmp_path: Path) -> None:
    picture = tmp_path / "cubes.svg"
    picture.write_text("<svg/>")
    text = page.made(DATA / "results" / nets / "law").html([picture])
    assert text.index("<h1>") < text.index("<figure>") < text.index("<table")
    assert "Rival forms" in text
