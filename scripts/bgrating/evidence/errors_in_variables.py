"""Do errors in the error rates matter? Orthogonal distance regression beside weighted least squares.

Least squares takes EPM and EPC as known; they are means over matches like the chance itself. Orthogonal distance
regression (ODRPACK95 through odrpack) lets them move within their errors. It takes the errors of R, EPM and EPC as
independent. They hang together in a match, which the match bootstrap carries and this check does not.
Source: Boggs and Rogers, Contemporary Mathematics 112 (1990) 183; Zwolak, Boggs and Watson, ACM TOMS 33 (2007) 27.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import odrpack
import pandas as pd

from bgrating.dictionary import columns
from bgrating.formula.observations import observations
from bgrating.formula.regressions import ConvergenceError, Fit, UndeterminedError, fit_ratings
from bgrating.formula.shapes import BILINEAR, EPC_DEFINITIONS, EpcDefinition

COLUMNS = columns("statistics/errors_in_variables")
CONVERGED = (1, 2, 3)  # ODRPACK's words for a sum of squares, coefficients or both that have settled


def errors_in_variables(points: pd.DataFrame) -> pd.DataFrame:
    """Fit every length both ways (COLUMNS), `points` being the rows of one method of a points table.

    `shift` is orthogonal less weighted over the weighted standard error: how much taking the error rates as known
    matters. A length that its points do not determine is left out. Raises ConvergenceError.
    """
    return pd.DataFrame([row for epc in EPC_DEFINITIONS for row in _rows(points, epc)], columns=COLUMNS)


def _rows(points: pd.DataFrame, epc: EpcDefinition) -> Iterator[dict[str, Any]]:
    columns = [column for (column,) in BILINEAR.factors(epc)]
    for length in sorted(int(n) for n in points["match_length"].unique()):
        rows = points[points["match_length"] == length]
        errors = rows[[f"{name}_se" for name in columns]].to_numpy(float)
        # A rate that cannot be in error (0 for the better player's own moves) is as good as one that hardly is.
        rows = rows[np.isfinite(errors).all(axis=1) & np.isfinite(rows["rating_difference"].to_numpy(float))]
        try:
            seen = observations(rows, BILINEAR, epc)
            weighted = fit_ratings(seen, seen.predictors, BILINEAR.terms, "inverse variance")
        except (UndeterminedError, ValueError):
            continue
        found, error, chi_square = orthogonal(rows, columns, weighted)
        for i, term in enumerate(BILINEAR.terms):
            yield {
                "match_length": length, "term": term, "epc_definition": epc, "weighted": weighted.estimate[i],
                "weighted_se": weighted.std_error[i], "orthogonal": found[i], "orthogonal_se": error[i],
                "shift": (found[i] - weighted.estimate[i]) / weighted.std_error[i], "chi_square": chi_square,
                "chi_square_dof": len(rows) - 2, "n_points": len(rows),
            }  # fmt: skip


def orthogonal(rows: pd.DataFrame, columns: "list[Any]", start: Fit) -> tuple[Any, Any, float]:
    """Fit R to two error rates that are in error themselves; give coefficients, their errors and the sum of squares."""
    x = rows[columns].to_numpy(float).T
    x_se = np.maximum(rows[[f"{name}_se" for name in columns]].to_numpy(float).T, 1e-9)
    y, y_se = (rows[name].to_numpy(float) for name in ("rating_difference", "rating_difference_se"))
    # Rates and coefficients of like size keep ODRPACK's numerical derivatives accurate.
    unit = np.abs(x).max(axis=1)
    answer = odrpack.odr_fit(
        lambda at, b: b @ at,
        x / unit[:, None],
        y,
        start.estimate * unit,
        weight_x=(unit[:, None] / x_se) ** 2,
        weight_y=y_se**-2,
        jac_beta=lambda at, _: at,
        jac_x=lambda at, b: np.repeat(b[:, None], at.shape[1], axis=1),
        maxit=200,
        sstol=1e-15,
        partol=1e-13,
    )
    if answer.info % 10 not in CONVERGED:
        raise ConvergenceError(f"orthogonal distance regression did not settle: {answer.stopreason}")
    return answer.beta / unit, answer.sd_beta / unit, float(answer.sum_square)
