"""The formulas of the 2003 study, read from results/published."""

import numpy as np

from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.known import published_terms
from bgrating.rating.result_files import results_of

FOLDER = results_of("published")
LENGTHS = {"linear": (1, 3, 5, 7, 11, 23), "bilinear": (3, 5, 7, 11, 23)}


def published_formula(form: str) -> RatingFormula:
    """Return the published formula of a form: `linear` (Part I) or `bilinear` (Part II).

    The paper gives no covariance of its coefficients: it is NaN here. Its close cube decisions are
    those of 2003.
    """
    terms = published_terms(form)
    return RatingFormula(
        terms=tuple(terms),
        estimate=np.array(list(terms.values())),
        covariance=np.full((len(terms), len(terms)), np.nan),
        dof=float("inf"),
        confidence=CONFIDENCE,
        epc_definition="2003",
        match_lengths=LENGTHS[form],
    )
