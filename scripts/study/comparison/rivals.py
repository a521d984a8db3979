"""Rival shapes, judged by how well they predict what they were not fitted to, and the bend of R with EPC.

Each rival is fitted as the recommended formula is (chances, luck as a control variate, every coefficient const + inv /
N); only what its coefficients multiply differs. It then predicts what was left out: a cell at one match length, a cell
at every length, a whole length. A sum of squared deviations, each over the standard error of the measured chance, says
how well; a perfect formula has about one per point.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.engine.nets import nets_of
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS
from bgrating.rating.shapes import SHAPES, EpcDefinition, Shape, line_design, line_terms
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played
from study.formula.points import Observations
from study.formula.recommended import METHOD, formula_of
from study.formula.regressions import Fit, UndeterminedError, fit_chances

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
COLUMNS, CURVATURE_COLUMNS = columns("comparison/rivals"), columns("comparison/curvature")

SMALL, LARGE = 0.02, 0.12  # EPC (EMG) at which slopes are read: near the least and the greatest measured here
WIDEST = 0.192  # EPC (EMG) of the noisiest cube in the paper's Appendix II
BENDS = {"straight": "bilinear", "square": "curvature", "root": "root"}


def names(shape: Shape) -> tuple[str, ...]:
    """Name what a shape's coefficients multiply."""
    return tuple("*".join(term) for term in shape.terms)


def term_names(shape: Shape, every_length: bool) -> tuple[str, ...]:
    """Name the coefficients of a shape: their parts, or at a single length what they multiply."""
    return line_terms(names(shape), shape.parts) if every_length else names(shape)


def design(points: Observations, shape: Shape, every_length: bool) -> Floats:
    """Return what multiplies each coefficient of `term_names`: points by terms."""
    return line_design(points.predictors, points.match_length, shape.parts) if every_length else points.predictors


def fitted(points: Observations, shape: Shape) -> Fit:
    """Fit a shape to points; over two match lengths or more its coefficients are functions of N."""
    every = len(points.lengths) > 1
    return fit_chances(points, design(points, shape, every), term_names(shape, every))


def predicted(fit: Fit, points: Observations, shape: Shape) -> Floats:
    """Return the rating differences that a fitted shape predicts, one per point; NaN where it says nothing."""
    every = len(fit.match_lengths) > 1
    if not every and set(points.lengths) != set(fit.match_lengths):
        return np.full(len(points), np.nan)
    return np.asarray(design(points, shape, every) @ fit.estimate)


def ways(points: Observations) -> dict[str, NDArray[Any]]:
    """Return the ways of leaving out: for each the group of every point, which is left out as one."""
    return {
        "left_out_point": np.arange(len(points)), "left_out_player": points.pairs,
        "left_out_length": points.match_length,
    }  # fmt: skip


def predicted_left_out(
    points: Observations, groups: NDArray[Any], predict: Callable[[Observations, Observations], Floats]
) -> Floats:
    """Return the rating differences that are predicted of each group of points from the others, one per point.

    `predict` is given the others and the group. All are NaN where the others do not determine the coefficients.
    """
    found = np.full(len(points), np.nan)
    for group in np.unique(groups):
        kept = np.asarray(groups != group)
        try:
            found[~kept] = predict(points.select(kept), points.select(~kept))
        except UndeterminedError:
            break
    return found if np.isfinite(found).all() else np.full(len(points), np.nan)


def rival_left_out(points: Observations, shape: Shape, groups: NDArray[Any]) -> Floats:
    """Return `predicted_left_out` by a shape that is fitted to the others."""
    return predicted_left_out(points, groups, lambda rest, out: predicted(fitted(rest, shape), out, shape))


def chi_square_left_out(points: Observations, shape: Shape, groups: NDArray[Any]) -> float:
    """Add up the squared deviations of points from what is predicted without their group; NaN if nothing is."""
    predicted_rating = rival_left_out(points, shape, groups)
    deviations = (points.p - win_probability(predicted_rating, points.match_length)) / points.p_se
    return float(deviations @ deviations)


def rivals(study: Played) -> pd.DataFrame:
    """Judge every rival over a study of cells by sums of squared deviations (COLUMNS), NaN where undetermined."""
    judged: list[dict[str, Any]] = []
    for name, rival in RIVALS.items():
        points = study.observed(rival)
        row: dict[str, Any] = {"rival": name, "words": rival.words, "n_points": len(points)}
        judged.append(row)
        try:
            fit = fitted(points, rival)
        except UndeterminedError:
            row["parameters"] = len(rival.terms)
            continue
        row |= {"parameters": len(fit.terms), "chi_square": fit.chi_square, "chi_square_dof": fit.chi_square_dof}
        row |= {way: chi_square_left_out(points, rival, groups) for way, groups in ways(points).items()}
    return pd.DataFrame(judged, columns=COLUMNS)


def alternative(study: Played) -> RatingFormula:
    """Return the formula with cube error per unforced move in place of EPC. Raises UndeterminedError."""
    rival = RIVALS[ALTERNATIVE]
    points = study.observed(rival)
    fit = fitted(points, rival)
    every = len(fit.match_lengths) > 1
    named = replace(fit, terms=line_terms(("a2", "b"), rival.parts) if every else ("a2", "b"))
    about = {
        "study": study.name,
        "nets": nets_of(study.facts["engine"], study.name),
        "model": "even-joint-probability" if every else "bilinear-probability",
        "method": METHOD,
        "words": COUNTS[PER_MOVE].words,
    }
    return formula_of(named, PER_MOVE, points.spans, about)


def curvature(study: Played) -> pd.DataFrame:
    """Fit each length with EPM, EPC and no third term, the square or the square root of EPC (CURVATURE_COLUMNS).

    `extra` is the coefficient of the third term. Slopes are dR/dEPC at SMALL and LARGE, points per EMG; `slope_widest`
    is the mean slope from 0 to WIDEST, `published` the published b.
    """
    rows = []
    paper = published_formula("bilinear")
    for bend, rival in BENDS.items():
        points = study.observed(RIVALS[rival])
        for length in points.lengths:
            here = points.at_length(length)
            try:
                fit = fitted(here, RIVALS[rival])
            except UndeterminedError:
                continue
            t = quantile(CONFIDENCE, fit.dof[0])
            row: dict[str, Any] = {
                "match_length": length, "shape": bend, "chi_square": fit.chi_square,
                "chi_square_dof": fit.chi_square_dof, "published": paper.coefficient("b", length)[0],
                "confidence": CONFIDENCE, "n_points": fit.n_points,
            }  # fmt: skip
            if bend != "straight":
                extra, half = float(fit.estimate[2]), t * float(fit.std_error[2])
                row |= {"extra": extra, "extra_low": extra - half, "extra_high": extra + half}
            for name, at in (("slope_small", SMALL), ("slope_large", LARGE)):
                # dR/dEPC: of a straight line, of x^2 (2x) or of the square root of x (1 / (2 sqrt x)).
                third = {"straight": [], "square": [2 * at], "root": [0.5 / np.sqrt(at)]}[bend]
                along = np.array([0.0, 1.0, *third])
                slope, half = float(along @ fit.estimate), t * float(np.sqrt(along @ fit.covariance @ along))
                row |= {name: slope, f"{name}_low": slope - half, f"{name}_high": slope + half}
            mean = {"straight": [], "square": [WIDEST], "root": [1 / np.sqrt(WIDEST)]}[bend]
            row["slope_widest"] = float(np.array([0.0, 1.0, *mean]) @ fit.estimate)
            rows.append(row)
    return pd.DataFrame(rows, columns=CURVATURE_COLUMNS)
