"""The design points of the 2003 study and the predictions of its formula, beside ours."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.fibs import win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.published import FOLDER, published_formula
from bgrating.rating.rates import COUNTS
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_csv

# Columns of a points table by rate and by the count of cube decisions.
RATE_COLUMNS: dict[str, dict[str, str]] = {
    "epm": {"today": "epm", "2003": "epm"},
    "epc": {name: count.rate for name, count in COUNTS.items()},
    "depd": {"today": "depd", "2003": "depd_2003"},
}
# The match length of the factor in Appendix I, points.
USUAL_LENGTH = 7


def beside_published(points: pd.DataFrame, method: str) -> pd.DataFrame:
    """Add the published numbers of Appendix II to the rows of one method of a points table.

    Added columns, rating points: `published_difference`, `published_low` and `published_high`, NaN if the paper has no
    such players. A row of the paper without match length holds for any. `published_formula` is the difference by the
    published formula for our error rates, EPC counted as in 2003. `distance` is the distance of our rating difference
    from the published interval, 0 inside it.
    """
    rows = points[points["method"] == method].reset_index(drop=True)
    formula, paper = published_formula("bilinear"), read_csv(FOLDER / "appendix2.csv")
    published = []
    for row in rows.to_dict("records"):
        same = paper[(paper["player"] == row["player"]) & (paper["opponent"] == row["opponent"])]
        same = same[same["match_length"].fillna(row["match_length"]) == row["match_length"]]
        names = ["rating_difference", "ci_low", "ci_high"]
        published.append(same.iloc[0][names].astype(float).tolist() if len(same) else [np.nan] * 3)
    added = ["published_difference", "published_low", "published_high"]
    rows = rows.join(pd.DataFrame(published, columns=added, index=rows.index))
    ours = rows["rating_difference"]
    return rows.assign(
        distance=np.maximum(np.maximum(rows["published_low"] - ours, ours - rows["published_high"]), 0.0),
        published_formula=formula.rating_difference(rows["match_length"].to_numpy(float), **_rates(rows, formula))[0],
    )


def appendix1(field: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return ratings by a formula beside the recorded and the published ones of Appendix I (people/appendix1).

    The appendix has no error rates. So published differences from the offset are multiplied by a factor: the formula's
    difference divided by that of 2003, for the errors of a stored field (columns of field/matches.csv).
    """
    sums, differences = field.sum(numeric_only=True), []
    for each in (formula, published_formula("bilinear")):
        epm = sums["chequer_error_emg"] / sums["unforced_moves"]
        epc = sums["cube_error_emg"] / sums[COUNTS[each.epc_definition].per]
        differences.append(each.rating_difference(USUAL_LENGTH, epm=epm, epc=epc)[0])
    table = read_csv(FOLDER / "appendix1.csv").assign(factor=differences[0] / differences[1])
    table["rating"] = table["rating_offset"] - table["factor"] * (table["rating_offset"] - table["estimated_rating"])
    return table[columns("people/appendix1")]


def published_of(formula: RatingFormula) -> RatingFormula:
    """Return the published formula of the same form as a study's formula."""
    return published_formula(str(formula.facts["model"]).partition("-")[0])


def predictions(points: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Add predictions by a study's formula to the rows of its method of a points table.

    Added columns: `predicted` and `published`, the rating differences by the formula and by the published one.
    `deviation` is the measured less the predicted chance, in standard errors. Each formula uses EPC by its own
    definition of a close decision.
    """
    is_fitted = (points["method"] == formula.facts["method"]) & points["match_length"].isin(formula.match_lengths)
    rows: pd.DataFrame = points[is_fitted].copy()
    published = published_of(formula)
    lengths = rows["match_length"].to_numpy(float)
    rows["predicted"] = formula.rating_difference(lengths, **_rates(rows, formula))[0]
    rows["published"] = published.rating_difference(lengths, **_rates(rows, published))[0]
    chance = win_probability(rows["predicted"].to_numpy(), lengths)
    rows["deviation"] = (rows["p_win"] - chance) / rows["p_win_se"].replace(0, np.nan)
    return rows.reset_index(drop=True)


def _rates(rows: pd.DataFrame, formula: RatingFormula) -> dict[str, NDArray[np.float64]]:
    names = [MULTIPLIES[name] for name in formula.coefficients]
    return {name: rows[RATE_COLUMNS[name][formula.epc_definition]].to_numpy(float) for name in names}
