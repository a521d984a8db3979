"""The design points of the 2003 study and the predictions of its formula, beside ours."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.formula_of_2003 import FOLDER, published_formula
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_csv
from study.error_rates import averaged
from study.formula.catalogue import METHOD_OF_2003

# Columns of a points table by rate and by the count of cube decisions. The published formula goes
# with the rates of its study: averaged over matches.
RATE_COLUMNS: dict[str, dict[str, str]] = {
    "epm": {"today": "epm", "2003": "epm_averaged"},
    "epc": {"today": "epc", "2003": "epc_2003_averaged"},
    "depd": {"today": "depd", "2003": "depd_2003_averaged"},
}
# Columns of Appendix II, and their names beside ours.
PRINTED = {
    "rating_difference": "published_difference",
    "ci_low": "published_low",
    "ci_high": "published_high",
    "epc": "published_epc",
}
# The match length of the factor in Appendix I, points.
USUAL_LENGTH = 7


def beside_published(points: pd.DataFrame) -> pd.DataFrame:
    """Add the published numbers of Appendix II to the rows of a points table, those of the method
    of 2003.

    Added columns: `published_difference`, `published_low` and `published_high` (rating points) and
    `published_epc` (EMG), NaN if the paper has no such players. A row of the paper without match
    length holds for any. `published_formula` is the difference by the published formula for our
    error rates, averaged and counted as in 2003.
    """
    rows = points[points["method"] == METHOD_OF_2003].reset_index(drop=True)
    formula = published_formula("bilinear")
    paper = read_csv(FOLDER / "appendix2.csv")
    published = []
    for row in rows.to_dict("records"):
        same = paper[(paper["player"] == row["player"]) & (paper["opponent"] == row["opponent"])]
        same = same[same["match_length"].fillna(row["match_length"]) == row["match_length"]]
        published.append(same[[*PRINTED]].head(1).astype(float).mean().tolist())
    added = list(PRINTED.values())
    rows = rows.join(pd.DataFrame(published, columns=added, index=rows.index))
    return rows.assign(
        published_formula=formula.rating_difference(
            rows["match_length"].to_numpy(float), **_rates(rows, formula)
        )[0],
    )


def appendix1(field: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return ratings by a formula beside the recorded and the published ones of Appendix I
    (people/appendix1).

    The appendix has no error rates. So published differences from the offset are multiplied by a
    factor: the formula's difference divided by that of 2003, for the errors of a stored field
    (columns of field/matches.csv). Our rates are totals over totals; those of 2003 are averaged
    over matches.
    """
    paper = published_formula("bilinear")
    chequer = field["chequer_error_emg"].to_numpy(float)
    cube = field["cube_error_emg"].to_numpy(float)
    moves = field["unforced_moves"].to_numpy(float)
    decisions = field[COUNTS[formula.epc_definition].per].to_numpy(float)
    of_2003 = field[COUNTS[paper.epc_definition].per].to_numpy(float)
    ours = {"epm": chequer.sum() / moves.sum(), "epc": cube.sum() / decisions.sum()}
    theirs = {"epm": averaged(chequer, moves), "epc": averaged(cube, of_2003)}
    difference = formula.rating_difference(USUAL_LENGTH, **ours)[0]
    published = paper.rating_difference(USUAL_LENGTH, **theirs)[0]
    table = read_csv(FOLDER / "appendix1.csv").assign(factor=difference / published)
    table["rating"] = table["rating_offset"] - table["factor"] * (
        table["rating_offset"] - table["estimated_rating"]
    )
    return table[columns("people/appendix1")]


def published_of(formula: RatingFormula) -> RatingFormula:
    """Return the published formula of the same form as a study's formula."""
    return published_formula(str(formula.metadata["model"]).partition("-")[0])


def predictions(points: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Add predictions by a study's formula to the rows of its method of a points table.

    Added columns: `predicted` and `published`, the rating differences by the formula and by the
    published one. `deviation` is the measured less the predicted chance, in standard errors. Each
    formula uses EPC by its own definition of a close decision.
    """
    is_fitted = (points["method"] == formula.metadata["method"]) & points["match_length"].isin(
        formula.match_lengths
    )
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
    return {
        name: rows[RATE_COLUMNS[name][formula.epc_definition]].to_numpy(float) for name in names
    }
