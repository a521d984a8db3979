"""Write all coefficients into one table: by match length, with their intervals, beside those of 2003."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.play.matches import read_checked
from bgrating.rating.chances import ConvergenceError
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table, write_table
from study.custody import origin
from study.formula.catalogue import value_2003
from study.formula.cells import NothingToFitError
from study.formula.regressions import UndeterminedError
from study.law.fit import fit, points_of
from study.law.fit import formula as law
from study.settings import Settings


def run(settings: Settings, out: str, *inputs: str) -> None:
    """Write the rows of the law, which are recommended, then those of tables of fits.

    If `inputs` has matches and the setting `form` is `law`, the law is fitted to them; without matches it is the
    shipped formula of the engine. Without a law, the rows of the formula beside a table of fits are recommended.
    """
    paths = list(map(Path, inputs))
    tables = [path for path in paths if path.suffix == ".csv"]
    matches = [path for path in paths if path.suffix == ".parquet"]
    shipped = settings.played / "formula.json"
    formula, name = (_law(settings, matches), "law") if matches else (formula_if_any(shipped), "shipped")
    rows = _rows(formula, name) if formula else []
    for table in tables:
        own_formula = formula_if_any(table.with_name("formula.json"))
        recommended = own_formula.facts["model"] if own_formula and not formula else ""
        fits = read_table(table).dropna(subset="estimate")
        rows += fits.assign(recommended=fits["model"] == recommended).to_dict("records")
    answer = pd.DataFrame(rows, columns=columns("study/answer")).astype({"match_length": "Int64"})
    facts = origin(Path(out), tables[-1], [*(matches or [shipped]), *tables])
    write_table(answer, Path(out), "study/answer", **facts)


def _law(settings: Settings, matches: Iterable[Path]) -> RatingFormula | None:
    """Return the law of these matches; None if the settings ask for another form or the matches do not determine it."""
    if settings.config["form"] != "law":
        return None
    try:
        points = points_of({path.parent.name: read_checked(path) for path in matches})
        return law(points, fit(points), settings.nets)
    except (UndeterminedError, NothingToFitError, ConvergenceError) as reason:
        print(f"the bilinear form is recommended, since the law is not determined: {reason}")
        return None


def _rows(formula: RatingFormula, model: str) -> list[dict[Any, Any]]:
    """Return the rows of the recommended formula: its coefficients at every match length, then its terms."""
    shared = {
        "model": model,
        "epc_definition": formula.epc_definition,
        "confidence": formula.confidence,
        "recommended": True,
    }
    rows = []
    for length in formula.match_lengths:
        for name in formula.coefficients:
            value = value_2003(name, length, formula.epc_definition)
            rows.append(shared | {"match_length": length, "term": name, "value_2003": value} | formula.at(name, length))
    for (term, (low, high)), estimate in zip(formula.intervals().items(), formula.estimate, strict=True):
        rows.append(shared | {"term": term, "estimate": estimate, "ci_low": low, "ci_high": high})
    return rows
