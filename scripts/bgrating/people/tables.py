"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from bgrating.formula.choose import Chosen
from bgrating.formula.formula import RatingFormula, read_formula
from bgrating.formula.published import published_formula
from bgrating.gnubg.nets import kept
from bgrating.people import calibration, prediction, shape, simulated_reference, strength
from bgrating.people.conversions import conversions
from bgrating.people.pairs import frozen, pairs
from bgrating.people.sources import PUBLISHED, best_of, formula_files
from bgrating.people.subgroups import whom


@dataclass(frozen=True)
class Check:
    """The tables by name (NAMES), and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def formulas(chosen: Chosen, nets: str) -> dict[str, RatingFormula]:
    """Return the formulas that are compared: the published one, this project's, and the chosen one if another.

    All with the count of cube decisions they were fitted to; the published one as gnubg applies it, to today's.
    """
    found = {PUBLISHED: replace(published_formula("bilinear"), epc_definition="today")}
    for name, formula in (
        *((name, read_formula(path)) for name, path in formula_files(nets).items()),
        ("chosen", chosen.formula),
    ):
        there = [one for one in found.values() if one.terms == formula.terms]
        if not any(np.array_equal(one.estimate, formula.estimate) for one in there):
            found[name] = formula
    return found


def check(matches: pd.DataFrame, noise: pd.DataFrame, chosen: Chosen, offset: float, nets: str) -> Check:
    """Make every table.

    `matches` is a collection's, `noise` the sizes of noise's errors (may be without rows); `nets` are those that
    analysed it, with whose formulas and simulated matches it is compared.
    """
    together = pairs(matches)
    compared = formulas(chosen, nets)
    simulated = partial(frozen, kept(nets))
    strengths = strength.strengths(matches, chosen, offset)
    fits = simulated_reference.fits(together, published_formula("bilinear"), simulated)
    sized = shape.with_sizes(matches)
    factors, grid, chances = conversions(matches, strengths, chosen)
    tables = {
        "strengths": strengths,
        "appendix": calibration.appendix(strengths, offset),
        "lines": calibration.lines(strengths),
        "calibration": calibration.summary(strengths, offset),
        "mixed": strength.mixed(matches),
        "fits": fits,
        "factors": simulated_reference.factors(fits),
        "identity": simulated_reference.identity(together, simulated),
        "whom": whom(together, compared, simulated),
        "sizes": shape.sizes(sized, noise),
        "kinds": shape.kinds(sized, noise, simulated),
        **prediction.judged(together, compared, best_of(compared)),
        "conversions": factors,
        "conversion_values": grid,
        "pr_gap": chances,
        "few_matches": strength.few_matches(matches, chosen, offset),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))
