"""Rival shapes of the formula, judged by how well they predict what they were not fitted to.

Each rival is fitted as the recommended formula is (chances, luck as a control variate, every coefficient const + inv /
N); only what its coefficients multiply differs. It then predicts what was left out: a cell at one match length, a cell
at every length, a whole length. A sum of squared deviations, each over the standard error of the measured chance, says
how well; a perfect formula has about one a point.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.fibs import win_probability
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.formula.observations import LINE, Observations, Part, usable
from bgrating.formula.rates import COUNTS, KEY, differences
from bgrating.formula.regressions import Fit, UndeterminedError, fit_chances
from bgrating.formula.shapes import line_design, line_terms
from bgrating.gnubg.nets import nets_of

Floats = NDArray[np.float64]


class Rival(NamedTuple):
    """A shape: R is the sum of a coefficient times a product of rates, for each of `terms`.

    `parts` are the functions of match length of each coefficient; lines in 1 / N where nothing else is said.
    """

    words: str
    terms: tuple[tuple[str, ...], ...]
    parts: tuple[tuple[Part, ...], ...] | None = None


RIVALS: dict[str, Rival] = {
    "linear": Rival("one rate, DEPD", (("depd",),)),
    "bilinear": Rival("EPM and EPC (the formula of gnubg)", (("epm",), ("epc",))),
    "bilinear-2003": Rival("EPM and EPC counted as in 2003", (("epm",), ("epc_2003",))),
    "curvature": Rival("EPM, EPC and its square", (("epm",), ("epc",), ("epc", "epc"))),
    "root": Rival("EPM, EPC and its square root", (("epm",), ("epc",), ("epc_root",))),
    "interaction": Rival("EPM, EPC and their product", (("epm",), ("epc",), ("epm", "epc"))),
    "curvature-interaction": Rival(
        "EPM, EPC, its square and their product", (("epm",), ("epc",), ("epc", "epc"), ("epm", "epc"))
    ),
    "per-cube-decision": Rival("EPM and cube error per cube decision", (("epm",), ("epc_every",))),
    "per-unforced-move": Rival("EPM and cube error per unforced move", (("epm",), ("epc_moves",))),
    "per-unforced-move-even": Rival(
        "EPM and cube error per unforced move, one b for all lengths",
        (("epm",), ("epc_moves",)),
        (LINE, ("const",)),
    ),
    "per-game": Rival("EPM and cube error per game", (("epm",), ("epc_games",))),
    "per-game-even": Rival(
        "EPM and cube error per game, one b for all lengths", (("epm",), ("epc_games",)), (LINE, ("const",))
    ),
    "both-per-game": Rival("chequer and cube error per game", (("chequer_games",), ("epc_games",))),
    "per-cube-decision-interaction": Rival(
        "EPM, cube error per cube decision and their product",
        (("epm",), ("epc_every",), ("epm", "epc_every")),
    ),
    "per-unforced-move-interaction": Rival(
        "EPM, cube error per unforced move and their product", (("epm",), ("epc_moves",), ("epm", "epc_moves"))
    ),
    "per-unforced-move-mismatch": Rival(
        "EPM, cube error per unforced move, one b, and product times root of N",
        (("epm",), ("epc_moves",), ("epm", "epc_moves")),
        (LINE, ("const",), ("root",)),
    ),
    "mwc": Rival(
        "match-winning chance lost by chequer play and at the cube, per match", (("chequer_mwc",), ("cube_mwc",))
    ),
}
# What may take the place of cube error per close decision: no more coefficients, and counts that gnubg shows.
ALTERNATIVE = "per-unforced-move-even"
PER_MOVE = "moves"  # its count's name as a definition of EPC in a formula file
LEFT_OUT = ("left_out_point", "left_out_player", "left_out_length")
COLUMNS = columns("comparison/rivals")
TERM_COLUMNS = columns("comparison/rival_coefficients")


def observed(study: Played, rival: Rival) -> Observations:
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


def names(rival: Rival) -> tuple[str, ...]:
    """Name what a rival's coefficients multiply."""
    return tuple("*".join(term) for term in rival.terms)


def term_names(rival: Rival, every_length: bool) -> tuple[str, ...]:
    """Name the coefficients of a rival: their parts, or at a single length what they multiply."""
    return line_terms(names(rival), rival.parts) if every_length else names(rival)


def fitted(points: Observations, rival: Rival) -> tuple[Fit, bool]:
    """Fit a rival to points; the second answer says whether its coefficients are functions of N."""
    every = len(points.lengths) > 1
    return fit_chances(points, _design(points, rival, every), term_names(rival, every)), every


def predicted(fit: Fit, every: bool, points: Observations, rival: Rival) -> Floats:
    """Give the rating differences that a fitted rival predicts, one a point; NaN where it says nothing about them."""
    if not every and set(points.lengths) != set(fit.match_lengths):
        return np.full(len(points), np.nan)
    return np.asarray(_design(points, rival, every) @ fit.estimate)


def _design(points: Observations, rival: Rival, every: bool) -> Floats:
    return line_design(points.predictors, points.match_length, rival.parts) if every else points.predictors


def predicted_left_out(points: Observations, rival: Rival, groups: NDArray[Any]) -> Floats:
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


def chi_square_left_out(points: Observations, rival: Rival, groups: NDArray[Any]) -> float:
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
    ends = [(float(column.min()), float(column.max())) for column in points.predictors.T]
    return RatingFormula(
        terms=line_terms(("a2", "b"), rival.parts) if every else ("a2", "b"),
        estimate=fit.estimate,
        covariance=fit.covariance,
        dof=float(fit.dof[0]),
        confidence=confidence,
        epc_definition=PER_MOVE,
        match_lengths=fit.match_lengths if every else points.lengths,
        ranges=dict(zip(("epm", "epc"), ends, strict=True)),
        facts={
            "study": study.name,
            "nets": nets_of(study.facts["engine"], study.name),
            "model": "even-joint-probability" if every else "bilinear-probability",
            "method": "control-variate",
            "words": COUNTS[PER_MOVE].words,
            "n_points": fit.n_points,
            "n_matches": fit.n_matches,
            "left_out": list(points.left_out),
            "goodness_of_fit": {
                "chi_square": fit.chi_square,
                "dof": fit.chi_square_dof,
                "p_value": float(stats.chi2.sf(fit.chi_square, fit.chi_square_dof)),
            },
        },
    )
