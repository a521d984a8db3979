"""The page of the translation says what its tables hold, and what they do not."""

from pathlib import Path

import pandas as pd
import pytest

from bgrating.pages.style import save
from study.translation import NEW, OLD
from study.translation.page import better, figures, page, summary
from study.translation.pairs import SCHEMA
from study.translation.prediction import tables
from unit.study.translation.test_statistics import own, people

FACTS = {"matches": {"simulated": 400, "club": 400}, "people": 60}


@pytest.fixture(scope="module", name="pairs")
def _pairs() -> pd.DataFrame:
    """Return simulated matches whose cube errors the new nets find 0.9 times as large, and people's: 0.8 times."""
    simulated = people(cube=0.9).assign(source="simulated", player="advanced", opponent="noise-0.02", played_by=OLD)
    return pd.concat([simulated, people(cube=0.8)], ignore_index=True)[SCHEMA.names]


def test_both_formulas_are_compared_where_both_are_fitted(pairs: pd.DataFrame, tmp_path: Path) -> None:
    made = tables(pairs, {OLD: own(8000.0), NEW: own(9000.0)})
    text = summary(made, FACTS, "report.html")
    assert "In 400 people's matches figures of 1.08 over those of 1.07.001 are: EPM 1.000 [1.000, 1.000], " in text
    assert "cube error per unforced move 0.800 [0.800, 0.800]" in text
    assert "People's results over those that the errors of their other matches predict (own law" in text
    assert "Errors of other matches (own law)" in text
    drawn = save(figures(made), tmp_path)
    assert [path.stem for path in drawn] == ["levels", "ratios"]
    html = page(made, drawn, FACTS)
    assert html.count("data:image/svg+xml") == 2
    assert ">nan" not in html


def test_what_is_not_there_is_said(pairs: pd.DataFrame) -> None:
    made = tables(pairs[pairs["source"] == "simulated"], {OLD: own(8000.0)})
    html = page(made, [], {"matches": {"simulated": 400}, "people": 0})
    assert "too few matches of people" in html


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.1, 0.3, "1.08"), (-0.3, -0.1, "1.07.001"), (-0.1, 0.1, "no difference shown")],
)
def test_better_is_who_gains_beyond_chance(low: float, high: float, expected: str) -> None:
    assert better({"gain": (low + high) / 2, "gain_low": low, "gain_high": high}) == expected
