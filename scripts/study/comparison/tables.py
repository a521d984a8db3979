"""The tables of the comparison with 2003: what moved and each suspected cause as a factor, pairs of players.

A cause is measured with that cause alone changed. A table that needs a study not played yet is written empty.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.play.matches import read_checked
from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.comparison import PAIRS, PART_2, TABLES, ZADEH
from study.formula.catalogue import KIND_OF_ONE_LENGTH, KINDS, METHOD
from study.formula.cells import cells
from study.formula.points import BILINEAR, EpcDefinition, observations, points_of
from study.formula.regressions import UndeterminedError, fit_chances
from study.published import beside_published
from study.rates import KEY

Variant = tuple[str, str, EpcDefinition]  # kind of fit, estimator of the chance, count of close decisions
AS_PUBLISHED = ("ols", "luck-adjusted")
REPLICATES, SEED = 200, 2003
ENOUGH = 0.95
"""The share of resamples whose two fits must take the same points."""
NO_INTERVAL = "; no interval, because in {:.0f} % of resamples a fit cannot take every point"
REFERENCE: Variant = (KIND_OF_ONE_LENGTH, METHOD, "today")
AS_IN_2003: Variant = (*AS_PUBLISHED, "2003")
# Cause -> what stands in for the reference.
VARIANTS: dict[str, Variant] = {
    "definition": (KIND_OF_ONE_LENGTH, METHOD, "2003"),
    "method": (*AS_PUBLISHED, "today"),
}
TOTAL, EQUITY_TABLE, REST = "all together", "match-equity table", "what is left"
WORDS = {
    "definition": "close cube decisions counted as in 2003, over the same matches counted as today",
    "method": "fitted as published (least squares of R, luck-adjusted results), over the same matches fitted as here",
    EQUITY_TABLE: "played and analysed with the match-equity table of 2003 (Zadeh), over the same cells with today's",
    TOTAL: "measured today, over published",
    REST: "count, fit and match-equity table all as in 2003, over published: the engine itself, and chance",
}


@dataclass(frozen=True)
class PlayedStudy:
    """One study: its matches, what was made of them, and where they come from (`formula` None: it determines none)."""

    name: str
    matches: pd.DataFrame
    points: pd.DataFrame
    coefficients: pd.DataFrame = field(default_factory=pd.DataFrame)
    formula: RatingFormula | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> pd.DataFrame:
        return self.points[self.points["method"] == METHOD].reset_index(drop=True)


def read(folder: Path) -> PlayedStudy:
    """Return the study of a folder of results. Raises TableError and FormulaError naming what is wrong."""
    matches = folder / "matches.parquet"
    return PlayedStudy(
        name=folder.name,
        matches=read_checked(matches),
        points=read_table(folder / "points.csv"),
        coefficients=read_table(folder / "coefficients.csv"),
        formula=formula_if_any(folder / "formula.json"),
        facts=read_provenance(matches),
    )


def tables(studies: Mapping[str, PlayedStudy]) -> dict[str, pd.DataFrame]:
    part2, zadeh = (studies.get(name) for name in (PART_2, ZADEH))
    made = {name: pd.DataFrame(columns=columns(f"comparison/{name}")) for name in TABLES}
    if part2 is not None:
        made["causes"] = causes(part2, zadeh)
    formula = None if part2 is None else part2.formula
    made["out_of_sample"] = out_of_sample([studies[name] for name in PAIRS if name in studies], formula)
    return made


def causes(study: PlayedStudy, zadeh: PlayedStudy | None) -> pd.DataFrame:
    """Return the factor by which each cause changes a2 and b, length by length (comparison/causes).

    `value` is the coefficient with the cause changed, `reference` the one without. Factors from the same matches have
    intervals by resampling them; that of the match-equity table carries the errors of both fits.
    """
    rows = [*_over_published(TOTAL, study, REFERENCE), *_same_matches(study)]
    if zadeh is not None:
        rows += [*_equity_table(study, zadeh), *_over_published(REST, zadeh, AS_IN_2003)]
    return pd.DataFrame(rows, columns=columns("comparison/causes"))


def coefficient(study: PlayedStudy, term: str, length: int, variant: Variant) -> tuple[float, float]:
    """Return a coefficient at one length and its standard error from a study's table; NaN where it is not there."""
    kind, *others = variant
    table = study.coefficients
    here = (table[["model", "method", "epc_definition", "term"]] == [f"bilinear-{kind}", *others, term]).all(axis=1)
    rows = table[here & (table["match_length"] == length)]
    return (np.nan, np.nan) if rows.empty else (float(rows["estimate"].iloc[0]), float(rows["std_error"].iloc[0]))


def _lengths(study: PlayedStudy) -> list[int]:
    return sorted(int(length) for length in study.rows["match_length"].unique())


def _over_published(cause: str, study: PlayedStudy, variant: Variant) -> Iterator[dict[str, Any]]:
    """Set a study's coefficients of one fit over the published ones, which have no error of their own in the paper."""
    paper = published_formula("bilinear")
    for length in _lengths(study):
        dof = int(study.rows["match_length"].eq(length).sum()) - len(BILINEAR.terms)
        for term in BILINEAR.terms:
            value, error = coefficient(study, term, length, variant)
            published = paper.coefficient(term, length)[0]
            factor, half = value / published, quantile(CONFIDENCE, dof) * error / published
            yield _row(cause, term, length, (value, published), (factor - half, factor + half))


def _same_matches(study: PlayedStudy) -> Iterator[dict[str, Any]]:
    """Fit resampled matches both ways: what is common to both fits then cancels from the factor.

    Matches are drawn within every design point, so that the interval has all that varies from match to match: results,
    luck, and the error rates themselves, with their correlations. The interval is the factor with the standard error of
    the resamples: their percentiles are shifted by the bias of a ratio of fits. Source: Efron and Tibshirani, An
    Introduction to the Bootstrap (1993), ch. 6. Where both fits take the same points in less than ENOUGH of the
    resamples there is no interval, and `words` say so.
    """
    rng, every = np.random.default_rng(SEED), cells(study.matches)
    draws = [points_of([cell.resampled(rng) for cell in every]) for _ in range(REPLICATES)]
    for cause, variant in VARIANTS.items():
        for length in _lengths(study):
            factors = np.array([_fitted(draw, variant, length) / _fitted(draw, REFERENCE, length) for draw in draws])
            fitted = np.isfinite(factors).all(axis=1)
            known = fitted.mean() >= ENOUGH
            halves = quantile(CONFIDENCE) * factors[fitted].std(axis=0, ddof=1) if known else [np.nan] * 2
            why = "" if known else NO_INTERVAL.format(100 * (1 - fitted.mean()))
            for i, term in enumerate(BILINEAR.terms):
                value, reference = (coefficient(study, term, length, v)[0] for v in (variant, REFERENCE))
                factor, half = value / reference, float(halves[i])
                yield _row(cause, term, length, (value, reference), (factor - half, factor + half), why)


def _fitted(points: pd.DataFrame, variant: Variant, length: int) -> Floats:
    """Return the coefficients of a fit at one length; NaN where it would have to leave points out."""
    kind, method, epc = variant
    here = points[(points["method"] == method) & (points["match_length"] == length)]
    seen = observations(here, BILINEAR, epc)
    if kind == AS_PUBLISHED[0] and not np.isfinite(seen.rating_difference).all():
        return np.full(len(BILINEAR.terms), np.nan)
    try:
        return np.asarray(KINDS[kind].regression(seen, seen.predictors, BILINEAR.terms).estimate)
    except UndeterminedError:
        return np.full(len(BILINEAR.terms), np.nan)


def _equity_table(study: PlayedStudy, zadeh: PlayedStudy) -> Iterator[dict[str, Any]]:
    """Fit the cells that both studies hold with either table; the two are played apart, so their errors add up."""
    z = quantile(CONFIDENCE)
    held = study.rows[KEY].merge(zadeh.rows[KEY], on=KEY)
    for length in sorted(int(n) for n in held["match_length"].unique()):
        common = held[held["match_length"] == length]
        seen = [observations(common.merge(s.rows, on=KEY), BILINEAR) for s in (zadeh, study)]
        try:
            zadehs, todays = (fit_chances(points, points.predictors, BILINEAR.terms) for points in seen)
        except UndeterminedError:
            continue
        for i, term in enumerate(BILINEAR.terms):
            value, reference = float(zadehs.estimate[i]), float(todays.estimate[i])
            relative = np.hypot(zadehs.std_error[i] / value, todays.std_error[i] / reference)
            factor, half = value / reference, z * abs(value / reference) * float(relative)
            yield _row(EQUITY_TABLE, term, length, (value, reference), (factor - half, factor + half))


def _row(
    cause: str, term: str, length: int, values: tuple[float, float], ends: tuple[float, float], why: str = ""
) -> dict[str, Any]:
    value, reference = values
    return {
        "cause": cause, "term": term, "match_length": length, "value": value, "reference": reference,
        "factor": value / reference, "ci_low": ends[0], "ci_high": ends[1], "confidence": CONFIDENCE,
        "words": WORDS[cause] + why,
    }  # fmt: skip


def out_of_sample(studies: list[PlayedStudy], formula: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of single pairs from another fit (comparison/out_of_sample).

    `predicted` is by `formula` (of Part II, EPC of today). A deviation is measured less predicted over the root of both
    squared errors. `published_formula` has our error rates with EPC counted as in 2003; `distance` is how far our
    rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        predicted = _predict(formula, *rows[["match_length", "epm", "epc"]].to_numpy(float).T)
        rows["predicted"], rows["predicted_se"] = predicted
        spread = np.hypot(rows["rating_difference_se"], rows["predicted_se"])
        rows["deviation"] = (rows["rating_difference"] - rows["predicted"]) / spread
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/out_of_sample"))


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that does not hold at their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error
