"""Write all coefficients into one table.

They are by match length, with their intervals, beside those of 2003.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_json, read_table, write_table
from study.custody import origin
from study.workflow_settings import Settings

# What identifies a fit of a table of coefficients.
FIT = ["model", "method", "epc_definition"]


def run(settings: Settings, out: str, fits_of: str, formula_of: str) -> None:
    """Write the rows of a table of fits, after those of the engine's shipped formula if no study is
    asked for.

    Of a study the fit in its formula.json is recommended. Beside the shipped formula none is.
    """
    table = Path(fits_of)
    formula = Path(formula_of)
    fits = read_table(table).dropna(subset="estimate")
    sources = [table]
    fits["recommended"] = fits.groupby(FIT)["recommended"].transform("any")
    rows = []
    if not settings.config.get("part"):
        formula = formula.parents[1] / "formula.json"  # beside the tables of the law
        rows = _rows(read_formula(formula))
        sources = [formula, table]
        fits["recommended"] = False
    elif not fits["recommended"].any():
        print(f"no coefficient is recommended: {read_json(formula)['reason']}")
    rows += fits.sort_values("recommended", ascending=False, kind="stable").to_dict("records")
    answer = pd.DataFrame(rows, columns=columns("study/answer")).astype({"match_length": "Int64"})
    write_table(answer, Path(out), "study/answer", **origin(Path(out), table, sources))


def _rows(formula: RatingFormula) -> list[dict[Any, Any]]:
    """Return the rows of the shipped formula.

    First come its coefficients at every match length, then its terms.
    """
    rows = [
        {"match_length": length, "term": name, **formula.at(name, length)}
        for length in formula.match_lengths
        for name in formula.coefficients
    ]
    errors = np.sqrt(np.diag(formula.covariance))
    terms = zip(formula.intervals().items(), formula.estimate, errors, strict=True)
    for (term, (low, high)), value, error in terms:
        ends = {"ci_low": low, "ci_high": high}
        rows.append({"term": term, "estimate": value, "std_error": error, **ends})
    shared = {
        "model": "shipped",
        "epc_definition": formula.epc_definition,
        "confidence": formula.confidence,
        "recommended": True,
    }
    return [shared | row for row in rows]
