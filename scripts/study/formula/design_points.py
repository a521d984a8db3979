"""Design points: the points table, one row per point and estimator of the chance."""

import math

import pandas as pd

from bgmatch.records import Json
from bgrating.rating import fibs_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from study.error_rates import AVERAGED, RATES
from study.formula.cells import ESTIMATORS, KEY, PointMatches, cells


def points(matches: pd.DataFrame) -> pd.DataFrame:
    """Reduce a match table to its design points.

    `matches` has one row per match (columns of the data dictionary). The result has three rows per
    design point (study/points), one for each method of `ESTIMATORS`. Error rates are pooled (total
    error over total decisions, EMG); those of AVERAGED are means over matches. Differences are
    player minus opponent. The interval of the chance is Student's t over matches. The FIBS formula
    converts it to `ci_low` and `ci_high` of the rating difference. A chance at or outside 0 and 1
    has no finite rating difference: it is NaN, with a `status`. The same holds for the ends of its
    interval.
    """
    return pd.DataFrame(
        [row for cell in cells(matches) for row in _rows(cell)], columns=columns("study/points")
    )


def _rows(cell: PointMatches) -> list[Json]:
    names = (*KEY, "n_matches")
    shared: Json = {name: getattr(cell, name) for name in names} | {"confidence": CONFIDENCE}
    shared |= {name: cell.difference(name) for name in RATES}
    shared |= {name: cell.averaged_difference(name) for name in AVERAGED}
    length = cell.match_length
    rows = []
    for method, estimator in ESTIMATORS.items():
        chance = estimator(cell.results)
        has_interval = chance.dof >= 1 and chance.se > 0
        half = quantile(CONFIDENCE, chance.dof) * chance.se if has_interval else float("nan")
        low = chance.p - half
        high = chance.p + half
        rows.append(
            shared
            | {
                "method": method,
                "p_win": chance.p,
                "p_win_se": chance.se,
                "p_win_ci_low": low,
                "p_win_ci_high": high,
                "rating_difference": float(fibs_formula.rating_difference(chance.p, length)),
                "rating_difference_se": float(
                    fibs_formula.rating_difference_se(chance.p, chance.se, length)
                ),
                # The chance falls as the difference grows, so the ends swap.
                "ci_low": float(fibs_formula.rating_difference(high, length)),
                "ci_high": float(fibs_formula.rating_difference(low, length)),
                "status": _status(chance.p, low, high, has_interval),
            }
        )
    return rows


def _status(p: float, low: float, high: float, has_interval: bool) -> str:
    if math.isnan(p):
        return "luck was not analysed"
    if p <= 0:
        return "chance at or below 0: no finite rating difference"
    if p >= 1:
        return "chance at or above 1: no finite rating difference"
    if not has_interval:
        return "too few matches, or results that do not vary: no interval"
    open_ends = []
    if low <= 0:
        open_ends.append("no upper end")
    if high >= 1:
        open_ends.append("no lower end")
    return f"interval of the chance leaves (0, 1): {' and '.join(open_ends)}" if open_ends else "ok"
