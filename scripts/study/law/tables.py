"""The formula of an engine and the table of its terms, from the frozen matches of its studies."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.engine.known_engines import shared_version
from bgrating.play.match_tables import read_checked
from bgrating.rating.formula import read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.table_files import write_all
from study.law.fit import Fitted, fit, formula, points_of


def coefficients(model: str, fitted: Fitted) -> pd.DataFrame:
    """Return the terms of a fit (law/coefficients)."""
    error = np.sqrt(np.diag(fitted.covariance))
    half = quantile(CONFIDENCE, fitted.pairs - 1) * error
    rows = {
        "model": model,
        "term": fitted.terms,
        "estimate": fitted.estimate,
        "std_error": error,
        "ci_low": fitted.estimate - half,
        "ci_high": fitted.estimate + half,
        "confidence": CONFIDENCE,
        "chi_square": fitted.chi_square,
        "chi_square_dof": len(fitted.inside) - len(fitted.terms),
        "n_pairs": fitted.pairs,
        "n_points": len(fitted.inside),
        "n_matches": int(fitted.inside.matches.sum()),
    }
    return pd.DataFrame(rows, columns=columns("law/coefficients"))


def make(
    matches: Iterable[Path], engine_version: str, results: Path, others: Iterable[Path] = ()
) -> None:
    """Write the table of the law's terms (law/coefficients) and the formula of an engine.

    `matches`: files of matches, one per study, with their provenance. `results`: the folder of
    this version. Its formula.json is replaced in one step at the end. `others`: formulas of other
    nets. Raises UndeterminedError, and MixedVersionsError for matches that other nets judged.
    """
    facts = {path: read_provenance(path) for path in matches}
    studies = {fact["study"]: fact for fact in facts.values()}
    shared_version({name: fact["engine"] for name, fact in studies.items()}, engine_version)
    points = points_of({fact["study"]: read_checked(path) for path, fact in facts.items()})
    fitted = fit(points)
    with one_provenance(results / "law" / "law_tables.provenance.json"):
        tables = {"coefficients": coefficients("law", fitted)}
        write_all(tables, results / "law", "law", studies=studies, nets=engine_version)
    found = formula(points, fitted, engine_version)
    # Few pairs of one kind do not show the scatter of players, so all engines use the largest
    # scatter of any.
    shipped = found.facts | {"tau_of": engine_version, "own_tau": found.facts["tau"]}
    for path in others:
        other = read_formula(path).facts
        if other["own_tau"] > shipped["tau"]:
            shipped |= {
                "tau_of": other["nets"],
                "tau": other["own_tau"],
                "tau_interval": other["tau_interval"],
            }
    replace(found, facts=shipped).write(
        results / "formula.json", studies=studies, nets=engine_version
    )
