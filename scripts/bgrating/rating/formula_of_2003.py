"""The formulas of the 2003 study, read from results/published."""

import numpy as np

from bgrating.places import DATA
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.table_files import read_csv

FOLDER = DATA / "results" / "published"
COEFFICIENTS = {"linear": ("a",), "bilinear": ("a2", "b")}


def published_formula(form: str) -> RatingFormula:
    """Return the published formula of a form: `linear` (Part I) or `bilinear` (Part II).

    The paper gives no covariance of its coefficients: it is NaN here. Its close cube decisions are
    those of 2003.
    """
    terms = tuple(f"{name}_{part}" for name in COEFFICIENTS[form] for part in ("const", "inv"))
    table = read_csv(FOLDER / "coefficients.csv")
    lines = table[(table["model"] == f"{form}-ols") & table["match_length"].isna()].set_index(
        "term"
    )
    return RatingFormula(
        terms=terms,
        estimate=lines.loc[list(terms), "estimate"].to_numpy(dtype=float),
        covariance=np.full((len(terms), len(terms)), np.nan),
        dof=float("inf"),
        confidence=CONFIDENCE,
        epc_definition="2003",
        match_lengths=(1, 3, 5, 7, 11, 23) if form == "linear" else (3, 5, 7, 11, 23),
    )
