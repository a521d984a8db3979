"""The formula that turns error rates into a rating: the published one, the one fitted here, or one from a file.

Every formula is fitted to 0-ply errors. For errors that a deeper analysis judges its coefficients are divided by what
that analysis multiplies error rates by, measured on the same matches at both depths (study/law/depth.py).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine import levels
from bgrating.engine.nets import NetsError
from bgrating.rating.compared import PUBLISHED, formula_files
from bgrating.rating.files import FITTED, depth_table, formula_file
from bgrating.rating.formula import MULTIPLIES, RatingFormula, read_formula
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS
from bgrating.settings import SettingsError
from bgrating.tables.tables import read_table

Factors = Mapping[str, tuple[float, float]]
"""What a deeper analysis multiplies each rate by (epm, and those of COUNTS), with its standard error."""


@dataclass(frozen=True)
class RatingModel:
    """A formula, the column of its cube decisions, in words what it is, and relative errors of rates by the level.

    `limit` is the rating difference up to which the formula holds, `cube_limit` the sum of both players' cube errors
    (EMG per unforced move); both are infinite where none is known.
    """

    formula: RatingFormula
    decisions: str
    words: str
    level_error: Mapping[str, float] = field(default_factory=dict)
    limit: float = math.inf
    cube_limit: float = math.inf


def choose(coefficients: str, nets: str, analysis: str = "0-ply") -> RatingModel:
    """Return the formula that the setting `coefficients` names, for matches analysed by these nets at a level.

    `fitted`: the engine's own (results/<nets>/formula.json); `published`: the paper's, applied to today's count of cube
    decisions as gnubg does; `published-2003`: the same with the count of its time; or the path of a formula file. A
    formula that was fitted to the errors of other nets is used only where its file is named, and its words warn.
    Raises FormulaError, NetsError or SettingsError.
    """
    if coefficients == "published":
        formula = replace(published_formula("bilinear"), epc_definition="today")
        words = "constants of 2003 with today's count of close cube decisions, as gnubg applies them"
    elif coefficients == "published-2003":
        formula = published_formula("bilinear")
        words = "constants of 2003 with the close cube decisions of that time"
    else:
        path = formula_file(coefficients, nets)
        formula = read_formula(path)
        own = coefficients == FITTED
        words = f"fitted to gnubg {nets}" if own else coefficients
        if formula.epc_definition in COUNTS:
            words += f", cube errors {COUNTS[formula.epc_definition].short}"
        fitted_with = formula.facts.get("nets", nets)
        if fitted_with != nets and own:
            raise NetsError(
                f"{path} was fitted to errors as gnubg {fitted_with} judges them, but these are judged by {nets}: "
                f"restore the file from the repository, or name the file to use it all the same (coefficients=FILE)"
            )
        if fitted_with != nets:
            words += f"; CAUTION: fitted to errors that gnubg {fitted_with} found, but gnubg {nets} found these"
    if formula.epc_definition not in COUNTS:
        raise SettingsError(f"coefficients={coefficients}: no count of cube decisions {formula.epc_definition!r}")
    limits = [float(formula.facts.get(name, math.inf)) for name in ("limit", "cube_limit")]
    chosen = RatingModel(formula, COUNTS[formula.epc_definition].per, words, {}, *limits)
    plies = levels.analysis(analysis).chequerplay.plies
    return _deeper(chosen, f"{plies}-ply", coefficients == FITTED, nets) if plies else chosen


def _deeper(model: RatingModel, level: str, is_ours: bool, nets: str) -> RatingModel:
    """Return what was chosen for errors that a deeper analysis judges.

    Our formulas are those of that depth. Others stay as they are, since they are somebody else's: their intervals allow
    for what the depth finds otherwise. Where the depth has not been measured, the words say so.
    """
    path = depth_table(nets)
    factors = by_level(read_table(path)).get(level, {}) if path.is_file() else {}
    count = COUNTS[model.formula.epc_definition].rate
    if not {"epm", count} <= set(factors):
        words = f"{model.words}; fitted to 0-ply analysis, not measured for {level}"
        return replace(model, words=words)
    if not is_ours:
        off = {"epm": abs(factors["epm"][0] - 1), "epc": abs(factors[count][0] - 1)}
        words = f"{model.words}; made for 0-ply analysis: the intervals include what {level} finds differently"
        return replace(model, words=words, level_error=off)
    return replace(
        model,
        formula=at_depth(model.formula, factors),
        words=f"{model.words}; adjusted for {level} analysis",
    )


def by_level(table: pd.DataFrame) -> dict[str, Factors]:
    """Return the factors of every depth that law/depth.csv has (1-ply, 2-ply)."""
    found: dict[str, Any] = {}
    for row in table.to_dict("records"):
        found.setdefault(str(row["level"]), {})[str(row["rate"])] = float(row["factor"]), float(row["std_error"])
    return found


def at_depth(formula: RatingFormula, factors: Factors) -> RatingFormula:
    """Return a formula fitted to 0-ply errors for errors judged deeper; the covariance holds the factors' errors too.

    Raises KeyError where a rate of the formula has no factor.
    """
    own = {"epm": factors["epm"], "epc": factors[COUNTS[formula.epc_definition].rate]}
    multiplied = [MULTIPLIES[term.partition("_")[0]] for term in formula.terms]
    by = np.array([own[rate][0] for rate in multiplied])
    estimate, covariance = formula.estimate / by, formula.covariance / np.outer(by, by)
    for rate, (factor, error) in own.items():
        moved = estimate * [one == rate for one in multiplied] * error / factor
        covariance = covariance + np.outer(moved, moved)
    return replace(formula, estimate=estimate, covariance=covariance)


def compared_formulas(model: RatingModel, nets: str) -> dict[str, RatingFormula]:
    """Return the formulas that are compared: the published one, this project's, and the chosen one if another.

    All with the count of cube decisions they were fitted to; the published one as gnubg applies it, to today's.
    """
    found = {PUBLISHED: replace(published_formula("bilinear"), epc_definition="today")}
    for name, formula in (
        *((name, read_formula(path)) for name, path in formula_files(nets).items()),
        ("chosen", model.formula),
    ):
        there = [one for one in found.values() if one.terms == formula.terms]
        if not any(np.array_equal(one.estimate, formula.estimate) for one in there):
            found[name] = formula
    return found
