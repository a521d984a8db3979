"""The formula that turns error rates into a rating: the published one, the one fitted here, or one from a file."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bgrating import levels
from bgrating.human.settings import DEPTH, FITTED, formula_file
from bgrating.model.formula import COUNTS, RatingFormula, read_formula
from bgrating.model.observations import EPC_COLUMN, count_of
from bgrating.model.published import published_formula
from bgrating.settings import SettingsError


@dataclass(frozen=True)
class Chosen:
    """A formula, the column of its cube decisions, in words what it is, and relative errors of rates by the level."""

    formula: RatingFormula
    decisions: str
    words: str
    level_error: Mapping[str, float] = field(default_factory=dict)


def level_error(analysis: str, measured: Path = DEPTH) -> dict[str, float]:
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


def choose(coefficients: str, analysis: str = "0-ply") -> Chosen:
    """Return the formula that the setting `coefficients` names, for matches analysed at a level.

    `published`: the paper's, applied to today's count of cube decisions as gnubg does; `published-2003`: the same with
    the count of its time; `fitted`: the one that results/statistics recommends; `fitted-epc`: the study's in
    results/part2, for the EPC that gnubg shows; or the path of a formula file. Raises FormulaError or SettingsError.
    """
    if coefficients == "published":
        formula = replace(published_formula("bilinear"), epc_definition="today")
        words = "published coefficients (2003) with today's count of cube decisions, as gnubg applies them"
    elif coefficients == "published-2003":
        formula = published_formula("bilinear")
        words = "published coefficients (2003) with the count of cube decisions of that time"
    else:
        formula = read_formula(formula_file(coefficients))
        words = f"coefficients of {'our study' if coefficients in FITTED else coefficients}"
        words += f"; {COUNTS[formula.epc_definition]}" if formula.epc_definition in COUNTS else ""
    if formula.epc_definition not in EPC_COLUMN:
        raise SettingsError(f"coefficients={coefficients}: no count of cube decisions {formula.epc_definition!r}")
    off = level_error(analysis)
    if levels.analysis(analysis).chequerplay.plies > 0:
        words += (
            "; fitted to 0-ply analysis: intervals allow for what a deeper one finds otherwise"
            if off
            else "; fitted to 0-ply analysis: what a deeper one finds otherwise has not been measured"
        )
    return Chosen(formula, count_of(formula.epc_definition), words, off)
