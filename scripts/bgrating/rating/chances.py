"""Fit chances of winning through the FIBS formula, as a generalised linear model of statsmodels.

The FIBS formula is a logit link: ln(P / (1 - P)) = -ln(10) sqrt(N) / 2000 R, R the sum of
coefficients times predictors. Errors are normal: a luck-adjusted chance may lie outside 0 to 1.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from statsmodels.api import GLM, families
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning, SpecificationWarning

from bgrating import BgratingError
from bgrating.rating.fibs_formula import Floats, log_odds_per_point

STEPS = 1000
"""Largest number of steps of a fit; tens are usual."""


class ConvergenceError(BgratingError, RuntimeError):
    """The points determine the coefficients, but the fit did not converge."""


def fit_chances(
    p: Floats,
    match_length: ArrayLike,
    design: Floats,
    p_se: ArrayLike,
    start: Floats,
    clusters: NDArray[np.int64] | None = None,
) -> Any:
    """Fit chances `p` with errors `p_se` by least squares.

    R is `design` (points by terms) times the coefficients. Returns statsmodels' GLMResults. Without
    `clusters` their covariance is scaled by chi-square over its degrees of freedom (NaN if there
    are none). `clusters` numbers the cluster of each point, whose points are correlated. Raises
    ConvergenceError.
    """
    family = families.Gaussian(families.links.Logit(), check_link=False)
    family.safe_links = [families.links.Logit]
    weights = np.broadcast_to(np.asarray(p_se, dtype=float) ** -2, p.shape)
    model = GLM(
        p, log_odds_per_point(match_length)[..., None] * design, family=family, var_weights=weights
    )
    # The formula may meet chances exactly, and as many coefficients as points leave no degree of
    # freedom.
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        # The sandwich estimator respects the weights, though statsmodels warns of it; leaving
        # clusters out agrees.
        warnings.simplefilter("ignore", SpecificationWarning)
        robust = (
            {} if clusters is None else {"cov_type": "cluster", "cov_kwds": {"groups": clusters}}
        )
        # The last step may change a coefficient by 1e-10 and 1e-11 of it.
        fit = model.fit(
            start, maxiter=STEPS, tol_criterion="params", atol=1e-10, rtol=1e-11, **robust
        )
    if not fit.converged:
        raise ConvergenceError(
            f"in the probability scale did not converge in {STEPS} steps: "
            "are there points with hardly any wins? More matches would settle it"
        )
    return fit
