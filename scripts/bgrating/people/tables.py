"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bgrating.human.formulas import Chosen
from bgrating.model.formula import RatingFormula, read_formula
from bgrating.model.published import published_formula
from bgrating.people import calibration, conversions, like_with_like, mixed, prediction, shape, strength, whom
from bgrating.people.pairs import pairs
from bgrating.people.sizes import has_sizes
from bgrating.people.sources import FORMULAS, PUBLISHED, best_of


@dataclass(frozen=True)
class Check:
    """The tables by name (NAMES), and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def formulas(chosen: Chosen) -> dict[str, RatingFormula]:
    """Return the formulas that are compared: the published one, this project's, and the chosen one if another.

    All with the count of cube decisions they were fitted to; the published one as gnubg applies it, to today's.
    """
    found = {PUBLISHED: replace(published_formula("bilinear"), epc_definition="today")}
    for name, path in FORMULAS.items():
        if path.is_file():
            _add(found, name, read_formula(path))
    return _add(found, "chosen", chosen.formula)


def _add(found: dict[str, RatingFormula], name: str, formula: RatingFormula) -> dict[str, RatingFormula]:
    """Add a formula, unless it is there by another name already."""
    same = [
        one for one in found.values() if one.terms == formula.terms and np.array_equal(one.estimate, formula.estimate)
    ]
    if not same:
        found[name] = formula
    return found


def check(matches: pd.DataFrame, noise: pd.DataFrame, chosen: Chosen, offset: float) -> Check:
    """Make every table. `matches` is a collection's, `noise` the sizes of noise's errors (may be without rows)."""
    together = pairs(matches)
    compared = formulas(chosen)
    strengths = strength.strengths(matches, chosen, offset)
    predicted = prediction.predictions(together, compared)
    fits = like_with_like.fits(together, published_formula("bilinear"))
    sized = matches[matches["chequer_error_sizes"].notna()] if has_sizes(matches) else matches.head(0)
    factors, grid, chances = conversions.conversions(matches, strengths, chosen)
    best = best_of(compared)
    tables = {
        "strengths": strengths,
        "appendix": calibration.appendix(strengths, offset),
        "lines": calibration.lines(strengths),
        "calibration": calibration.summary(strengths, offset),
        "mixed": mixed.mixed(matches),
        "fits": fits,
        "factors": like_with_like.factors(fits),
        "identity": like_with_like.identity(together),
        "whom": whom.whom(together, compared),
        "sizes": shape.sizes(sized, noise),
        "kinds": shape.kinds(sized, noise),
        "scores": prediction.scores(together, predicted),
        "slopes": prediction.slopes(together, predicted),
        "bins": prediction.bins(together, predicted, best),
        "conversions": factors,
        "conversion_values": grid,
        "pr_gap": chances,
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))
