"""Write all coefficients into one table.

By match length, with their intervals, beside those of 2003.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import read_json, read_table, write_table
from study.custody import origin
from study.settings import Settings

# What identifies a fit of a table of coefficients.
FIT = ["model", "method", "epc_definition"]


def run(settings: Settings, out: str, *inputs: str) -> None:
    """Write the rows of a table of fits, after those of the engine's shipped formula if no study is
    asked for.

    Of a study the fit in its formula.json is recommended. Beside the shipped formula none is.
    """
    table = next(path for path in map(Path, inputs) if path.suffix == ".csv")
    fits = read_table(table).dropna(subset="estimate")
    sources = [table]
    chosen = pd.MultiIndex.from_frame(fits.loc[fits["recommended"], FIT])
    fits["recommended"] = pd.MultiIndex.from_frame(fits[FIT]).isin(chosen)
    rows = []
    if not settings.config.get("part"):
        shipped = settings.played / "formula.json"
        rows = _rows(read_formula(shipped))
        sources = [shipped, table]
        fits["recommended"] = False
    elif not len(chosen):
        print(
            f"no coefficient is recommended: {read_json(table.with_name('formula.json'))['reason']}"
        )
    rows += fits.sort_values("recommended", ascending=False, kind="stable").to_dict("records")
    answer = pd.DataFrame(rows, columns=columns("study/answer")).astype({"match_length": "Int64"})
    write_table(answer, Path(out), "study/answer", **origin(Path(out), table, sources))


def _rows(formula: RatingFormula) -> list[dict[Any, Any]]:
    """Return the rows of the shipped formula.

    Its coefficients at every match length, then its terms.
    """
    shared = {
        "model": "shipped",
        "epc_definition": formula.epc_definition,
        "confidence": formula.confidence,
        "recommended": True,
    }
    rows = [
        shared | {"match_length": length, "term": name} | formula.at(name, length)
        for length in formula.match_lengths
        for name in formula.coefficients
    ]
    errors = np.sqrt(np.diag(formula.covariance))
    ends = formula.intervals()
    for term, estimate, error in zip(formula.terms, formula.estimate, errors, strict=True):
        low, high = ends[term]
        rows.append(
            shared
            | {
                "term": term,
                "estimate": estimate,
                "std_error": error,
                "ci_low": low,
                "ci_high": high,
            }
        )
    return rows
