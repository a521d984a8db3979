"""What a fit is given: design points as arrays, and the names of those that it cannot use."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.formula.fibs import rating_difference, rating_difference_se
from bgrating.formula.shapes import EpcDefinition, Form

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Observations:
    """Design points as arrays: `predictors` is points by terms (EMG a decision), the rest one entry a point.

    `left_out` names points that were dropped, with the reason.
    """

    match_length: NDArray[np.int64]
    predictors: Floats
    p: Floats
    p_se: Floats
    n_matches: NDArray[np.int64]
    labels: NDArray[np.str_]
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Count the points."""
        return len(self.p)

    @property
    def rating_difference(self) -> Floats:
        """Rating difference of every point; NaN where the chance lies at or outside 0 and 1."""
        return rating_difference(self.p, self.match_length)

    @property
    def rating_difference_se(self) -> Floats:
        """Delta-method standard error of the rating difference of every point."""
        return rating_difference_se(self.p, self.p_se, self.match_length)

    @property
    def pairs(self) -> NDArray[np.str_]:
        """Names of the players of every point, without the match length."""
        return np.array([str(label).rpartition(" points, ")[2] for label in self.labels], dtype=np.str_)

    @property
    def spans(self) -> dict[str, tuple[float, float]]:
        """Least and greatest EPM and EPC of points whose predictors these are."""
        ends = [(float(column.min()), float(column.max())) for column in self.predictors.T]
        return dict(zip(("epm", "epc"), ends, strict=True))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Match lengths present, rising."""
        return tuple(int(length) for length in np.unique(self.match_length))

    def select(self, keep: NDArray[np.bool_], reason: str | None = None) -> "Observations":
        """Give the points for which `keep` is true; with a reason the others are named as left out."""
        dropped = tuple(f"{label}: {reason}" for label in self.labels[~keep]) if reason else ()
        return Observations(
            self.match_length[keep],
            self.predictors[keep],
            self.p[keep],
            self.p_se[keep],
            self.n_matches[keep],
            self.labels[keep],
            self.left_out + dropped,
        )

    def at_length(self, length: int) -> "Observations":
        """Give the points of one match length, with those of its own that were left out."""
        here = self.select(self.match_length == length)
        own = tuple(name for name in here.left_out if name.startswith(f"{length} points, "))
        return Observations(**(vars(here) | {"left_out": own}))

    def with_finite_rating(self) -> "Observations":
        """Give the points that have a finite rating difference, naming the others as left out."""
        return self.select(np.isfinite(self.rating_difference), "the chance lies at or outside 0 and 1")


def observations(points: pd.DataFrame, form: Form, epc: EpcDefinition = "today") -> Observations:
    """Take the rows of one method from a points table for a fit of `form`.

    A point without a standard error or an error rate can enter no fit: it is left out and named in
    `left_out`. (A chance at or outside 0 and 1 stays: a fit in the probability scale uses it, one in ratings
    names it.) Raises ValueError where the rows hold several methods.
    """
    if points["method"].nunique() != 1:
        raise ValueError(f"one method at a time, not {sorted(points['method'].unique())}: filter the points first")
    factors = form.factors(epc)
    everything = Observations(
        match_length=points["match_length"].to_numpy(dtype=np.int64),
        predictors=np.column_stack([points[list(own)].prod(axis=1, skipna=False).to_numpy(float) for own in factors]),
        p=points["p_win"].to_numpy(dtype=float),
        p_se=points["p_win_se"].to_numpy(dtype=float),
        n_matches=points["n_matches"].to_numpy(dtype=np.int64),
        labels=np.array(
            [f"{r.match_length} points, {r.player} against {r.opponent}" for r in points.itertuples()],
            dtype=np.str_,
        ),
    )
    return usable(everything)


def usable(points: Observations) -> Observations:
    """Leave out, by name, the points that no fit can use."""
    rated = points.select(
        np.asarray(np.isfinite(points.predictors).all(axis=1)), "no decisions to take an error rate from"
    )
    return rated.select(np.asarray(rated.p_se > 0), "the variance of its results is unknown or zero")
