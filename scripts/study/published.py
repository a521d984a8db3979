"""The design points of the 2003 study and its formula's predictions, beside ours."""

from functools import cache

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
from study.rates import DEPD

# Columns of a points table by rate and by what cube errors are divided by.
RATE_COLUMNS: dict[str, dict[str, str]] = {
    "epm": {"today": "epm", "2003": "epm"},
    "epc": {name: count.rate for name, count in COUNTS.items()},
    "depd": DEPD,
}


USUAL_LENGTH = 7
"""Points of the matches that people's factor is for."""


@cache
def published_points() -> pd.DataFrame:
    """Return the rows of Appendix II, turned so that the player is the weaker one, as in our tables.

    Columns of the points table as far as the paper gives them; no match length where it gives none.
    """
    return read_csv(FOLDER / "appendix2.csv")


def beside_published(points: pd.DataFrame, method: str) -> pd.DataFrame:
    """Set the published numbers beside the rows of one method of a points table.

    Added columns, rating points: `published_difference`, `published_low` and `published_high`, NaN where the paper has
    no such players. A row of the paper without match length holds for any. `published_formula` is the difference by
    the published formula for our error rates, EPC counted as in 2003. `distance` is how far our rating difference lies
    outside the published interval, 0 inside it.
    """
    rows = points[points["method"] == method].reset_index(drop=True)
    formula, paper = published_formula("bilinear"), published_points()
    beside = []
    for row in rows.to_dict("records"):
        same = paper[(paper["player"] == row["player"]) & (paper["opponent"] == row["opponent"])]
        same = same[same["match_length"].isna() | (same["match_length"] == row["match_length"]).fillna(value=False)]
        names = ["rating_difference", "ci_low", "ci_high"]
        value, low, high = same.iloc[0][names].astype(float) if len(same) else [np.nan] * 3
        ours = float(row["rating_difference"])
        distance = max(low - ours, ours - high, 0.0) if len(same) else np.nan
        beside.append((value, low, high, distance))
    added = ["published_difference", "published_low", "published_high", "distance"]
    predicted = formula.rating_difference(rows["match_length"].to_numpy(float), **_rates(rows, formula))[0]
    return rows.join(pd.DataFrame(beside, columns=added, index=rows.index).assign(published_formula=predicted))


def appendix1(field: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Set ratings by a formula beside the recorded and the published ones of Appendix I (people/appendix1).

    The appendix has no error rates. So published differences from the offset are multiplied by a factor: the
    formula's difference over that of 2003, for the errors of a stored field (columns of field/matches.csv).
    """
    of_field, published = field.sum(numeric_only=True), published_formula("bilinear")
    differences = []
    for each in (formula, published):
        count = COUNTS[each.epc_definition].per
        rates = {
            "epm": of_field["chequer_error_emg"] / of_field["unforced_moves"],
            "epc": of_field["cube_error_emg"] / of_field[count],
        }
        differences.append(each.rating_difference(USUAL_LENGTH, **rates)[0])
    table = read_csv(FOLDER / "appendix1.csv").assign(factor=differences[0] / differences[1])
    table["rating"] = table["rating_offset"] - table["factor"] * (table["rating_offset"] - table["estimated_rating"])
    return table[columns("people/appendix1")]


def published_of(formula: RatingFormula) -> RatingFormula:
    """Return the published formula of the same form as that of a study."""
    return published_formula(str(formula.facts["model"]).partition("-")[0])


def predictions(points: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return predictions by a study's formula beside the rows of its method of a points table.

    Added columns: `predicted` and `predicted_se`, rating points; the error is that of the coefficients. `deviation` is
    measured less predicted chance over its standard error. `published` is the rating difference by the published
    formula. Either formula takes EPC by its own definition of a close decision.
    """
    here = (points["method"] == formula.facts["method"]) & points["match_length"].isin(formula.match_lengths)
    rows: pd.DataFrame = points[here].copy()
    published = published_of(formula)
    lengths = rows["match_length"].to_numpy(float)
    rows["predicted"], rows["predicted_se"] = formula.rating_difference(lengths, **_rates(rows, formula))
    rows["published"] = published.rating_difference(lengths, **_rates(rows, published))[0]
    chance = win_probability(rows["predicted"].to_numpy(), lengths)
    rows["deviation"] = (rows["p_win"] - chance) / rows["p_win_se"].replace(0, np.nan)
    return rows.reset_index(drop=True)


def _rates(rows: pd.DataFrame, formula: RatingFormula) -> dict[str, NDArray[np.float64]]:
    names = [MULTIPLIES[name] for name in formula.coefficients]
    return {name: rows[RATE_COLUMNS[name][formula.epc_definition]].to_numpy(float) for name in names}
