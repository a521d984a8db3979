"""Fit the formula of an engine, and write the tables of the law."""

from pathlib import Path

from study.law import BEFORE
from study.law.tables import make
from study.settings import Settings


def run(settings: Settings, provenance: str, *inputs: str) -> None:
    """Write the tables and formula.json, from matches of studies, formulas of other nets, and
    BEFORE if it is there.
    """
    paths = list(map(Path, inputs))
    matches = [path for path in paths if path.suffix == ".parquet"]
    others = [path for path in paths if path.name == "formula.json"]
    fixed = next((path for path in paths if path.name == BEFORE), None)
    make(matches, settings.nets, Path(provenance).parents[1], others, fixed)
