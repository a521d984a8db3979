"""Whether an engine charges people rightly: people's results over what its errors predict.

Results are fitted to a multiple of the predicted rating differences. The errors of a player's other matches say nothing
of this match's luck or positions, so with them the multiple is 1 where the formula holds for people; with the errors of
the match itself it is not 1 even for noise (people/simulated_reference.py), but its ratio between nets can be read.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.formula import RatingFormula
from bgrating.people.error_cost import fit
from bgrating.translation.coefficients import GROUPS, LEAST, common_result
from bgrating.translation.groups import clusters
from bgrating.translation.jackknife import CONFIDENCE, delete_one, folds
from bgrating.translation.names import NETS, SIMULATED
from bgrating.translation.prediction import OTHERS, THIS, by_formulas, subsets

Floats = NDArray[np.float64]

COLUMNS = columns("translation/slopes")


def slopes(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return the multiple of each nets' predicted differences, and their ratio, new over old (COLUMNS).

    Subsets, formulas and errors are those of prediction.py; results are the mean of both nets' luck-adjusted ones.
    Intervals: groups of pairs of players left out. No rows for fewer than LEAST matches.
    """
    people = pairs[pairs["source"] != SIMULATED].reset_index(drop=True)
    rows = []
    for subset, here in subsets(people):
        own = people[here].reset_index(drop=True)
        number = clusters(own)
        if len(own) < LEAST or number.max() < GROUPS:
            continue
        for errors in (THIS, OTHERS):
            for formula, ratings in by_formulas(own, errors, formulas):
                about = {"subset": subset, "formula": formula, "errors": errors}
                rows.append(about | _fitted(own, ratings, number))
    return pd.DataFrame(rows, columns=COLUMNS)


def _fitted(own: pd.DataFrame, ratings: Mapping[str, Floats], number: NDArray[np.intp]) -> dict[str, Any]:
    result, lengths = common_result(own), own["match_length"].to_numpy(np.float64)
    group = folds(number, GROUPS)

    def multiples(used: NDArray[np.bool_]) -> list[float]:
        designs = [ratings[nets][used, None] for nets in NETS]
        return [float(fit(result[used], lengths[used], design).estimate[0]) for design in designs]

    value = multiples(np.ones(len(own), dtype=bool))
    without = np.array([multiples(group != left_out) for left_out in range(GROUPS)])
    row: dict[str, Any] = {"confidence": CONFIDENCE, "n_matches": len(own), "n_clusters": int(number.max()) + 1}
    for seat, name in enumerate(("old", "new")):
        one = delete_one(value[seat], without[:, seat])
        row |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    with np.errstate(invalid="ignore"):
        ratio = delete_one(float(np.log(value[1] / value[0])), np.log(without[:, 1] / without[:, 0])).exp()
    return row | {"ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high}
