"""Write the answer in one table: coefficients by match length with their intervals, beside those of 2003."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.play.matches import read_checked
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table, write_table
from study.asked import Asked
from study.custody import origin
from study.formula.catalogue import value_2003
from study.formula.cells import NothingToFitError
from study.formula.regressions import UndeterminedError
from study.law.fit import fit, points_of
from study.law.fit import formula as law


def run(asked: Asked, _: str, out: str, *given: str) -> None:
    """Write the recommended rows, those of the law, then those of tables of fits.

    The law is that of the engine. Where `given` has matches, it is fitted to them, if the settings' `form` is the law.
    Without a law the rows of the formula beside a table are recommended.
    """
    paths = list(map(Path, given))
    tables = [path for path in paths if path.suffix == ".csv"]
    matches = [path for path in paths if path.suffix == ".parquet"]
    shipped = asked.played / "formula.json"
    formula, name = (_law(asked, matches), "law") if matches else (formula_if_any(shipped), "shipped")
    rows = list(_of_formula(formula, name)) if formula else []
    for table in tables:
        beside = formula_if_any(table.with_name("formula.json"))
        rows += _of_fits(read_table(table), str(beside.facts["model"]) if beside and not formula else "")
    found = pd.DataFrame(rows, columns=columns("study/answer")).astype({"match_length": "Int64"})
    facts = origin(Path(out), tables[-1], [*(matches or [shipped]), *tables])
    write_table(found, Path(out), "study/answer", **facts)


def _law(asked: Asked, matches: Iterable[Path]) -> RatingFormula | None:
    """Return the law of these matches; none if the settings ask for another form or the matches do not determine it."""
    if asked.config["form"] != "law":
        return None
    try:
        points = points_of({path.parent.name: read_checked(path) for path in matches})
        return law(points, fit(points), asked.nets)
    except (UndeterminedError, NothingToFitError, ConvergenceError) as reason:
        print(f"the bilinear form is recommended, since the law is not determined: {reason}")
        return None


def _of_formula(formula: RatingFormula, model: str) -> Iterator[dict[str, Any]]:
    shared = {
        "model": model,
        "epc_definition": formula.epc_definition,
        "confidence": formula.confidence,
        "recommended": True,
    }
    for length in formula.match_lengths:
        for name in formula.coefficients:
            value = value_2003(name, length, formula.epc_definition)
            yield shared | {"match_length": length, "term": name, "value_2003": value} | formula.at(name, length)
    for term, estimate, (low, high) in zip(formula.terms, formula.estimate, formula.intervals().values(), strict=True):
        yield shared | {"term": term, "estimate": estimate, "ci_low": low, "ci_high": high}


def _of_fits(table: pd.DataFrame, model: str) -> list[dict[Any, Any]]:
    fits = table[table["estimate"].notna()]
    return fits.assign(recommended=fits["model"] == model).to_dict("records")
