"""The points table: one row per design point and estimator of the match-winning chance."""

import math
from typing import Any

import pandas as pd

from bgrating.dictionary import columns
from bgrating.formula.cells import Cell, cells
from bgrating.formula.estimators import ESTIMATORS
from bgrating.formula.fibs import rating_difference, rating_difference_se
from bgrating.formula.intervals import quantile
from bgrating.formula.rates import PREDICTORS

COLUMNS = columns("study/points")

OK = "ok"


def points(matches: pd.DataFrame, confidence: float = 0.9) -> pd.DataFrame:
    """Reduce a match table to its design points.

    `matches` has one row a match (columns of the data dictionary); the result has `COLUMNS`, three rows a
    design point, one for each method of `ESTIMATORS`. Error rates are pooled (total error over total
    decisions, EMG) and differences are player minus opponent. The interval of the chance is Student's t over
    matches, carried through the FIBS formula to `ci_low` and `ci_high` of the rating difference. Where the
    chance or an end of its interval reaches 0 or 1, the rating difference or that end is NaN and `status`
    says so. Raises UnusableMatchesError as `cells` does, and ValueError for a confidence outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    rows = [row for cell in cells(matches) for row in _rows(cell, confidence)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(cell: Cell, confidence: float) -> list[dict[str, Any]]:
    shared: dict[str, Any] = {
        "match_length": cell.match_length,
        "player": cell.player,
        "opponent": cell.opponent,
        "chequer_noise": cell.chequer_noise,
        "cube_noise": cell.cube_noise,
        "n_matches": cell.n_matches,
        "confidence": confidence,
    }
    for name in PREDICTORS:
        shared[name] = cell.difference(name)
        shared[f"{name}_se"] = cell.difference_se(name)
    rows = []
    for method, estimator in ESTIMATORS.items():
        chance = estimator(cell.results)
        known = chance.dof >= 1 and chance.se > 0
        half = quantile(confidence, chance.dof) * chance.se if known else float("nan")
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
                "rating_difference": float(rating_difference(chance.p, length)),
                "rating_difference_se": float(rating_difference_se(chance.p, chance.se, length)),
                # The chance falls as the difference grows, so the ends change places.
                "ci_low": float(rating_difference(high, length)),
                "ci_high": float(rating_difference(low, length)),
                "status": _status(chance.p, low, high, known),
            }
        )
    return rows


def _status(p: float, low: float, high: float, known: bool) -> str:
    """Say in words why a rating difference or an end of its interval is absent."""
    if math.isnan(p):
        return "luck was not analysed"
    if p <= 0 or p >= 1:
        return f"chance {'at or below 0' if p <= 0 else 'at or above 1'}: no finite rating difference"
    if not known:
        return "too few matches, or results that do not vary: no interval"
    open_ends = ["no upper end"] * (low <= 0) + ["no lower end"] * (high >= 1)
    return f"interval of the chance leaves (0, 1): {' and '.join(open_ends)}" if open_ends else OK
