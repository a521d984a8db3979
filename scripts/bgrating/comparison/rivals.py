"""Rival shapes of the formula, judged by how well they predict what they were not fitted to.

Each rival is fitted as the recommended formula is (chances, luck as a control variate, every coefficient const + inv /
N); only what its coefficients multiply differs. It then predicts what was left out: a cell at one match length, a cell
at every length, a whole length. A sum of squared deviations, each over the standard error of the measured chance, says
how well; a perfect formula has about one a point.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.fibs import win_probability
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.formula.observations import Observations, usable
from bgrating.formula.rates import COUNTS, KEY, differences
from bgrating.formula.recommended import METHOD, formula_of
from bgrating.formula.regressions import Fit, UndeterminedError, fit_chances
from bgrating.formula.shapes import SHAPES, EpcDefinition, Shape, line_design, line_terms
from bgrating.gnubg.nets import nets_of

Floats = NDArray[np.float64]


RIVALS: dict[str, Shape] = {
    name: SHAPES[name]
    for name in (
        "linear", "bilinear", "bilinear-2003", "curvature", "root", "interaction", "curvature-interaction",
        "per-cube-decision", "per-unforced-move", "per-unforced-move-even", "per-game", "per-game-even",
        "both-per-game", "per-cube-decision-interaction", "per-unforced-move-interaction",
        "per-unforced-move-mismatch", "mwc",
    )
}  # fmt: skip
# What may take the place of cube error per close decision: no more coefficients, and counts that gnubg shows.
ALTERNATIVE = "per-unforced-move-even"
PER_MOVE: EpcDefinition = "moves"  # its count's name as a definition of EPC in a formula file
LEFT_OUT = ("left_out_point", "left_out_player", "left_out_length")
COLUMNS = columns("comparison/rivals")
TERM_COLUMNS = columns("comparison/rival_coefficients")


def observed(study: Played, rival: Shape) -> Observations:
    """Give the design points of a study with what a rival's coefficients multiply as predictors."""
    rates = differences(study.matches)
    rates["epc_root"] = np.sign(rates["epc"]) * np.sqrt(rates["epc"].abs())
    rows = study.rows.drop(columns=[name for name in rates if name not in KEY], errors="ignore").merge(rates, on=KEY)
    return usable(
        Observations(
            match_length=rows["match_length"].to_numpy(dtype=np.int64),
            predictors=np.column_stack([rows[list(term)].prod(axis=1).to_numpy(dtype=float) for term in rival.terms]),
            p=rows["p_win"].to_numpy(dtype=float),
            p_se=rows["p_win_se"].to_numpy(dtype=float),
            n_matches=rows["n_matches"].to_numpy(dtype=np.int64),
            labels=(rows["player"] + " against " + rows["opponent"]).to_numpy(dtype=np.str_),
        )
    )


def names(rival: Shape) -> tuple[str, ...]:
    """Name what a rival's coefficients multiply."""
    return tuple("*".join(term) for term in rival.terms)


def term_names(rival: Shape, every_length: bool) -> tuple[str, ...]:
    """Name the coefficients of a rival: their parts, or at a single length what they multiply."""
    return line_terms(names(rival), rival.parts) if every_length else names(rival)


def fitted(points: Observations, rival: Shape) -> tuple[Fit, bool]:
    """Fit a rival to points; the second answer says whether its coefficients are functions of N."""
    every = len(points.lengths) > 1
    return fit_chances(points, _design(points, rival, every), term_names(rival, every)), every


def predicted(fit: Fit, every: bool, points: Observations, rival: Shape) -> Floats:
    """Give the rating differences that a fitted rival predicts, one a point; NaN where it says nothing about them."""
    if not every and set(points.lengths) != set(fit.match_lengths):
        return np.full(len(points), np.nan)
    return np.asarray(_design(points, rival, every) @ fit.estimate)


def _design(points: Observations, rival: Shape, every: bool) -> Floats:
    return line_design(points.predictors, points.match_length, rival.parts) if every else points.predictors


def predicted_left_out(points: Observations, rival: Shape, groups: NDArray[Any]) -> Floats:
    """Leave out each group of points in turn, fit the others, and predict the rating differences of those left out.

    One entry a point; all NaN where what is left does not determine the coefficients.
    """
    found = np.full(len(points), np.nan)
    for group in np.unique(groups):
        kept = np.asarray(groups != group)
        try:
            fit, every = fitted(points.select(kept), rival)
        except UndeterminedError:
            return np.full(len(points), np.nan)
        found[~kept] = predicted(fit, every, points.select(~kept), rival)
        if np.isnan(found[~kept]).any():
            return np.full(len(points), np.nan)
    return found


def chi_square_left_out(points: Observations, rival: Shape, groups: NDArray[Any]) -> float:
    """Add up the squared deviations of points from what is predicted without their group; NaN if nothing is."""
    said = predicted_left_out(points, rival, groups)
    deviations = (points.p - win_probability(said, points.match_length)) / points.p_se
    return float(deviations @ deviations)


def rivals(study: Played) -> pd.DataFrame:
    """Judge every rival over a study of cells (COLUMNS); sums of squared deviations, NaN where not determined."""
    return pd.DataFrame(_judged(study), columns=COLUMNS)


def _judged(study: Played) -> Iterator[dict[str, Any]]:
    for name, rival in RIVALS.items():
        points = observed(study, rival)
        row: dict[str, Any] = {"rival": name, "words": rival.words, "n_points": len(points)}
        groups = (np.arange(len(points)), points.labels, points.match_length)
        try:
            fit, _ = fitted(points, rival)
            row |= {
                "parameters": len(fit.terms), "chi_square": fit.chi_square, "chi_square_dof": fit.chi_square_dof,
            }  # fmt: skip
            row |= {out: chi_square_left_out(points, rival, g) for out, g in zip(LEFT_OUT, groups, strict=True)}
        except UndeterminedError:
            row["parameters"] = len(rival.terms)
        yield row


def coefficients(study: Played, confidence: float) -> pd.DataFrame:
    """Give the coefficients of every rival with their intervals (TERM_COLUMNS)."""
    rows = []
    for name, rival in RIVALS.items():
        try:
            fit, _ = fitted(observed(study, rival), rival)
        except UndeterminedError:
            continue
        half = quantile(confidence, fit.dof) * fit.std_error
        rows += [
            dict(zip(TERM_COLUMNS, (name, term, value, error, value - h, value + h, confidence), strict=True))
            for term, value, error, h in zip(fit.terms, fit.estimate, fit.std_error, half, strict=True)
        ]
    return pd.DataFrame(rows, columns=TERM_COLUMNS)


def alternative(study: Played, confidence: float) -> RatingFormula:
    """Give the formula with cube error per unforced move in place of EPC. Raises UndeterminedError."""
    rival = RIVALS[ALTERNATIVE]
    points = observed(study, rival)
    fit, every = fitted(points, rival)
    named = replace(fit, terms=line_terms(("a2", "b"), rival.parts) if every else ("a2", "b"))
    about = {
        "study": study.name,
        "nets": nets_of(study.facts["engine"], study.name),
        "model": "even-joint-probability" if every else "bilinear-probability",
        "method": METHOD,
        "words": COUNTS[PER_MOVE].words,
    }
    return formula_of(named, PER_MOVE, points.spans, confidence, about)
