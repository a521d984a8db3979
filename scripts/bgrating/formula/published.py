"""The numbers of the 2003 study, read from results/published."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.formula.formula import RatingFormula
from bgrating.formula.shapes import FORMS, line_terms
from bgrating.tables import read_csv

FOLDER = Path(__file__).resolve().parents[3] / "results" / "published"


@cache
def published_coefficients() -> pd.DataFrame:
    """Give the published coefficients: the coefficients table as far as the paper fills it, and `source`."""
    return read_csv(FOLDER / "coefficients.csv")


@cache
def published_points() -> pd.DataFrame:
    """Give the rows of Appendix II, turned so that the player is the weaker one, as in our tables.

    Columns of the points table as far as the paper gives them; no match length where it gives none.
    """
    return read_csv(FOLDER / "appendix2.csv")


def published_formula(form: str) -> RatingFormula:
    """Give the published formula of a form: `linear` (Part I) or `bilinear` (Part II).

    The paper gives no covariance of its coefficients: it is NaN here. Its close cube decisions are those of
    2003.
    """
    if form not in FORMS:
        raise ValueError(f"no published formula {form!r}; there are: {', '.join(FORMS)}")
    table = published_coefficients()
    mine = table[(table["model"] == f"{form}-ols") & table["match_length"].isna()].set_index("term")
    terms = line_terms(FORMS[form].terms)
    return RatingFormula(
        terms=terms,
        estimate=mine.loc[list(terms), "estimate"].to_numpy(dtype=float),
        covariance=np.full((len(terms), len(terms)), np.nan),
        dof=float("inf"),
        confidence=0.9,
        epc_definition="2003",
        match_lengths=(1, 3, 5, 7, 11, 23) if form == "linear" else (3, 5, 7, 11, 23),
        facts={
            "study": str(mine["source"].iloc[0]),
            "n_points": int(mine["n_points"].iloc[0]),
            "n_matches": int(mine["n_matches"].iloc[0]),
        },
    )
