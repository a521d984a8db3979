"""The formula that turns error rates into a rating: the published one, the one fitted here, or one from a file."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bgrating.formula.files import FITTED, depth_table, formula_file
from bgrating.formula.formula import RatingFormula, read_formula
from bgrating.formula.published import published_formula
from bgrating.formula.rates import COUNTS
from bgrating.gnubg import levels
from bgrating.gnubg.nets import NetsError
from bgrating.settings import SettingsError

_NAMES = {"law": "the law", "statistics": "our study (the law has not been fitted for these nets yet)"}


@dataclass(frozen=True)
class Chosen:
    """A formula, the column of its cube decisions, in words what it is, and relative errors of rates by the level.

    `limit` is the rating difference up to which the formula holds (infinite where none is known); beyond it `outside`
    says what the form with the product of both rates gives, if there is one.
    """

    formula: RatingFormula
    decisions: str
    words: str
    level_error: Mapping[str, float] = field(default_factory=dict)
    limit: float = math.inf
    outside: RatingFormula | None = None


def level_error(analysis: str, measured: Path) -> dict[str, float]:
    """Return by how much error rates differ from those the formulas were fitted to, as a share, by rate.

    Every formula here was fitted to 0-ply analysis. Deeper analysis of the same matches finds other rates: the root
    mean square of (deep / shallow - 1) over the pairs of players analysed at 0-ply and 2-ply, the better known
    counting for more. It is not corrected for, since it was measured on noisy players and not on people. Nothing for
    0-ply, and where nothing has been measured yet.
    """
    if levels.analysis(analysis).chequerplay.plies == 0 or not measured.is_file():
        return {}
    with measured.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    found = {}
    for rate in ("epm", "epc", "depd"):
        off = [float(row[f"{rate}_ratio"]) - 1 for row in rows]
        weights = [(float(row[f"{rate}_ratio_high"]) - float(row[f"{rate}_ratio_low"])) ** -2 for row in rows]
        if rows:
            found[rate] = math.sqrt(sum(w * x * x for w, x in zip(weights, off, strict=True)) / sum(weights))
    return found


def choose(coefficients: str, nets: str, analysis: str = "0-ply") -> Chosen:
    """Return the formula that the setting `coefficients` names, for matches analysed by these nets at a level.

    `fitted`: this project's, the law (law/formula.py), or what `statistics` recommends where the law has not been
    fitted for these nets; `fitted-epc`: the one of results/part2, for the EPC that gnubg shows; `published`: the
    paper's, applied to today's count of cube decisions as gnubg does; `published-2003`: the same with the count of its
    time; or the path of a formula file. A formula that was fitted to errors as
    other nets judge them is used only where its file is named, and its words say so. Raises FormulaError, NetsError or
    SettingsError.
    """
    if coefficients == "published":
        formula = replace(published_formula("bilinear"), epc_definition="today")
        words = "published coefficients (2003) with today's count of cube decisions, as gnubg applies them"
    elif coefficients == "published-2003":
        formula = published_formula("bilinear")
        words = "published coefficients (2003) with the count of cube decisions of that time"
    else:
        path = formula_file(coefficients, nets)
        formula = read_formula(path)
        words = (
            f"coefficients of {_NAMES.get(path.parent.name, 'our study') if coefficients in FITTED else coefficients}"
        )
        words += f" with gnubg {nets}" if coefficients in FITTED else ""
        words += f"; {COUNTS[formula.epc_definition].words}" if formula.epc_definition in COUNTS else ""
        fitted_with = formula.facts.get("nets", nets)
        if fitted_with != nets and coefficients in FITTED:
            raise NetsError(
                f"{path} was fitted to errors as gnubg {fitted_with} judges them, but these are judged by {nets}: "
                f"restore the file from the repository, or name the file to use it all the same (coefficients=FILE)"
            )
        if fitted_with != nets:
            words += f"; FITTED TO ERRORS AS GNUBG {fitted_with} JUDGES THEM, but these are judged by {nets}"
    if formula.epc_definition not in COUNTS:
        raise SettingsError(f"coefficients={coefficients}: no count of cube decisions {formula.epc_definition!r}")
    off = level_error(analysis, depth_table(nets))
    if levels.analysis(analysis).chequerplay.plies > 0:
        words += (
            "; fitted to 0-ply analysis: intervals allow for what a deeper one finds otherwise"
            if off
            else "; fitted to 0-ply analysis: what a deeper one finds otherwise has not been measured"
        )
    limit, outside = float(formula.facts.get("limit", math.inf)), None
    if coefficients == "fitted" and limit < math.inf:
        outside = read_formula(path.with_name("outside.json"))
    return Chosen(formula, COUNTS[formula.epc_definition].per, words, off, limit, outside)
