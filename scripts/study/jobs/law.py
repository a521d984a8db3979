"""Fit the formula of an engine, and write the tables of the law."""

from pathlib import Path

from study.asked import Asked
from study.law import BEFORE
from study.law.tables import make


def run(asked: Asked, _: str, provenance: str, *given: str) -> None:
    """Write the tables and formula.json, from matches of studies, formulas of other nets, and BEFORE."""
    paths = list(map(Path, given))
    matches = [path for path in paths if path.suffix == ".parquet"]
    others = [path for path in paths if path.name == "formula.json"]
    before = [path for path in paths if path.name == BEFORE]
    make(matches, asked.nets, Path(provenance).parents[1], others, before)
