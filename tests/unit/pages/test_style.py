"""Figures are those that were drawn."""

from pathlib import Path

from bgrating.pages import style


def test_a_figure_of_an_older_version_is_none_of_this_page(tmp_path: Path) -> None:
    (tmp_path / "cells-03.svg").write_text("<svg/>")
    drawn = style.save(
        [("b", style.new_figure(1, width=2, height=2)[0]), ("a", style.new_figure(1, width=2, height=2)[0])], tmp_path
    )
    assert drawn == [tmp_path / "a.svg", tmp_path / "b.svg"]
    assert (tmp_path / "cells-03.svg").is_file()
