"""Every estimator of the chance beside the others: one row a design point, with the variance that each leaves."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.cells import Cell, by_key, cells
from bgrating.formula.estimators import ESTIMATORS, FLAT
from bgrating.formula.fibs import rating_difference_se
from bgrating.formula.mixture import LEAST, moments
from bgrating.plan.points import net_errors

Floats = NDArray[np.float64]
SHORT = {"actual": "actual", "luck-adjusted": "luck_adjusted", "control-variate": "control_variate"}
NOT_FITTED = "too few matches with luck, or results that do not vary"
COLUMNS = columns("statistics/estimators")


def estimator_table(matches: pd.DataFrame) -> pd.DataFrame:
    """Set the estimators beside each other (COLUMNS), `matches` being a match table.

    `…_variance` is the variance of the chance times the number of matches, so that design points of different size
    compare. `player_luck_coefficient` and the opponent's are what a regression of results on both lucks takes off (the
    luck-adjusted result fixes them at 1 and -1). `with_errors_variance` is what luck and both players' errors together
    leave: the part of a mixture that needs luck (formula/mixture.py). Ratios are of variances; `narrowest` names the
    estimator with the least. A design point without an estimate has an empty value and says why in `status`.
    """
    groups = by_key(matches)
    rows = [_row(cell, groups[cell.match_length, cell.player, cell.opponent]) for cell in cells(matches)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(cell: Cell, matches: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {
        "match_length": cell.match_length, "player": cell.player, "opponent": cell.opponent,
        "n_matches": cell.n_matches, "status": "ok",
    }  # fmt: skip
    found = {}
    for method, name in SHORT.items():
        chance = ESTIMATORS[method](cell.results)
        found[method] = chance.se**2 * cell.n_matches
        row |= {
            f"{name}_p": chance.p, f"{name}_variance": found[method],
            f"{name}_rating_se": float(rating_difference_se(chance.p, chance.se, cell.match_length)),
        }  # fmt: skip
    known = {method: value for method, value in found.items() if value > 0}
    if known:
        row["narrowest"] = min(known, key=lambda method: known[method])
    if "control-variate" not in known or cell.n_matches < LEAST:
        return row | {"status": NOT_FITTED}
    luck = np.column_stack([cell.results.player_luck, cell.results.opponent_luck])
    errors = net_errors(matches)
    errors = errors[:, errors.std(axis=0) > FLAT]
    seen = moments(cell.results.actual, luck, errors)
    of_luck, _ = _regression(seen.covariance[:3, :3])
    _, left = _regression(seen.covariance)
    return row | {
        "player_luck_coefficient": of_luck[0], "opponent_luck_coefficient": of_luck[1], "with_errors_variance": left,
        "control_over_adjusted": found["control-variate"] / found["luck-adjusted"],
        "adjusted_over_actual": found["luck-adjusted"] / found["actual"],
    }  # fmt: skip


def _regression(covariance: Floats) -> tuple[Floats, float]:
    """Give the coefficients of the first quantity on the others, and the variance they leave of it."""
    coefficients = np.linalg.solve(covariance[1:, 1:], covariance[1:, 0])
    return np.asarray(coefficients), float(covariance[0, 0] - covariance[0, 1:] @ coefficients)
