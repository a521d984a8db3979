"""The formulas that the calculator compares, read from results without numpy or pandas.

An engine has its formula (formula.json), for errors that 0-ply finds. It takes gnubg's EPC by the
share of close cube decisions of people (people/close.csv). It takes PR by the rates that go with a
point of PR (people/per_pr.csv). The others are the formula of 2003 and XG's rule.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.rating.formula_reader import fitted_formula_json
from bgrating.rating.result_files import results_of
from bgrating.tables.provenance import verified

Entry = Json
"""A formula with its facts (`of_version`)."""
Rows = list[dict[str, str]]

XG_POINTS = 33.0
ENGINE_VERSIONS = ("1.08", "1.07.001")
"""The engines that have a formula, the newest first: those of gnubg_configs/engines, which need
YAML."""
PEOPLE_VERSION = "1.08"
"""The version that judged all matches of people; these results serve for other versions too."""


class KnownError(BgratingError, ValueError):
    """The results that the calculator reads are missing."""


@cache
def of_version(engine_version: str) -> list[Entry]:
    """Return the formulas of one of ENGINE_VERSIONS.

    Raises FormulaError, KnownError or ProvenanceError.

    `terms`, `estimate` and `covariance` (None if unknown) are as in a formula file. `count` is the
    divisor of EPC, or `pr`. `share` and `per_pr` turn a player's rates into those of the terms
    (rating/calculator.py), with their errors. `lengths` is None if the formula holds at every one.
    `player_scatter` is relative. `quantile` is the half-width of intervals in standard errors.
    """
    formula_json = fitted_formula_json(engine_version)
    covariance = formula_json["covariance"]
    low, high = formula_json["interval"][formula_json["terms"][0]]
    ours = f"our formula for gnubg {engine_version}, "
    formula = _entry(engine_version, formula_json["estimate"]) | {
        "covariance": covariance,
        "quantile": (high - low) / 2 / covariance[0][0] ** 0.5,
        "player_scatter": formula_json["tau"],
        "lengths": formula_json["match_lengths"],
        "limit": formula_json["limit"],
        "cube_limit": 1000 * formula_json["cube_limit"],
    }
    chequer, cube = _people(engine_version, "per_pr.csv")
    per_pr = {
        name: {"epm": float(chequer[name]), "epc": float(cube[name])}
        for name in ("ratio", "relative_error", "slope", "std_error")
    }
    by_close = _people(engine_version, "close.csv") if engine_version == PEOPLE_VERSION else []
    return [
        formula | {"name": f"{ours}EPM and cube error per move", "count": "move"},
        *(formula | {"name": f"{ours}EPM and EPC", "count": "close"} | _share(r) for r in by_close),
        formula | {"name": f"{ours}PR", "count": "pr", "per_pr": per_pr},
    ]


@cache
def of_others() -> list[Entry]:
    """Return the formulas of other authors, in the same form."""
    of_2003 = {"name": "constants of 2003, as gnubg applies them", "count": "close"}
    of_xg = {"name": f"XG's rule, {XG_POINTS:.0f} points per PR", "count": "pr"}
    return [
        _entry("", published_terms("bilinear")) | of_2003,
        _entry("", {"pr_const": XG_POINTS}) | of_xg,
    ]


def published_terms(form: str) -> dict[str, float]:
    """Return the coefficients of 2003 by term: `linear` (Part I) or `bilinear` (Part II)."""
    rows = _rows(results_of("published") / "coefficients.csv")
    return {
        row["term"]: float(row["estimate"])
        for row in rows
        if row["model"] == f"{form}-ols" and not row["match_length"]
    }


@cache
def people_error() -> float:
    """Return the relative standard error of a difference between people by our formula.

    The formula was fitted to simulated players, and people's errors may cost more or less
    (people/factor.csv). Raises KnownError if the table is missing.
    """
    rows = _people(PEOPLE_VERSION, "factor.csv")
    return next(float(row["relative_error"]) for row in rows if row["group"] == "all matches")


def _entry(engine_version: str, terms: Mapping[str, float]) -> Entry:
    unknown = dict.fromkeys(("covariance", "lengths", "limit", "cube_limit", "share", "per_pr"))
    values = {"nets": engine_version, "terms": list(terms), "estimate": list(terms.values())}
    return unknown | values


def _share(row: dict[str, str]) -> Json:
    """Return the close cube decisions per unforced move of people, as a line in 1/N."""
    share = [float(row["share_const"]), float(row["share_inv"])]
    return {"share": share, "share_error": float(row["relative_error"])}


def _people(engine_version: str, name: str) -> Rows:
    """Return the rows of a table about people by the judgements of an engine.

    Raises KnownError if it is missing, or ProvenanceError.
    """
    path = results_of(engine_version) / "people" / name
    if not path.is_file():
        raise KnownError(f"{path} is missing: restore it from the repository")
    verified(path)
    return _rows(path)


def _rows(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))
