"""The comparison with 2003: coefficients over the published ones, and pairs of players that nothing was fitted to.

A table that needs a study not played yet is written empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import verified
from bgrating.tables.tables import read_table
from study.formula.catalogue import KIND_OF_ONE_LENGTH, METHOD
from study.formula.points import EpcDefinition
from study.published import beside_published

TABLES = ("causes", "out_of_sample")
PART_2, ZADEH = "part2", "check-zadeh"
PAIRS = ("appendix2", "appendix2-1-ply", "appendix2-2-ply", "check-both-noisy", "check-2-ply-players")
Variant = tuple[str, str, EpcDefinition]  # kind of fit, estimator of the chance, count of close decisions
TODAY: Variant = (KIND_OF_ONE_LENGTH, METHOD, "today")
OLD_COUNT: Variant = (KIND_OF_ONE_LENGTH, METHOD, "2003")
AS_IN_2003: Variant = ("ols", "luck-adjusted", "2003")
TOTAL, COUNT, REST = "all together", "count of 2003", "what is left"
WORDS = {
    TOTAL: "measured today, over published",
    COUNT: "close cube decisions counted as in 2003, over published",
    REST: "count, fit and match-equity table all as in 2003, over published: the engine itself, and chance",
}


@dataclass(frozen=True)
class PlayedStudy:
    """One study: what was made of its matches, and where they come from (`formula` None: it determines none)."""

    name: str
    points: pd.DataFrame
    coefficients: pd.DataFrame = field(default_factory=pd.DataFrame)
    formula: RatingFormula | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def read(folder: Path) -> PlayedStudy:
    """Return the study of a folder of results. Raises TableError and FormulaError naming what is wrong."""
    return PlayedStudy(
        name=folder.name,
        points=read_table(folder / "points.csv"),
        coefficients=read_table(folder / "coefficients.csv"),
        formula=formula_if_any(folder / "formula.json"),
        facts=verified(folder / "matches.parquet"),
    )


def tables(studies: Mapping[str, PlayedStudy]) -> dict[str, pd.DataFrame]:
    part2, zadeh = (studies.get(name) for name in (PART_2, ZADEH))
    pairs = [studies[name] for name in PAIRS if name in studies]
    return {"causes": causes(part2, zadeh), "out_of_sample": out_of_sample(pairs, part2.formula if part2 else None)}


def causes(part2: PlayedStudy | None, zadeh: PlayedStudy | None) -> pd.DataFrame:
    """Set Part II's coefficients over the published ones, as today and counted as in 2003 (comparison/causes).

    The matches played with the match-equity table of 2003 (`zadeh`), counted and fitted as then, show what is left.
    """
    wanted = ((TOTAL, part2, TODAY), (COUNT, part2, OLD_COUNT), (REST, zadeh, AS_IN_2003))
    parts = [_over_published(cause, study, variant) for cause, study, variant in wanted if study]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/causes"))


def _over_published(cause: str, study: PlayedStudy, variant: Variant) -> pd.DataFrame:
    """Set a study's coefficients of one fit over the published ones, which have no error of their own in the paper."""
    kind, *others = variant
    table, paper = study.coefficients, published_formula("bilinear")
    is_wanted = (table[["model", "method", "epc_definition"]] == [f"bilinear-{kind}", *others]).all(axis=1)
    rows = table[is_wanted & table["match_length"].notna()]
    reference = [paper.coefficient(term, n)[0] for term, n in zip(rows["term"], rows["match_length"], strict=True)]
    factor, half = (rows[name] / reference for name in ("estimate", "std_error"))
    half *= quantile(CONFIDENCE, rows["dof"].to_numpy(float))
    return rows.assign(
        cause=cause, value=rows["estimate"], reference=reference, factor=factor, ci_low=factor - half,
        ci_high=factor + half, words=WORDS[cause],
    )  # fmt: skip


def out_of_sample(studies: list[PlayedStudy], formula: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of single pairs from another fit (comparison/out_of_sample).

    `predicted` is by `formula` (of Part II, EPC of today). A deviation is measured less predicted over the root of both
    squared errors. `published_formula` has our error rates with EPC counted as in 2003; `distance` is how far our
    rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        predicted = _predict(formula, *rows[["match_length", "epm", "epc"]].to_numpy(float).T)
        rows["predicted"], rows["predicted_se"] = predicted
        spread = np.hypot(rows["rating_difference_se"], rows["predicted_se"])
        rows["deviation"] = (rows["rating_difference"] - rows["predicted"]) / spread
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/out_of_sample"))


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that does not hold at their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error
