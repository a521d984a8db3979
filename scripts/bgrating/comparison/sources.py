"""The studies that a comparison draws on, as far as they have been played."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.formula.formula import NoFormulaError, RatingFormula, read_formula
from bgrating.formula.recommended import METHOD
from bgrating.provenance import read_provenance
from bgrating.study.matches import read_checked
from bgrating.tables import read_table


@dataclass(frozen=True)
class Played:
    """One study: its matches, what was made of them, and where they come from (`formula` None: it determines none)."""

    name: str
    matches: pd.DataFrame
    points: pd.DataFrame
    coefficients: pd.DataFrame
    formula: RatingFormula | None
    facts: dict[str, Any]

    @property
    def rows(self) -> pd.DataFrame:
        """Rows of the points table by the recommended method, one a design point."""
        return self.points[self.points["method"] == METHOD].reset_index(drop=True)


def read(folder: Path) -> Played:
    """Read a study from its folder of results. Raises TableError and FormulaError naming what is wrong."""
    try:
        formula = read_formula(folder / "formula.json")
    except NoFormulaError:
        formula = None
    matches = folder / "matches.parquet"
    return Played(
        name=folder.name,
        matches=read_checked(matches),
        points=read_table(folder / "points.csv"),
        coefficients=read_table(folder / "coefficients.csv"),
        formula=formula,
        facts=read_provenance(matches),
    )
