"""The formula that turns error rates into a rating: the published one, the one fitted here, or one from a file."""

from dataclasses import dataclass, replace

from bgrating.human.settings import FITTED, formula_file
from bgrating.model.formula import COUNTS, RatingFormula, read_formula
from bgrating.model.published import published_formula
from bgrating.settings import SettingsError


@dataclass(frozen=True)
class Chosen:
    """A formula, the column of its cube decisions, and in words what it is."""

    formula: RatingFormula
    decisions: str
    words: str


def choose(coefficients: str) -> Chosen:
    """Return the formula that the setting `coefficients` names.

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
    columns = {"today": "close_cube_decisions", "2003": "close_cube_decisions_2003", "every": "total_cube_decisions"}
    if formula.epc_definition not in columns:
        raise SettingsError(f"coefficients={coefficients}: no count of cube decisions {formula.epc_definition!r}")
    return Chosen(formula, columns[formula.epc_definition], words)
