"""Design points: the points table, one row per point and estimator of the chance, and what a fit takes of it.

The shapes of a study's own fits name the coefficients (a, a2, b), each a line in 1 / N. In tables of coefficients the
name of a form and the count (`epc_definition`) give the shape. The forms of the law are in study/law/forms.py.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating import fibs
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.terms import PARTS
from bgrating.tables.dictionary import columns
from study.formula.cells import ESTIMATORS, PointMatches, cells
from study.rates import PREDICTORS

EpcDefinition = Literal["today", "2003"]  # counts of rating/rates.py that points are fitted with
LINE = ("const", "inv")


@dataclass(frozen=True)
class Form:
    """Coefficients by name, and the columns of the points table that they multiply, by the count of cube decisions."""

    name: str
    terms: tuple[str, ...]
    rates: Mapping[EpcDefinition, tuple[str, ...]] = field(hash=False)


LINEAR = Form("linear", ("a",), {"today": ("depd",), "2003": ("depd_2003",)})
BILINEAR = Form("bilinear", ("a2", "b"), {"today": ("epm", "epc"), "2003": ("epm", "epc_2003")})


def line_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Name the parts of each term, lines in 1 / N: a2 -> a2_const, a2_inv."""
    return tuple(f"{term}_{part}" for term in terms for part in LINE)


def line_design(predictors: Floats, match_length: NDArray[np.int64]) -> Floats:
    """Columns x and x / N for every predictor x: points by terms as `line_terms` names."""
    length = np.asarray(match_length, dtype=float)
    return np.column_stack([x * PARTS[part](length) for x in predictors.T for part in LINE])


COLUMNS = columns("study/points")


def points(matches: pd.DataFrame) -> pd.DataFrame:
    """Reduce a match table to its design points.

    `matches` has one row per match (columns of the data dictionary). The result has `COLUMNS`, three rows per design
    point, one for each method of `ESTIMATORS`. Error rates are pooled (total error over total decisions, EMG) and
    differences are player minus opponent. The interval of the chance is Student's t over matches. The FIBS formula
    converts it to `ci_low` and `ci_high` of the rating difference. A chance at 0 or 1 has no finite rating difference:
    it is NaN, with a `status`. The same holds for the ends of its interval. Raises UnusableMatchesError as `cells`
    does.
    """
    return pd.DataFrame([row for cell in cells(matches) for row in _rows(cell)], columns=COLUMNS)


def _rows(cell: PointMatches) -> list[dict[str, Any]]:
    names = ("match_length", "player", "opponent", "chequer_noise", "cube_noise", "n_matches")
    shared: dict[str, Any] = {name: getattr(cell, name) for name in names} | {"confidence": CONFIDENCE}
    for name in PREDICTORS:
        shared[name] = cell.difference(name)
    rows = []
    for method, estimator in ESTIMATORS.items():
        chance = estimator(cell.results)
        known = chance.dof >= 1 and chance.se > 0
        half = quantile(CONFIDENCE, chance.dof) * chance.se if known else float("nan")
        low, high = chance.p - half, chance.p + half
        length = cell.match_length
        rows.append(
            shared
            | {
                "method": method,
                "p_win": chance.p,
                "p_win_se": chance.se,
                "p_win_ci_low": low,
                "p_win_ci_high": high,
                "rating_difference": float(fibs.rating_difference(chance.p, length)),
                "rating_difference_se": float(fibs.rating_difference_se(chance.p, chance.se, length)),
                # The chance falls as the difference grows, so the ends change places.
                "ci_low": float(fibs.rating_difference(high, length)),
                "ci_high": float(fibs.rating_difference(low, length)),
                "status": _status(chance.p, low, high, known),
            }
        )
    return rows


def _status(p: float, low: float, high: float, known: bool) -> str:
    if math.isnan(p):
        return "luck was not analysed"
    if p <= 0 or p >= 1:
        return f"chance {'at or below 0' if p <= 0 else 'at or above 1'}: no finite rating difference"
    if not known:
        return "too few matches, or results that do not vary: no interval"
    open_ends = ["no upper end"] * (low <= 0) + ["no lower end"] * (high >= 1)
    return f"interval of the chance leaves (0, 1): {' and '.join(open_ends)}" if open_ends else "ok"


@dataclass(frozen=True)
class Observations:
    """Design points as arrays: `predictors` is points by terms (EMG per decision), the rest one entry per point.

    `pairs` names the players; `left_out` names points that were dropped, with the reason.
    """

    match_length: NDArray[np.int64]
    predictors: Floats
    p: Floats
    p_se: Floats
    n_matches: NDArray[np.int64]
    pairs: NDArray[np.str_]
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.p)

    @property
    def rating_difference(self) -> Floats:
        """Rating difference of every point; NaN where the chance lies at or outside 0 and 1."""
        return fibs.rating_difference(self.p, self.match_length)

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(int(length) for length in np.unique(self.match_length))

    def select(self, keep: NDArray[np.bool_], reason: str = "") -> "Observations":
        """Return the points for which `keep` is true; with a reason the others are named as left out."""
        others = zip(self.match_length[~keep], self.pairs[~keep], strict=True) if reason else ()
        dropped = tuple(f"{length} points, {pair}: {reason}" for length, pair in others)
        kept = {name: values[keep] for name, values in vars(self).items() if name != "left_out"}
        return Observations(**kept, left_out=self.left_out + dropped)

    def at_length(self, length: int) -> "Observations":
        here = self.select(self.match_length == length)
        left_out = tuple(name for name in here.left_out if name.startswith(f"{length} points, "))
        return replace(here, left_out=left_out)

    def usable(self) -> "Observations":
        """Return the points that fits can use, naming the others as left out.

        A point without a standard error or an error rate can enter no fit. (A chance at or outside 0 and 1 stays: a fit
        in the probability scale uses it, one in ratings names it.)
        """
        rates = np.asarray(np.isfinite(self.predictors).all(axis=1))
        rated = self.select(rates, "no decisions to take an error rate from")
        return rated.select(np.asarray(rated.p_se > 0), "the variance of its results is unknown or zero")


def observations(points: pd.DataFrame, form: Form, epc: EpcDefinition = "today") -> Observations:
    """Return the rows of one method of a points table as a fit of `form` takes them.

    Raises ValueError where the rows hold several methods.
    """
    if points["method"].nunique() != 1:
        raise ValueError(f"one method at a time, not {sorted(points['method'].unique())}: filter the points first")
    return Observations(
        match_length=points["match_length"].to_numpy(dtype=np.int64),
        predictors=points[list(form.rates[epc])].to_numpy(dtype=float),
        p=points["p_win"].to_numpy(dtype=float),
        p_se=points["p_win_se"].to_numpy(dtype=float),
        n_matches=points["n_matches"].to_numpy(dtype=np.int64),
        pairs=(points["player"] + " against " + points["opponent"]).to_numpy(dtype=np.str_),
    ).usable()
