"""A formula for errors that a deeper analysis judges: the same formula, its coefficients divided by factors.

Every formula is fitted to 0-ply errors. Factors say what a deeper analysis multiplies error rates by, measured on the
same matches at both depths (law/depth.py).
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from bgrating.formula.formula import MULTIPLIES, RatingFormula
from bgrating.formula.rates import COUNTS

Factors = Mapping[str, tuple[float, float]]
"""The factor of each rate (epm, and cube error rates as in formula/rates.py) with its standard error."""


def by_level(table: pd.DataFrame) -> dict[str, Factors]:
    """Return the factors of every depth that law/depth.csv has (1-ply, 2-ply)."""
    return {
        str(level): {
            str(row["rate"]): (float(row["factor"]), float(row["std_error"])) for row in own.to_dict("records")
        }
        for level, own in table.groupby("level")
    }


def at_depth(formula: RatingFormula, factors: Factors) -> RatingFormula:
    """Return a formula fitted to 0-ply errors for errors judged deeper; the covariance holds the factors' errors too.

    Raises KeyError where a rate of the formula has no factor.
    """
    own = {"epm": factors["epm"], "epc": factors[COUNTS[formula.epc_definition].rate]}
    multiplied = [MULTIPLIES[term.partition("_")[0]] for term in formula.terms]
    parts = [["epm", "epc"] if rate == "product" else [rate] for rate in multiplied]
    by = np.array([math.prod(own[rate][0] for rate in rates) for rates in parts])
    estimate, covariance = formula.estimate / by, formula.covariance / np.outer(by, by)
    for rate, (factor, error) in own.items():
        moved = estimate * [rates.count(rate) for rates in parts] * error / factor
        covariance = covariance + np.outer(moved, moved)
    return replace(formula, estimate=estimate, covariance=covariance)
