"""Choose the formula that turns error rates into a rating: the published one, the fitted one, or one from a file.

Every formula is fitted to 0-ply errors. For errors of a deeper analysis the coefficients are divided by the ratio of
error rates. The ratio was measured on the same matches at both depths (study/law/depth.py).
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bgrating.decisions.thresholds import LEVEL
from bgrating.engine import levels
from bgrating.rating.files import FITTED
from bgrating.rating.formula import RatingFormula, of_content
from bgrating.rating.formula_reader import fitted_content, rating_content
from bgrating.rating.known import of_nets
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS


@dataclass(frozen=True)
class RatingModel:
    """A formula and its description.

    The formula holds up to a rating difference of `limit`, and up to `cube_limit` for the sum of both players' cube
    errors (EMG per unforced move). An unknown limit is infinite.
    """

    formula: RatingFormula
    words: str
    limit: float = math.inf
    cube_limit: float = math.inf
    at_0_ply: RatingFormula | None = None
    """The formula for errors at 0-ply, if `formula` is for errors at a deeper level."""
    checked: RatingFormula | None = None
    """The formula for losses at level `checked`, if the ratio of these losses to those at 0-ply was measured."""

    def of_checked(self) -> "RatingModel":
        """Return the model for losses at level `checked`; itself if that level was not measured."""
        return replace(self, formula=self.checked, at_0_ply=self.formula) if self.checked else self

    @property
    def decisions(self) -> str:
        return COUNTS[self.formula.epc_definition].per


def choose(coefficients: str, nets: str, analysis: str = "0-ply") -> RatingModel:
    """Return the formula that the setting `coefficients` names, for matches analysed by these nets at a level.

    `fitted` is the engine's own (results/<nets>/formula.json). `published` is the paper's, applied to today's count of
    cube decisions as gnubg does; `published-2003` has the count of its time. Anything else is the path of a formula
    file. A formula for the errors of other nets is used only if its file is named, and its words warn. Raises
    FormulaError, ProvenanceError or SettingsError (for a level).
    """
    if coefficients == "published":
        formula = replace(published_formula("bilinear"), epc_definition="today")
        words = "constants of 2003 with today's count of close cube decisions, as gnubg applies them"
    elif coefficients == "published-2003":
        formula = published_formula("bilinear")
        words = "constants of 2003 with the close cube decisions of that time"
    else:
        is_ours = coefficients == FITTED
        formula = of_content(fitted_content(nets) if is_ours else rating_content(Path(coefficients)))
        words = f"fitted to gnubg {nets}" if is_ours else coefficients
        words += f", cube errors {COUNTS[formula.epc_definition].short}"
        fitted_with = formula.facts.get("nets", nets)
        if fitted_with != nets:
            words += f"; CAUTION: fitted to errors that gnubg {fitted_with} found, but gnubg {nets} found these"
    limit, cube_limit = (float(formula.facts.get(name, math.inf)) for name in ("limit", "cube_limit"))
    model = RatingModel(formula, words, limit, cube_limit)
    plies = levels.analysis(analysis).chequerplay.plies
    if plies:
        return _deeper(model, f"{plies}-ply", coefficients == FITTED, nets)
    return replace(model, checked=_at_depth(formula, LEVEL, nets)) if coefficients == FITTED else model


def _deeper(model: RatingModel, level: str, is_ours: bool, nets: str) -> RatingModel:
    """Return the model for errors of a deeper analysis.

    Our formula is adjusted to that depth. The words warn if the depth was not measured, and for formulas of others,
    which stay unchanged.
    """
    adjusted = _at_depth(model.formula, level, nets) if is_ours else None
    if adjusted is None:
        return replace(model, words=f"{model.words}; fitted to 0-ply analysis, not measured for {level}")
    words = f"{model.words}; adjusted for {level} analysis"
    return replace(model, formula=adjusted, words=words, at_0_ply=model.formula)


def _at_depth(formula: RatingFormula, level: str, nets: str) -> RatingFormula | None:
    """Return our formula for errors found at a level; None if the level was not measured."""
    for other in of_nets(nets):
        if other["depths"] == [level]:
            return replace(formula, estimate=np.array(other["estimate"]), covariance=np.array(other["covariance"]))
    return None
