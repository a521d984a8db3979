"""The page of the translation says what its tables hold, and what they do not."""

from pathlib import Path

import pandas as pd
import pytest

from bgrating.pages.style import save
from study.translation import OLD
from study.translation.page import TITLES, figure, page, summary
from study.translation.ratios import SCHEMA, ratios
from unit.study.translation.test_ratios import people

FACTS = {"matches": {"simulated": 400, "club": 400}, "people": 60}


@pytest.fixture(scope="module", name="pairs")
def _pairs() -> pd.DataFrame:
    """Return simulated matches whose cube errors the new nets find 0.9 times as large, and people's: 0.8 times."""
    simulated = people(cube=0.9).assign(source="simulated", player="advanced", opponent="noise-0.02", played_by=OLD)
    return pd.concat([simulated, people(cube=0.8)], ignore_index=True)[SCHEMA.names]


def test_both_formulas_are_compared_where_both_are_fitted(pairs: pd.DataFrame, tmp_path: Path) -> None:
    table = ratios(pairs)
    text = summary(table, FACTS, "report.html")
    assert "400 people's matches" in text
    assert "EPM 1.000 [1.000, 1.000]" in text
    assert "cube error per unforced move 0.800 [0.800, 0.800]" in text
    html = page(table, save([(name, figure(table)) for name in TITLES], tmp_path), FACTS)
    assert html.count("data:image/svg+xml") == 1
    assert ">nan" not in html
