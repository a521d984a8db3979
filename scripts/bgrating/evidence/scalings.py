"""Does rating scale with the root of match length? Other functions of N in place of const + inv / N.

The FIBS formula says ln(odds) = -ln(10) R sqrt(N) / 2000. With R = (A f(N) + B g(N)) rate, any pair f, g is another
scaling. Each is judged as the rivals are: by what it says about cells, players and lengths that it was not fitted to.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.rivals import names, observed
from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.evidence.contest import WAYS, errors, misfit, per_match, rms
from bgrating.formula.observations import Observations
from bgrating.formula.regressions import UndeterminedError, fit_chances
from bgrating.formula.shapes import Shape

Floats = NDArray[np.float64]
SCALINGS: dict[str, tuple[str, tuple[Callable[[Floats], Floats], ...]]] = {
    "published": ("root of N, coefficients const + inv / N", (np.ones_like, lambda n: 1 / n)),
    "root": ("root of N alone", (np.ones_like,)),
    "root-inverse-root": ("root of N, coefficients const + inv / root of N", (np.ones_like, lambda n: n**-0.5)),
    "root-logarithm": ("root of N, coefficients const + slope ln N", (np.ones_like, np.log)),
    "third-root": ("third root of N", (lambda n: n ** (1 / 3 - 1 / 2),)),
    "fourth-root": ("fourth root of N", (lambda n: n ** (1 / 4 - 1 / 2),)),
    "two-powers": ("root of N, coefficients in 1 / N and its square", (np.ones_like, lambda n: 1 / n, lambda n: n**-2)),
}
COLUMNS = columns("statistics/scalings")


def scalings(study: Played, name: str, rival: Shape) -> pd.DataFrame:
    """Judge every scaling with the rates of one rival (COLUMNS); measures as in the contest of rivals."""
    seen, terms = observed(study, rival), names(rival)
    return pd.DataFrame(list(_rows(seen, terms, name)), columns=COLUMNS)


def _rows(seen: Observations, terms: tuple[str, ...], rival: str) -> Iterator[dict[str, Any]]:
    for scaling, (words, functions) in SCALINGS.items():
        points = scaled(seen, functions)
        own = tuple(f"{term} {i}" for term in terms for i in range(len(functions)))
        groups: dict[str, NDArray[Any]] = dict(
            zip(WAYS, (np.arange(len(points)), points.labels, points.match_length), strict=True)
        )
        for way, group in groups.items():
            row: dict[str, Any] = {
                "way": way, "scaling": scaling, "words": words, "rival": rival, "parameters": len(own),
                "n_points": len(points),
            }  # fmt: skip
            predicted = _predicted(points, own, group)
            if np.all(np.isfinite(predicted)):
                mine = errors(points, predicted)
                row |= {"points": rms(*mine), "misfit": misfit(*mine), "log_loss": per_match(points, predicted)}
            yield row


def scaled(points: Observations, functions: tuple[Callable[[Floats], Floats], ...]) -> Observations:
    """Multiply every predictor by every function of N: points by predictors times functions."""
    n = points.match_length.astype(float)
    factors = np.column_stack([function(n) for function in functions])
    product = points.predictors[:, :, None] * factors[:, None, :]
    return replace(points, predictors=product.reshape(len(points), -1))


def _predicted(points: Observations, terms: tuple[str, ...], groups: NDArray[Any]) -> Floats:
    predicted = np.full(len(points), np.nan)
    for group in np.unique(groups):
        kept = np.asarray(groups != group)
        rest = points.select(kept)
        try:
            fit = fit_chances(rest, rest.predictors, terms)
        except UndeterminedError:
            return np.full(len(points), np.nan)
        predicted[~kept] = points.predictors[~kept] @ fit.estimate
    return predicted
