"""What a formula says about the design points, beside what was measured."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.formula.fibs import win_probability
from bgrating.formula.formula import MULTIPLIES, RatingFormula
from bgrating.formula.rates import COUNTS, DEPD

COLUMNS: dict[str, dict[str, str]] = {
    "epm": {"today": "epm", "2003": "epm"},
    "epc": {name: count.rate for name, count in COUNTS.items()},
    "depd": DEPD,
}


def predictions(points: pd.DataFrame, formula: RatingFormula, published: RatingFormula, method: str) -> pd.DataFrame:
    """Set predictions beside the rows of one method of a points table.

    Added columns: `predicted` and `predicted_se` (rating points, the error that of the coefficients),
    `p_predicted`, `deviation` (measured less predicted chance over its standard error) and `published`, the
    rating difference of the published formula for the same points. Either formula is given EPC by its own
    definition of a close decision.
    """
    rows = points[points["method"] == method].copy()
    rows = rows[rows["match_length"].isin(formula.match_lengths)]
    lengths = rows["match_length"].to_numpy(float)
    rows["predicted"], rows["predicted_se"] = formula.rating_difference(lengths, **_rates(rows, formula))
    rows["published"] = published.rating_difference(lengths, **_rates(rows, published))[0]
    rows["p_predicted"] = win_probability(rows["predicted"].to_numpy(), rows["match_length"].to_numpy())
    rows["deviation"] = (rows["p_win"] - rows["p_predicted"]) / rows["p_win_se"].replace(0, np.nan)
    return rows.reset_index(drop=True)


def _rates(rows: pd.DataFrame, formula: RatingFormula) -> dict[str, NDArray[np.float64]]:
    names = [MULTIPLIES[name] for name in formula.coefficients]
    return {name: rows[COLUMNS[name][formula.epc_definition]].to_numpy(float) for name in names}
