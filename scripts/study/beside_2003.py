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
    paper = read_csv(FOLDER / "appendix2.csv").rename(columns=PRINTED)
    names = ["player", "opponent"]
    pairs = rows[[*names, "match_length"]].reset_index()
    printed = pairs.merge(paper, on=names, suffixes=("", "_printed"))
    is_same = printed["match_length_printed"].fillna(printed["match_length"])
    printed = printed[is_same == printed["match_length"]].drop_duplicates("index")
    rows = rows.join(printed.set_index("index")[list(PRINTED.values())].astype(float))
    length = rows["match_length"].to_numpy(float)
    difference, _ = formula.rating_difference(length, **_rates(rows, formula))
    return rows.assign(published_formula=difference)


def appendix1(population: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return ratings by a formula beside the recorded and the published ones of Appendix I
    (people/appendix1).

    The appendix has no error rates. So published differences from the offset are multiplied by a
    factor. It is the formula's difference divided by that of 2003, for the errors of a population
    (columns of field/matches.csv). Our rates are totals over totals; those of 2003 are averaged
    over matches.
    """
    paper = published_formula("bilinear")
    definitions = formula.epc_definition, paper.epc_definition
    counts = [COUNTS[definition].per for definition in definitions]
    figures = population[["chequer_error_emg", "cube_error_emg", "unforced_moves", *counts]]
    chequer, cube, moves, decisions, of_2003 = figures.to_numpy(float).T
    rates = {"epm": chequer.sum() / moves.sum(), "epc": cube.sum() / decisions.sum()}
    mean_rates = {"epm": averaged(chequer, moves), "epc": averaged(cube, of_2003)}
    difference = formula.rating_difference(USUAL_LENGTH, **rates)[0]
    published = paper.rating_difference(USUAL_LENGTH, **mean_rates)[0]
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
