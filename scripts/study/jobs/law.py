"""Fit the formula of an engine, and write the tables of the law."""

from pathlib import Path

from study.law.tables import make
from study.workflow_settings import Settings


def run(settings: Settings, provenance: str, *inputs: str) -> None:
    """Write the tables and formula.json, from matches of studies and formulas of other nets."""
    paths = list(map(Path, inputs))
    matches = [path for path in paths if path.suffix == ".parquet"]
    formulas = [path for path in paths if path.name == "formula.json"]
    make(matches, settings.engine_version, Path(provenance).parents[1], formulas)
