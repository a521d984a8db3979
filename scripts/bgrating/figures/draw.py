"""All figures of a study, by name."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from bgrating.figures import ratings
from bgrating.figures.agreement import agreement
from bgrating.figures.coefficients import lines
from bgrating.model.formula import RatingFormula
from bgrating.model.predictions import predictions


def figures(
    points: pd.DataFrame, coefficients: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures that a study's formula calls for, each with its file name."""
    seen = predictions(points, formula, published, str(formula.facts["method"]))
    form, _, _ = str(formula.facts["model"]).partition("-")
    for length in sorted(seen["match_length"].unique()):
        if form == "bilinear":
            yield f"rating-{length:02d}", ratings.bilinear(seen, int(length), formula.confidence)
        else:
            yield f"rating-{length:02d}", ratings.linear(seen, formula, published, int(length))
    if form == "linear":
        yield "rating-all", ratings.linear_all(seen, formula, published)
    yield "coefficients", lines(single_lengths(coefficients, form, str(formula.facts["method"])), formula, published)
    yield "agreement", agreement(seen, formula.confidence)


def single_lengths(coefficients: pd.DataFrame, form: str, method: str) -> pd.DataFrame:
    """Give the rows of a coefficients table that were fitted length by length to winning chances."""
    mine = (coefficients["model"] == f"{form}-probability") & (coefficients["method"] == method)
    return coefficients[mine & coefficients["match_length"].notna() & coefficients["estimate"].notna()]
