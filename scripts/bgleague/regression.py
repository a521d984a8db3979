"""Binomial regression with the logistic link: the most likely parameters by Newton's method."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from scipy.special import expit

from bgleague.settings import RatingsError
from bgrating.rating.fibs_formula import Floats

STEPS = 200
_STILL = 1e-9  # change of a parameter; Newton's error is its square
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Outcomes:
    """Results of games: a row times the parameters is a log-odds, at which `won` of `count` games
    were won.
    """

    rows: csr_array
    won: Floats
    count: Floats


def loss_of(values: Floats, outcomes: Outcomes, prior: csr_array) -> float:
    """Return the negative logarithm of the posterior of parameters, but for a constant."""
    logit = outcomes.rows @ values
    likelihood = outcomes.count @ np.logaddexp(0, logit) - outcomes.won @ logit
    return float(likelihood + 0.5 * values @ (prior @ values))


def most_likely(
    outcomes: Outcomes,
    prior: csr_array,
    start: Floats,
    solve: Callable[[csr_array, Floats], Floats],
) -> tuple[Floats, csr_array]:
    """Return the parameters that maximise the posterior, and its curvature.

    `prior` is the curvature of a normal prior around 0. `solve` returns the step for a curvature
    and a gradient. Raises RatingsError without convergence.
    """
    values = start
    rows = outcomes.rows
    count = outcomes.count
    for _ in range(STEPS):
        chance = expit(rows @ values)
        gradient = rows.T @ (outcomes.won - count * chance) - prior @ values
        curvature = csr_array(rows.T @ diags_array(count * chance * (1 - chance)) @ rows + prior)
        try:
            step = solve(curvature, gradient)
        except np.linalg.LinAlgError:
            break
        # Far from the maximum a whole step may lead further away.
        most = loss_of(values, outcomes, prior) + _ROUNDING
        while loss_of(values + step, outcomes, prior) > most:
            step = step / 2
        values = values + step
        if np.abs(step).max() < _STILL:
            return values, curvature
    raise RatingsError(
        f"a fit of ratings does not converge: rows count up to {count.max():,.0f} games. Fix one"
        " player at most, leave the rows with the largest counts out, or name other methods"
        " (--method)"
    )


def solve_dense(curvature: csr_array, gradient: Floats) -> Floats:
    return np.asarray(cho_solve(cho_factor(curvature.toarray()), gradient))
