"""Studies as far as they have been played: what was made of them, and their design points as a shape sees them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.nets import one_nets
from bgrating.play.matches import read_checked
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.formula.recommended import METHOD


@dataclass(frozen=True)
class PlayedStudy:
    """One study: its matches, what was made of them, and where they come from (`formula` None: it determines none)."""

    name: str
    matches: pd.DataFrame
    points: pd.DataFrame
    coefficients: pd.DataFrame = field(default_factory=pd.DataFrame)
    formula: RatingFormula | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> pd.DataFrame:
        """Rows of the points table by the recommended method, one per design point."""
        return self.points[self.points["method"] == METHOD].reset_index(drop=True)


def read(folder: Path) -> PlayedStudy:
    """Return the study of a folder of results. Raises TableError and FormulaError naming what is wrong."""
    matches = folder / "matches.parquet"
    return PlayedStudy(
        name=folder.name,
        matches=read_checked(matches),
        points=read_table(folder / "points.csv"),
        coefficients=read_table(folder / "coefficients.csv"),
        formula=formula_if_any(folder / "formula.json"),
        facts=read_provenance(matches),
    )


def matches_of(paths: Iterable[str], nets: str) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """Return the matches of studies by name from their tables, and the provenance of each.

    Raises NetsError where they were not all judged by these nets.
    """
    tables, facts = {}, {}
    for path in map(Path, paths):
        fact = read_provenance(path)
        tables[fact["study"]], facts[fact["study"]] = path, fact
    one_nets({name: fact["engine"] for name, fact in facts.items()}, nets)
    return {name: read_checked(table) for name, table in tables.items()}, facts
