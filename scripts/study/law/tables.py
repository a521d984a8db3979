"""The formula of an engine and the table of its terms, from the frozen matches of its studies."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from bgrating.engine.known_engines import shared_version
from bgrating.play.match_tables import read_checked
from bgrating.rating.formula import read_formula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.table_files import write_all
from study.law.fit import Fitted, fit, formula, points_of


def coefficients(model: str, fitted: Fitted) -> pd.DataFrame:
    """Return the terms of a fit (law/coefficients)."""
    low, high = fitted.interval()
    rows = {
        "model": model,
        "term": fitted.terms,
        "estimate": fitted.estimate,
        "std_error": fitted.std_error,
        "ci_low": low,
        "ci_high": high,
        "confidence": CONFIDENCE,
        "chi_square": fitted.chi_square,
        "chi_square_dof": fitted.chi_square_dof,
        "n_pairs": fitted.pairs,
        "n_points": fitted.n_points,
        "n_matches": fitted.n_matches,
    }
    return pd.DataFrame(rows, columns=columns("law/coefficients"))


def make(
    matches: Iterable[Path],
    engine_version: str,
    results: Path,
    formulas_of_others: Iterable[Path] = (),
) -> None:
    """Write the table of the law's terms (law/coefficients) and the formula of an engine.

    `matches`: files of matches, one per study, with their provenance. `results`: the folder of
    this version. Its formula.json is replaced in one step at the end. `formulas_of_others`: the
    formulas of other versions. Raises UndeterminedError, and MixedVersionsError for matches that
    another version analysed.
    """
    studies = {}
    played = {}
    for path in matches:
        provenance = read_provenance(path)
        studies[provenance["study"]] = provenance
        played[provenance["study"]] = read_checked(path)
    shared_version({name: studies[name]["engine"] for name in studies}, engine_version)
    points = points_of(played)
    fitted = fit(points)
    with one_provenance(results / "law" / "law_tables.provenance.json"):
        tables = {"coefficients": coefficients("law", fitted)}
        write_all(tables, results / "law", "law", studies=studies, nets=engine_version)
    law = formula(points, fitted, engine_version)
    # Few pairs of one kind do not show the scatter of players, so all engines use the largest
    # scatter of any.
    shipped = law.metadata | {"tau_of": engine_version, "own_tau": law.metadata["tau"]}
    for path in formulas_of_others:
        facts = read_formula(path).metadata
        if facts["own_tau"] > shipped["tau"]:
            shipped |= {
                "tau_of": facts["nets"],
                "tau": facts["own_tau"],
                "tau_interval": facts["tau_interval"],
            }
    law = replace(law, metadata=shipped)
    law.write(results / "formula.json", studies=studies, nets=engine_version)
