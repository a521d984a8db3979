"""Cells of tables, pictures, data and the first page."""

import json
from pathlib import Path

import pandas as pd
import pytest

from bgrating.pages.template import (
    TEMPLATES,
    TableCell,
    _script,
    cell,
    data,
    embedded,
    pictures,
    records,
)
from corpus import values

CELLS = values("cells")


@pytest.mark.parametrize(("column", "text", "is_figure"), CELLS["cells"])
def test_what_a_cell_shows(column: list[object], text: str, is_figure: bool) -> None:
    row = CELLS["row"] | {"none_low": None, "none_high": pd.NA}
    assert cell(row, tuple(column)) == TableCell(text, is_figure)


def test_rows_of_a_frame_and_pictures_by_name(tmp_path: Path) -> None:
    assert records(pd.DataFrame({"a": [1], 2: ["x"]})) == [{"a": 1, "2": "x"}]
    for name in ("moved.svg", "rating-05.svg"):
        (tmp_path / name).write_bytes(b"<svg/>")
    found = pictures(sorted(tmp_path.glob("*.svg")), {"moved": "Found", "rating": "Ratings"})
    assert [one["title"] for one in found.values()] == ["Found", "Ratings, 5 points"]
    assert (
        found["moved"]["address"]
        == embedded(b"<svg/>", ".svg")
        == "data:image/svg+xml;base64,PHN2Zy8+"
    )


def test_no_name_ends_the_data_of_a_page() -> None:
    value = {"names": ["</script><script>alert(1)", "<!--", "Ω"], "loss": [0.5, None]}
    assert "<" not in data(value)
    assert json.loads(data(value)) == value
    with pytest.raises(ValueError, match="not JSON compliant"):
        data([float("nan")])


def test_scripts_are_narrow_and_the_filter_is_small() -> None:
    for path in TEMPLATES.glob("*.js"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 100] == [], path.name
    assert len(_script("filter.js").encode()) <= 12 * 1024
