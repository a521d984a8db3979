"""Gather the formulas of the results into the one small file that the calculator, its page and others read."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine.nets import kept, known_nets
from bgrating.rating.calculator import SOURCES
from bgrating.rating.choose import Factors, at_depth, by_level
from bgrating.rating.formula import NoFormulaError, read_formula
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS as RATE_COUNTS
from bgrating.tables.tables import read_table, rounded
from study.law import CUBES, LIMIT

*FILES, DEPTH, PEOPLE = SOURCES
COUNTS = {"moves": "move", "today": "close", "games": "game"}
"""The calculator's name of what cube errors are divided by, by that of a formula file."""
WORDS = {
    "move": "cube errors per unforced move",
    "close": "cube errors per close decision",
    "game": "cube errors per game",
}
OFFSET = 2050.0
XG_POINTS = 33.0


def gathered() -> dict[str, Any]:
    """Return the formulas as formulas.json holds them: those of each engine, the published one, XG's rule.

    `terms` as in a formula file, or `pr_const` and `pr_inv`; `count` what EPC is divided by, or `pr`; `lengths` the
    least and greatest match length it was measured at, None for every one; `covariance` None where there is none.
    """
    own = [one for nets in known_nets() for one in (*_fitted(nets), *_of_people(nets))]
    return {"offset": OFFSET, "limit": LIMIT, "cube_limit": 1000 * CUBES, "formulas": [*own, _published(), _xg()]}


def text() -> str:
    """Return formulas.json."""
    return json.dumps(rounded(gathered()), indent=1, allow_nan=False) + "\n"


def _fitted(nets: str) -> Iterator[dict[str, Any]]:
    for name in FILES:
        path = kept(nets) / name
        if not path.is_file():
            continue
        try:
            formula = read_formula(path)
        except NoFormulaError:
            continue
        count = COUNTS.get(formula.epc_definition)
        if count is None or not formula.every_length:
            continue
        rate = RATE_COUNTS[formula.epc_definition].rate
        deeper = {level: at_depth(formula, own) for level, own in _factors(nets).items() if {"epm", rate} <= set(own)}
        for level, one in {"0-ply": formula, **deeper}.items():
            yield {
                "name": f"the law for gnubg {nets}, {WORDS[count]}{'' if one is formula else f', at {level}'}",
                "nets": nets,
                "count": count,
                "terms": list(one.terms),
                "estimate": one.estimate.tolist(),
                "covariance": one.covariance.tolist() if np.all(np.isfinite(one.covariance)) else None,
                "ends": None,
                "quantile": one.half_width(1.0),
                "confidence": one.confidence,
                "lengths": [min(one.match_lengths), max(one.match_lengths)],
                "depths": [level],
                "n_matches": int(one.facts["n_matches"]),
            }


def _factors(nets: str) -> dict[str, Factors]:
    path = kept(nets) / DEPTH
    return by_level(read_table(path)) if path.is_file() else {}


def _of_people(nets: str) -> Iterator[dict[str, Any]]:
    """Yield what a point of PR costs people (results/<nets>/people/pr_gap.csv), as a line in 1 / N like the formula's.

    Its interval is that of the table at each length, drawn as lines too.
    """
    path = kept(nets) / PEOPLE
    if not path.is_file():
        return
    rows = read_table(path)
    rows = rows[rows["match_length"].between(3, 23)]
    if len(rows) < 2:
        return
    lengths, first = rows["match_length"].to_numpy(int), rows.iloc[0]
    design = np.column_stack([np.ones(len(rows)), 1 / lengths])
    estimate = _line(design, rows, "points_per_pr")
    yield {
        "name": f"people's PR by gnubg {nets}, their errors split as {first['n_players']:.0f} players' are",
        "nets": nets,
        "count": "pr",
        "terms": ["pr_const", "pr_inv"],
        "estimate": estimate.tolist(),
        "covariance": None,
        "ends": [_line(design, rows, end).tolist() for end in ("points_low", "points_high")],
        "confidence": float(first["confidence"]),
        "lengths": [int(lengths.min()), int(lengths.max())],
        "depths": ["0-ply"],
        "n_matches": int(first["n_matches"]),
    }


def _line(design: Any, rows: pd.DataFrame, column: str) -> Any:
    return np.linalg.lstsq(design, rows[column].to_numpy(float), rcond=None)[0]


def _published() -> dict[str, Any]:
    formula = published_formula("bilinear")
    about = {"name": "published formula (2003), as gnubg applies it", "nets": "", "count": "close", "depths": None}
    return _without_interval(about, list(formula.terms), formula.estimate.tolist())


def _xg() -> dict[str, Any]:
    about = {"name": f"XG's rule, {XG_POINTS:.0f} points per PR", "nets": "", "count": "pr", "depths": None}
    return _without_interval(about, ["pr_const"], [XG_POINTS])


def _without_interval(about: Mapping[str, Any], terms: list[str], estimate: list[float]) -> dict[str, Any]:
    return {**about, "terms": terms, "estimate": estimate, "covariance": None, "ends": None, "lengths": None}
