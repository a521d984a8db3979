"""The bend of R with EPC, length by length."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.rating.shapes import SHAPES
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played
from study.formula.regressions import UndeterminedError, fit_chances

CURVATURE_COLUMNS = columns("comparison/curvature")
SMALL, LARGE = 0.02, 0.12  # EPC (EMG) at which slopes are read: near the least and the greatest measured here
WIDEST = 0.192  # EPC (EMG) of the noisiest cube in the paper's Appendix II
BENDS = {"straight": "bilinear", "square": "curvature", "root": "root"}


def curvature(study: Played) -> pd.DataFrame:
    """Fit each length with EPM, EPC and no third term, the square or the square root of EPC (CURVATURE_COLUMNS).

    `extra` is the coefficient of the third term. Slopes are dR/dEPC at SMALL and LARGE, points per EMG; `slope_widest`
    is the mean slope from 0 to WIDEST, `published` the published b.
    """
    rows = []
    paper = published_formula("bilinear")
    for bend, shape in BENDS.items():
        points = study.observed(SHAPES[shape])
        for length in points.lengths:
            here = points.at_length(length)
            try:
                fit = fit_chances(here, here.predictors, tuple("*".join(term) for term in SHAPES[shape].terms))
            except UndeterminedError:
                continue
            t = quantile(CONFIDENCE, fit.dof[0])
            row: dict[str, Any] = {
                "match_length": length, "shape": bend, "chi_square": fit.chi_square,
                "chi_square_dof": fit.chi_square_dof, "published": paper.coefficient("b", length)[0],
                "confidence": CONFIDENCE, "n_points": fit.n_points,
            }  # fmt: skip
            if bend != "straight":
                extra, half = float(fit.estimate[2]), t * float(fit.std_error[2])
                row |= {"extra": extra, "extra_low": extra - half, "extra_high": extra + half}
            for name, at in (("slope_small", SMALL), ("slope_large", LARGE)):
                # dR/dEPC: of a straight line, of x^2 (2x) or of the square root of x (1 / (2 sqrt x)).
                third = {"straight": [], "square": [2 * at], "root": [0.5 / np.sqrt(at)]}[bend]
                along = np.array([0.0, 1.0, *third])
                slope, half = float(along @ fit.estimate), t * float(np.sqrt(along @ fit.covariance @ along))
                row |= {name: slope, f"{name}_low": slope - half, f"{name}_high": slope + half}
            mean = {"straight": [], "square": [WIDEST], "root": [1 / np.sqrt(WIDEST)]}[bend]
            row["slope_widest"] = float(np.array([0.0, 1.0, *mean]) @ fit.estimate)
            rows.append(row)
    return pd.DataFrame(rows, columns=CURVATURE_COLUMNS)
