"""All figures of a study, by name."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.formula.formula import RatingFormula
from bgrating.formula.predictions import predictions
from bgrating.formula.published import published_formula
from bgrating.study_report import rating_figures as ratings
from bgrating.study_report.agreement import agreement
from bgrating.study_report.cell_figures import cells
from bgrating.study_report.coefficient_figures import lines
from bgrating.study_report.surface import surface


def figures(
    points: pd.DataFrame, coefficients: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures that a study's formula calls for, each with its file name."""
    method = str(formula.facts["method"])
    seen = predictions(points, formula, published, method)
    form, _, _ = str(formula.facts["model"]).partition("-")
    if form == "bilinear":
        seen = with_linear(seen, coefficients, method)
    for length in sorted(map(int, seen["match_length"].unique())):
        if form == "bilinear":
            yield f"rating-{length:02d}", ratings.bilinear(seen, length, formula.confidence)
            yield f"cells-{length:02d}", cells(seen, length, formula.confidence)
        elif alone := least_squares_line(coefficients, method, length):
            yield f"rating-{length:02d}", ratings.linear(seen, alone, published, length)
    if form == "linear":
        yield "rating-all", ratings.linear_all(seen, formula, published)
        if formula.every_length:
            yield "surface", surface(seen, formula, published)
    yield "coefficients", lines(single_lengths(coefficients, form, method), formula, published)
    yield "agreement", agreement(seen, formula.confidence)


def single_lengths(coefficients: pd.DataFrame, form: str, method: str) -> pd.DataFrame:
    """Give the rows of a coefficients table that were fitted length by length to winning chances."""
    mine = (coefficients["model"] == f"{form}-probability") & (coefficients["method"] == method)
    return coefficients[mine & coefficients["match_length"].notna() & coefficients["estimate"].notna()]


def with_linear(seen: pd.DataFrame, coefficients: pd.DataFrame, method: str) -> pd.DataFrame:
    """Add what the linear form says: `linear`, fitted to the same study, and `published_linear`."""
    theirs = published_formula("linear")
    slopes = {int(row["match_length"]): float(row["estimate"]) for row in _linear_rows(coefficients, method)}
    return seen.assign(
        linear=[slopes.get(n, float("nan")) * x for n, x in zip(seen["match_length"], seen["depd"], strict=True)],
        published_linear=theirs.rating_difference(
            seen["match_length"].to_numpy(float), depd=seen["depd_2003"].to_numpy(float)
        )[0],
    )


def _linear_rows(coefficients: pd.DataFrame, method: str) -> list[dict[str, Any]]:
    """Give the linear fit to chances at every length: one fit over all lengths, or that of the single length."""
    single = single_lengths(coefficients, "linear", method)
    rows = single[single["epc_definition"] == "today"]
    if len(rows) > 1:
        joint = coefficients[(coefficients["model"] == "linear-joint-probability") & (coefficients["method"] == method)]
        rows = joint[joint["match_length"].notna() & (joint["epc_definition"] == "today")]
    return [{str(k): v for k, v in row.items()} for row in rows.to_dict("records")]


def least_squares_line(coefficients: pd.DataFrame, method: str, length: int) -> RatingFormula | None:
    """Give the least-squares line of one match length as a formula; None where its points determine none."""
    mine = (coefficients["model"] == "linear-ols") & (coefficients["method"] == method)
    mine &= (coefficients["match_length"] == length) & (coefficients["epc_definition"] == "today")
    rows = coefficients[mine & coefficients["estimate"].notna()]
    if rows.empty:
        return None
    row = rows.iloc[0]
    return RatingFormula(
        terms=("a",),
        estimate=np.array([row["estimate"]], dtype=float),
        covariance=np.array([[row["std_error"] ** 2]], dtype=float),
        dof=float(row["dof"]),
        confidence=float(row["confidence"]),
        epc_definition="today",
        match_lengths=(length,),
    )
