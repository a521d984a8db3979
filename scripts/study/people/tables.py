"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass
from functools import partial

import pandas as pd

from bgrating.engine.nets import kept
from bgrating.rating import prediction
from bgrating.rating.choose import Chosen, compared_formulas
from bgrating.rating.compared import best_of
from bgrating.rating.pairs import frozen, pairs
from bgrating.rating.published import published_formula
from study.people import calibration, shape, simulated_reference, strength
from study.people.conversions import conversions
from study.people.subgroups import whom


@dataclass(frozen=True)
class Check:
    """The tables by name (NAMES), and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def check(matches: pd.DataFrame, noise: pd.DataFrame, chosen: Chosen, offset: float, nets: str) -> Check:
    """Make every table.

    `matches` is a collection's, `noise` the sizes of noise's errors (may be without rows); `nets` are those that
    analysed it, with whose formulas and simulated matches it is compared.
    """
    together = pairs(matches)
    compared = compared_formulas(chosen, nets)
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
