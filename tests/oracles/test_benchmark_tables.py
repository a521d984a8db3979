"""The tables that benchmarks wrote are what the benchmarks compute from the frozen matches."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import law_checks
import level_rule
import people_hierarchy
from bgrating.rating.choose import choose
from bgrating.tables.table_files import read_table
from study.people.losses import frozen_losses


def compare(found: pd.DataFrame, kept: Path) -> None:
    """Check a table against the kept one, whose figures have ten digits."""
    expected = read_table(kept)
    assert list(found.columns) == list(expected.columns)
    texts = [name for name in expected.columns if expected[name].dtype.kind == "O"]
    figures = expected.columns.difference(texts)
    for name in texts:
        ours, theirs = (table[name].fillna("").astype(str).tolist() for table in (found, expected))
        assert ours == theirs, name
    ours, theirs = (table[figures].astype(float).to_numpy() for table in (found, expected))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "table", ["drawn", "sensitivity", "further", "coverage", "slopes", "depth"]
)
def test_the_checks_of_the_law(
    project: Path, table: str, law_tables: dict[str, pd.DataFrame]
) -> None:
    compare(law_tables[table], project / "results" / "1.08" / "law" / f"{table}.csv")


@pytest.fixture(name="law_tables", scope="module")
def _law_tables() -> dict[str, pd.DataFrame]:
    return law_checks.made("1.08")


@pytest.mark.slow
def test_the_hierarchical_model(project: Path) -> None:
    engine_version = people_hierarchy.ENGINE_VERSION
    losses, formula = frozen_losses(engine_version), choose("fitted", engine_version)
    found = people_hierarchy.judged(people_hierarchy.predictions(losses, formula))
    compare(found, project / "results" / engine_version / "people" / "hierarchy.csv")


@pytest.mark.nightly
@pytest.mark.parametrize("engine_version", ["1.08", "1.07.001"])
def test_the_rule_of_level_checked(project: Path, engine_version: str) -> None:
    kept = project / "results" / engine_version / "people" / "depth_rule.csv"
    compare(level_rule.made(engine_version), kept)
