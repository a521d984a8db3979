"""Choose the formula that turns error rates into a rating.

It is the published one, the fitted one, or one from a file.

Every formula is for errors that 0-ply finds. A deeper analysis finds others. No ratio turns these
into errors of 0-ply, since it differs between strong and weak players (people/depth_rule.csv).
"""

import math
from dataclasses import dataclass, replace

from bgrating.engine import levels
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.formula import RatingFormula, rating_formula
from bgrating.rating.formula_of_2003 import published_formula
from bgrating.rating.formula_reader import fitted_formula_json, read_formula_json
from bgrating.rating.result_files import FITTED, formula_file


@dataclass(frozen=True)
class RatingModel:
    """A formula and its description.

    The formula holds up to a rating difference of `limit`. It holds up to `cube_limit` for the sum
    of both players' cube errors (EMG per unforced move). An unknown limit is infinite.
    """

    formula: RatingFormula
    description: str
    limit: float = math.inf
    cube_limit: float = math.inf

    @property
    def decisions(self) -> str:
        return COUNTS[self.formula.epc_definition].per


def choose(coefficients: str, engine_version: str, analysis: str = "0-ply") -> RatingModel:
    """Return the formula that the setting `coefficients` names, for matches that this engine
    version analysed at a level.

    `fitted` is the engine's own (results/<nets>/formula.json). `published` is the paper's, applied
    to today's count of cube decisions as gnubg does; `published-2003` has the count of its time.
    Anything else is the path of a formula file. A formula for the errors of other nets is used only
    if its file is named, and its description warns. Raises FormulaError, ProvenanceError or
    SettingsError (for a level).
    """
    if coefficients == "published":
        formula = replace(published_formula("bilinear"), epc_definition="today")
        description = (
            "constants of 2003 with today's count of close cube decisions, as gnubg applies them"
        )
    elif coefficients == "published-2003":
        formula = published_formula("bilinear")
        description = "constants of 2003 with the close cube decisions of that time"
    else:
        is_ours = coefficients == FITTED
        path = formula_file(coefficients, engine_version)
        formula_json = fitted_formula_json(engine_version) if is_ours else read_formula_json(path)
        formula = rating_formula(formula_json, path)
        description = f"fitted to gnubg {engine_version}" if is_ours else coefficients
        description += f", cube errors {COUNTS[formula.epc_definition].short}"
        fitted_with = formula.metadata.get("nets", engine_version)
        if fitted_with != engine_version:
            description += (
                f"; CAUTION: fitted to errors that gnubg {fitted_with} found, but gnubg"
                f" {engine_version} found these"
            )
    limit = formula.metadata.get("limit", math.inf)
    cube_limit = formula.metadata.get("cube_limit", math.inf)
    plies = levels.analysis(analysis).chequerplay.plies
    if plies:
        description += f"; CAUTION: for errors that 0-ply finds, but {plies}-ply found these"
    return RatingModel(formula, description, limit, cube_limit)
