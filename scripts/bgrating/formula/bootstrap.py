"""The match bootstrap: resample matches within every design point and fit again.

It carries everything that varies from match to match into the coefficients: results, luck, and the error
rates themselves, with their correlations. Source: Efron and Tibshirani, An Introduction to the Bootstrap
(1993), ch. 6.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bgrating.formula.cells import Cell
from bgrating.formula.estimators import ESTIMATORS
from bgrating.formula.observations import Observations, usable
from bgrating.formula.rates import PREDICTORS
from bgrating.formula.regressions import Fit
from bgrating.formula.shapes import EpcDefinition, Form

Floats = NDArray[np.float64]


class Resample:
    """One resample of all matches of a study: estimates from which any fit can take its observations."""

    def __init__(self, study: Sequence[Cell], rng: np.random.Generator) -> None:
        """Draw the matches of every cell with replacement."""
        rows = [rng.integers(cell.n_matches, size=cell.n_matches) for cell in study]
        drawn = list(zip(study, rows, strict=True))
        self._study = study
        self._rates = {name: np.array([cell.difference(name, r) for cell, r in drawn]) for name in PREDICTORS}
        self._chances = {
            method: [estimator(cell.results.take(r)) for cell, r in drawn] for method, estimator in ESTIMATORS.items()
        }

    def observations(self, form: Form, epc: EpcDefinition, method: str) -> Observations:
        """Give what a fit of `form` needs, for one definition of EPC and one estimator of the chance."""
        return usable(
            Observations(
                match_length=np.array([cell.match_length for cell in self._study]),
                predictors=np.column_stack(
                    [np.prod([self._rates[name] for name in own], axis=0) for own in form.factors(epc)]
                ),
                p=np.array([chance.p for chance in self._chances[method]]),
                p_se=np.array([chance.se for chance in self._chances[method]]),
                n_matches=np.array([cell.n_matches for cell in self._study]),
                labels=np.array([cell.label for cell in self._study], dtype=np.str_),
            )
        )


def resamples(study: Sequence[Cell], replicates: int, seed: int) -> list[Resample]:
    """Draw `replicates` resamples of a study; the same seed gives the same resamples."""
    rng = np.random.default_rng(seed)
    return [Resample(study, rng) for _ in range(replicates)]


def bootstrapped(fit: Fit, replicates: Floats) -> Fit:
    """Give `fit` with the covariance of the estimates of its `replicates` (replicates by terms).

    Raises ValueError with fewer than 20 replicates, too few for an interval.
    """
    if len(replicates) < 20:
        raise ValueError(f"{len(replicates)} bootstrap replicates are too few for an interval: ask for 20 at least")
    return replace(
        fit,
        covariance=np.atleast_2d(np.cov(replicates, rowvar=False)),
        dof=np.full(len(fit.terms), np.inf),
        replicates=replicates,
    )
