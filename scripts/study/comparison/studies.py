"""Studies as far as they have been played: what was made of them, and their design points as a shape sees them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine.nets import one_nets
from bgrating.play.matches import read_checked
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.rating.rates import KEY, differences
from bgrating.rating.shapes import Shape
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.formula.points import Observations, observed, points
from study.formula.recommended import METHOD


@dataclass(frozen=True)
class Played:
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

    def observed(self, shape: Shape) -> Observations:
        """Return the design points with what a shape's coefficients multiply as predictors."""
        rates = differences(self.matches)
        rates["epc_root"] = np.sign(rates["epc"]) * np.sqrt(rates["epc"].abs())
        rows = self.rows.drop(columns=[name for name in rates if name not in KEY], errors="ignore")
        return observed(rows.merge(rates, on=KEY), shape.terms)


def of_matches(name: str, matches: pd.DataFrame) -> Played:
    """Return a study of matches alone."""
    return Played(name, matches, points(matches))


def read(folder: Path) -> Played:
    """Return the study of a folder of results. Raises TableError and FormulaError naming what is wrong."""
    matches = folder / "matches.parquet"
    return Played(
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


def pooled(studies: Sequence[Played], shape: Shape) -> Observations:
    """Return the design points of several studies as one set; a pair has its study's name, whoever begins."""
    parts = {study.name: study.observed(shape) for study in studies}
    names = ("match_length", "predictors", "p", "p_se", "n_matches")
    pairs = [
        f"{name}: {' against '.join(sorted(str(pair).split(' against ')))}"
        for name, part in parts.items()
        for pair in part.pairs
    ]
    return Observations(
        **{name: np.concatenate([getattr(part, name) for part in parts.values()]) for name in names},
        pairs=np.array(pairs, dtype=np.str_),
        left_out=tuple(f"{name}: {one}" for name, part in parts.items() for one in part.left_out),
    )
