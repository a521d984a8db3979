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

ROW = {
    "name": "<b>",
    "r": 1234.5,
    "ci_low": 1000.0,
    "ci_high": float("nan"),
    "epm": 0.01234,
    "p": 3e-9,
    "kind": "a",
}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (("Name", "name"), TableCell("<b>", is_figure=False)),
        (("R", "r", 1), TableCell("1,234.5", is_figure=True)),
        (("R", "r", 0, "ci_"), TableCell("1,234 [1,000,\u00a0–]", is_figure=True)),
        (("R", "r", 0, "none_"), TableCell("1,234", is_figure=True)),
        (("EPM", "epm", "milli"), TableCell("12.3", is_figure=True)),
        (("Share", "epm", "%1"), TableCell("1.2", is_figure=True)),
        (("p", "p", "p"), TableCell("below 0.0001", is_figure=True)),
        (("Kind", "kind", {"a": "first"}), TableCell("first", is_figure=False)),
        (("Both", "{name} at {r:.0f}"), TableCell("<b> at 1234", is_figure=False)),
        (("None", "ci_high", 2), TableCell("–", is_figure=True)),
    ],
)
def test_what_a_cell_shows(column: tuple[object, ...], expected: TableCell) -> None:
    assert cell(ROW | {"none_low": None, "none_high": pd.NA}, column) == expected


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
