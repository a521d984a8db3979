"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass, replace

import pandas as pd

from bgrating.human.formulas import Chosen
from bgrating.model.formula import RatingFormula, read_formula
from bgrating.model.published import published_formula
from bgrating.people import calibration, conversions, like_with_like, mixed, prediction, shape, strength, whom
from bgrating.people.pairs import RESULTS, frozen_tables, pairs
from bgrating.people.sizes import has_sizes

PUBLISHED, FITTED, PER_DECISION = "published, 2003", "study, EPC", "study, error per cube decision"
NOISE = RESULTS / "people-noise" / "frozen" / "error_sizes.csv"
_FORMULAS = {FITTED: RESULTS / "part2" / "formula.json", PER_DECISION: RESULTS / "statistics" / "per_decision.json"}
NAMES = (
    "strengths", "appendix", "lines", "calibration", "mixed", "fits", "factors", "identity", "whom", "sizes", "kinds",
    "scores", "slopes", "bins", "conversions", "conversion_values", "pr_gap",
)  # fmt: skip


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
    found |= {name: read_formula(path) for name, path in _FORMULAS.items() if path.is_file()}
    same = [
        one
        for one in found.values()
        if one.terms == chosen.formula.terms and (one.estimate == chosen.formula.estimate).all()
    ]
    return found if same else found | {"chosen": chosen.formula}


__all__ = ["NAMES", "NOISE", "Check", "check", "formula_files", "formulas", "frozen_tables"]


def formula_files() -> list[str]:
    """Return the files that `formulas` reads."""
    return [str(path) for path in _FORMULAS.values() if path.is_file()]


def check(matches: pd.DataFrame, noise: pd.DataFrame, chosen: Chosen, offset: float) -> Check:
    """Make every table. `matches` is a collection's, `noise` the sizes of noise's errors (may be without rows)."""
    together = pairs(matches)
    compared = formulas(chosen)
    strengths = strength.strengths(matches, chosen, offset)
    predicted = prediction.predictions(together, compared)
    fits = like_with_like.fits(together, published_formula("bilinear"))
    sized = matches[matches["chequer_error_sizes"].notna()] if has_sizes(matches) else matches.head(0)
    factors, grid, chances = conversions.conversions(matches, strengths, chosen)
    best = PER_DECISION if PER_DECISION in compared else PUBLISHED
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
