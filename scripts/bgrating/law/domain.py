"""Fit a shape of the formula inside the domain where it is meant to hold.

docs/preregistration.md has the rule: fit all design points, keep those predicted below the limit, fit again, until the
set stays the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.rivals import observed, term_names
from bgrating.comparison.sources import Played
from bgrating.evidence.other_studies import pooled
from bgrating.formula.observations import Observations
from bgrating.formula.regressions import Fit, UndeterminedError, fit_chances
from bgrating.formula.shapes import SHAPES, Shape, line_design
from bgrating.law import LIMIT

Floats = NDArray[np.float64]

LAW = "per-unforced-move"
# What cube errors may be divided by, the law's count first; each with one coefficient of the cube for all lengths, but
# for the close decisions, whose coefficient is a line as published.
COUNTS: dict[str, Shape] = {
    LAW: SHAPES["per-unforced-move-even"],
    "per-close-decision": SHAPES["bilinear"],
    "per-game": SHAPES["per-game-even"],
    "per-cube-decision": SHAPES["per-cube-decision-even"],
}
_ROUNDS = 20


@dataclass(frozen=True)
class Law:
    """A shape fitted inside its domain: the fit, the points that it was fitted to and those outside."""

    count: str
    shape: Shape
    fit: Fit
    inside: Observations
    outside: Observations
    rounds: int

    def design(self, points: Observations) -> Floats:
        """Return what multiplies each coefficient at design points of the same shape (points by terms)."""
        return line_design(points.predictors, points.match_length, self.shape.parts)

    def predicted(self, points: Observations) -> Floats:
        """Return the rating differences of design points of the same shape."""
        return np.asarray(self.design(points) @ self.fit.estimate)

    def a2(self, match_length: int) -> tuple[float, float]:
        """Return the coefficient of EPM at a match length and its standard error."""
        row = np.zeros(len(self.fit.terms))
        row[:2] = 1.0, 1.0 / match_length
        return float(row @ self.fit.estimate), float(np.sqrt(row @ self.fit.covariance @ row))


def fit_inside(studies: Sequence[Played], count: str, limit: float = LIMIT) -> Law:
    """Fit a count of COUNTS to the design points of studies inside the domain.

    Raises UndeterminedError where fewer than two match lengths, or too few points, are there, and where the set of
    points does not settle.
    """
    shape = COUNTS[count]
    points = pooled(studies, shape)
    if len(points.lengths) < 2:
        raise UndeterminedError("the law needs matches of two lengths at least")
    inside = np.ones(len(points), dtype=bool)
    for number in range(1, _ROUNDS + 1):
        kept = points.select(inside)
        fit = fit_chances(kept, line_design(kept.predictors, kept.match_length, shape.parts), term_names(shape, True))
        law = Law(count, shape, fit, kept, points.select(~inside), number)
        now = law.predicted(points) < limit
        if np.array_equal(now, inside):
            return law
        inside = now
    raise UndeterminedError(f"the points inside the domain do not settle in {_ROUNDS} rounds")


def study_points(study: Played, count: str) -> Observations:
    """Return the design points of one study as a count sees them."""
    return observed(study, COUNTS[count])


def coefficient_rows(law: Law, quantile: float) -> list[dict[str, object]]:
    """Return one row a coefficient: estimate, standard error and interval; and how well the law fits."""
    low, high = (law.fit.estimate + sign * quantile * law.fit.std_error for sign in (-1, 1))
    about = {
        "count": law.count,
        "words": law.shape.words,
        "chi_square": law.fit.chi_square,
        "chi_square_dof": law.fit.chi_square_dof,
        "n_points": len(law.inside),
        "n_outside": len(law.outside),
        "n_matches": int(law.inside.n_matches.sum()),
        "rounds": law.rounds,
    }
    numbers = zip(law.fit.terms, law.fit.estimate, law.fit.std_error, low, high, strict=True)
    return [
        {"term": _short(term), "estimate": value, "std_error": error, "ci_low": a, "ci_high": b, **about}
        for term, value, error, a, b in numbers
    ]


def at_lengths(law: Law, quantile: float) -> pd.DataFrame:
    """Return a2 at every match length that was fitted, and b where it is one for all, with their intervals."""
    rows = []
    for length in law.inside.lengths:
        value, error = law.a2(length)
        rows.append({"count": law.count, "term": "a2", "match_length": length, "estimate": value, "std_error": error})
    if law.fit.terms[-1].endswith("_const") and len(law.fit.terms) == 3:
        value, error = float(law.fit.estimate[-1]), float(law.fit.std_error[-1])
        rows.append({"count": law.count, "term": "b", "match_length": None, "estimate": value, "std_error": error})
    table = pd.DataFrame(rows)
    half = quantile * table["std_error"]
    table = table.assign(ci_low=table["estimate"] - half, ci_high=table["estimate"] + half)
    return table.assign(relative_half_width=half / table["estimate"].abs()).astype({"match_length": "Int64"})


def _short(term: str) -> str:
    """Return a2_const, a2_inv, b_const or b_inv for a term that names what it multiplies."""
    rate, _, part = term.rpartition("_")
    return f"{'a2' if rate == 'epm' else 'b'}_{part}"
