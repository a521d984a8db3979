"""What a formula says about the design points, beside what was measured."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.model.fibs import win_probability
from bgrating.model.formula import MULTIPLIES, RatingFormula
from bgrating.model.observations import DEPD_COLUMN, EPC_COLUMN

COLUMNS: dict[str, dict[str, str]] = {
    "epm": {"today": "epm", "2003": "epm"},
    "epc": {str(k): v for k, v in EPC_COLUMN.items()},
    "depd": {str(k): v for k, v in DEPD_COLUMN.items()},
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
    records = [{str(k): v for k, v in record.items()} for record in rows.to_dict("records")]

    def by(source: RatingFormula) -> list[tuple[float, float]]:
        return [source.rating_difference(int(r["match_length"]), **_rates(r, source)) for r in records]

    mine, theirs = by(formula), by(published)
    rows["predicted"] = [value for value, _ in mine]
    rows["predicted_se"] = [error for _, error in mine]
    rows["published"] = [value for value, _ in theirs]
    rows["p_predicted"] = win_probability(rows["predicted"].to_numpy(), rows["match_length"].to_numpy())
    rows["deviation"] = (rows["p_win"] - rows["p_predicted"]) / rows["p_win_se"].replace(0, np.nan)
    return rows.reset_index(drop=True)


def _rates(row: dict[str, Any], formula: RatingFormula) -> dict[str, float]:
    names = [MULTIPLIES[name] for name in formula.coefficients]
    return {name: float(row[COLUMNS[name][formula.epc_definition]]) for name in names}
