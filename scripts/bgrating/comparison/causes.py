"""Why a coefficient moved: each suspected cause as a factor, measured with that cause alone changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.bootstrap import resamples
from bgrating.formula.catalogue import KINDS
from bgrating.formula.cells import cells
from bgrating.formula.intervals import quantile
from bgrating.formula.observations import observations
from bgrating.formula.published import published_formula
from bgrating.formula.rates import KEY
from bgrating.formula.recommended import KIND_OF_ONE_LENGTH, METHOD
from bgrating.formula.regressions import UndeterminedError, fit_chances
from bgrating.formula.shapes import BILINEAR, EpcDefinition

Floats = NDArray[np.float64]
REPLICATES, SEED = 200, 2003
# Cause -> kind of fit, estimator and count of close decisions that stand in for the recommended ones.
VARIANTS: dict[str, tuple[str, str, EpcDefinition]] = {
    "definition": (KIND_OF_ONE_LENGTH, METHOD, "2003"),
    "method": ("ols", "luck-adjusted", "today"),
}
TOTAL, EQUITY_TABLE, REST = "all together", "match-equity table", "what is left"
AS_IN_2003 = ("ols", "luck-adjusted", "2003")
COLUMNS = columns("comparison/causes")
WORDS = {
    "definition": "close cube decisions counted as in 2003, over the same matches counted as today",
    "method": "fitted as published (least squares of R, luck-adjusted results), over the same matches fitted as here",
    EQUITY_TABLE: "played and analysed with the match-equity table of 2003 (Zadeh), over the same cells with today's",
    TOTAL: "measured today, over published",
    REST: "count, fit and match-equity table all as in 2003, over published: the engine itself, and chance",
}


def causes(study: Played, zadeh: Played | None, confidence: float) -> pd.DataFrame:
    """Give the factor by which each cause changes a2 and b, length by length (COLUMNS).

    `value` is the coefficient with the cause changed, `reference` the one without. Factors from the same matches have
    intervals by resampling them; that of the match-equity table carries the errors of both fits.
    """
    rows = [*_over_published(TOTAL, study, REFERENCE, confidence), *_same_matches(study, confidence)]
    if zadeh is not None:
        rows += [*_equity_table(study, zadeh, confidence), *_over_published(REST, zadeh, AS_IN_2003, confidence)]
    return pd.DataFrame(rows, columns=COLUMNS)


def coefficient(study: Played, term: str, length: int, variant: tuple[str, str, str]) -> tuple[float, float]:
    """Take a coefficient at one length and its standard error from a study's table; NaN where it is not there."""
    kind, method, epc = variant
    table = study.coefficients
    rows = table[
        (table["model"] == f"bilinear-{kind}")
        & (table["method"] == method)
        & (table["epc_definition"] == epc)
        & (table["term"] == term)
        & (table["match_length"] == length)
    ]
    return (np.nan, np.nan) if rows.empty else (float(rows["estimate"].iloc[0]), float(rows["std_error"].iloc[0]))


REFERENCE = (KIND_OF_ONE_LENGTH, METHOD, "today")


def _lengths(study: Played) -> list[int]:
    return sorted(int(length) for length in study.rows["match_length"].unique())


def _over_published(
    cause: str, study: Played, variant: tuple[str, str, str], confidence: float
) -> Iterator[dict[str, Any]]:
    """Set a study's coefficients of one fit over the published ones, which have no error of their own in the paper."""
    paper = published_formula("bilinear")
    for length in _lengths(study):
        dof = int(study.rows["match_length"].eq(length).sum()) - len(BILINEAR.terms)
        for term in BILINEAR.terms:
            value, error = coefficient(study, term, length, variant)
            published = paper.coefficient(term, length)[0]
            factor, half = value / published, quantile(confidence, dof) * error / published
            yield _row(cause, term, length, (value, published), (factor - half, factor + half), confidence)


def _same_matches(study: Played, confidence: float) -> Iterator[dict[str, Any]]:
    """Fit every resample both ways: what is common to both fits then cancels from the factor."""
    draws = resamples(cells(study.matches), REPLICATES, SEED)
    for cause, variant in VARIANTS.items():
        for length in _lengths(study):
            factors = np.array([_fitted(draw, variant, length) / _fitted(draw, REFERENCE, length) for draw in draws])
            low, high = np.nanquantile(factors, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
            for i, term in enumerate(BILINEAR.terms):
                pair = tuple(coefficient(study, term, length, v)[0] for v in (variant, REFERENCE))
                yield _row(cause, term, length, (pair[0], pair[1]), (float(low[i]), float(high[i])), confidence)


def _fitted(draw: Any, variant: tuple[str, str, Any], length: int) -> Floats:
    kind, method, epc = variant
    points = draw.observations(BILINEAR, epc, method).at_length(length)
    try:
        return np.asarray(KINDS[kind].regression(points, points.predictors, BILINEAR.terms).estimate)
    except UndeterminedError:
        return np.full(len(BILINEAR.terms), np.nan)


def _equity_table(study: Played, zadeh: Played, confidence: float) -> Iterator[dict[str, Any]]:
    """Fit the cells that both studies hold with either table; the two are played apart, so their errors add up."""
    z = quantile(confidence)
    held = study.rows[KEY].merge(zadeh.rows[KEY], on=KEY)
    for length in sorted(int(n) for n in held["match_length"].unique()):
        common = held[held["match_length"] == length]
        seen = [observations(common.merge(s.rows, on=KEY), BILINEAR) for s in (zadeh, study)]
        try:
            theirs, ours = (fit_chances(points, points.predictors, BILINEAR.terms) for points in seen)
        except UndeterminedError:
            continue
        for i, term in enumerate(BILINEAR.terms):
            value, reference = float(theirs.estimate[i]), float(ours.estimate[i])
            relative = np.hypot(theirs.std_error[i] / value, ours.std_error[i] / reference)
            factor, half = value / reference, z * abs(value / reference) * float(relative)
            yield _row(EQUITY_TABLE, term, length, (value, reference), (factor - half, factor + half), confidence)


def _row(
    cause: str, term: str, length: int, values: tuple[float, float], ends: tuple[float, float], confidence: float
) -> dict[str, Any]:
    value, reference = values
    return {
        "cause": cause, "term": term, "match_length": length, "value": value, "reference": reference,
        "factor": value / reference, "ci_low": ends[0], "ci_high": ends[1], "confidence": confidence,
        "words": WORDS[cause],
    }  # fmt: skip


CELL_COLUMNS = columns("comparison/equity_table")


def equity_table_cells(study: Played, zadeh: Played) -> pd.DataFrame:
    """Set the cells of both match-equity tables beside each other (CELL_COLUMNS); difference is Zadeh less today."""
    both = study.rows.merge(zadeh.rows, on=KEY, suffixes=("", "_zadeh"))
    both["difference"] = both["rating_difference_zadeh"] - both["rating_difference"]
    both["difference_se"] = np.hypot(both["rating_difference_se"], both["rating_difference_se_zadeh"])
    return both[CELL_COLUMNS]
