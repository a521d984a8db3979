"""Gather the formulas of the results into the one small file that the calculator, its page and others read."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine.nets import committed_results, known_nets
from bgrating.rating.calculator import SOURCES
from bgrating.rating.choose import Factors, at_depth, by_level
from bgrating.rating.files import field_table
from bgrating.rating.formula import read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS as RATE_COUNTS
from bgrating.tables.tables import read_table, rounded
from study.law import CUBES, LIMIT

FORMULA, DEPTH, PEOPLE, SCALE, _ = SOURCES
NETS = "1.08"
"""Whose nets judged the people that the scale comes from."""
COUNTS = {"moves": "move", "today": "close"}
"""The calculator's name of what cube errors are divided by, by that of a formula file."""
WORDS = {"move": "EPM and cube error per move", "close": "EPM and EPC"}
STEADY = 500
"""Unforced moves from which a player's share of close cube decisions is known well enough to tell players apart."""
OFFSET = 2050.0
XG_POINTS = 33.0


def gathered() -> dict[str, Any]:
    """Return the formulas as formulas.json holds them: those of each engine, the published one, XG's rule.

    `terms` as in a formula file, or `pr_const` and `pr_inv`; `count` what EPC is divided by, or `pr`; `lengths` the
    least and greatest match length it was measured at, None for every one; `covariance` None where there is none.
    """
    formulas = [
        formula for nets in known_nets() for formula in (*_fitted(nets), *_by_close_decisions(nets), *_of_people(nets))
    ]
    about = {"offset": OFFSET, "limit": LIMIT, "cube_limit": 1000 * CUBES, "scale": _scale()}
    return about | {"formulas": [*formulas, _published(), _xg()]}


def _scale() -> dict[str, float]:
    """Return what people's errors cost over what the formula gives, with its interval (rating/calculator.py)."""
    rows = read_table(committed_results(NETS) / SCALE)
    row = rows[(rows["group"] == "all matches") & (rows["estimator"] == "all estimators")].iloc[0]
    return {name: float(row[column]) for name, column in (("estimate",) * 2, ("low", "ci_low"), ("high", "ci_high"))}


def text() -> str:
    return json.dumps(rounded(gathered()), indent=1, allow_nan=False) + "\n"


def _fitted(nets: str) -> Iterator[dict[str, Any]]:
    path = committed_results(nets) / FORMULA
    if path.is_file():
        formula = read_formula(path)
        count = COUNTS[formula.epc_definition]
        rate = RATE_COUNTS[formula.epc_definition].rate
        deeper = {
            level: at_depth(formula, factors)
            for level, factors in _factors(nets).items()
            if {"epm", rate} <= set(factors)
        }
        for level, model in {"0-ply": formula, **deeper}.items():
            yield {
                "name": _name(nets, WORDS[count], level),
                "nets": nets,
                "count": count,
                "terms": list(model.terms),
                "estimate": model.estimate.tolist(),
                "covariance": model.covariance.tolist() if np.all(np.isfinite(model.covariance)) else None,
                "ends": None,
                "apart": False,
                "quantile": model.half_width(1.0),
                "confidence": model.confidence,
                "lengths": [min(model.match_lengths), max(model.match_lengths)],
                "depths": [level],
                "n_matches": int(model.facts["n_matches"]),
            }


def _name(nets: str, rates: str, level: str = "0-ply") -> str:
    return f"our formula for gnubg {nets}, {rates}{'' if level == '0-ply' else f' at {level}'}"


def _by_close_decisions(nets: str) -> Iterator[dict[str, Any]]:
    """Yield the formula for gnubg's EPC: with as many close cube decisions per unforced move as people have.

    Their share is a line in 1 / N through the stored field. Shares differ between players, so the ends hold
    90 % of the field's players with STEADY moves. The coefficients' own errors are far smaller.
    """
    path = committed_results(nets) / FORMULA
    table = field_table(nets)
    if not (path.is_file() and table.is_file()):
        return
    formula, matches = read_formula(path), read_table(table)
    matches = matches[matches["match_length"].between(3, 23) & (matches["unforced_moves"] > 0)]
    weight = np.sqrt(matches["unforced_moves"].to_numpy(float))
    design = np.column_stack([np.ones(len(matches)), 1 / matches["match_length"].to_numpy(float)])
    share = matches["close_cube_decisions"].to_numpy(float) / matches["unforced_moves"].to_numpy(float)
    line = np.linalg.lstsq(design * weight[:, None], share * weight, rcond=None)[0]
    expected = matches.assign(expected=(design @ line) * matches["unforced_moves"])
    players = expected.groupby("player")[["unforced_moves", "close_cube_decisions", "expected"]].sum()
    steady = players[players["unforced_moves"] >= STEADY]
    spread = quantile(CONFIDENCE) * float((steady["close_cube_decisions"] / steady["expected"]).std())
    values = dict(zip(formula.terms, formula.estimate, strict=True))
    chequer = [values["a2_const"], values["a2_inv"], values["a2_one"]]

    def estimate(by: float) -> list[float]:
        return [*chequer, *(by * values["b_const"] * line)]

    yield {
        "name": _name(nets, WORDS["close"]),
        "nets": nets,
        "count": "close",
        "terms": ["a2_const", "a2_inv", "a2_one", "b_const", "b_inv"],
        "estimate": estimate(1.0),
        "covariance": None,
        "ends": [estimate(1 - spread), estimate(1 + spread)],
        "apart": True,
        "confidence": CONFIDENCE,
        "lengths": [1, 23],
        "depths": ["0-ply"],
        "n_matches": len(matches),
    }


def _factors(nets: str) -> dict[str, Factors]:
    path = committed_results(nets) / DEPTH
    return by_level(read_table(path)) if path.is_file() else {}


def _of_people(nets: str) -> Iterator[dict[str, Any]]:
    """Yield what a point of PR costs people (results/<nets>/people/pr_gap.csv), as a line in 1 / N like the formula's.

    Its interval is that of the table at each length, drawn as lines too.
    """
    path = committed_results(nets) / PEOPLE
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
        "name": _name(nets, "PR"),
        "nets": nets,
        "count": "pr",
        "terms": ["pr_const", "pr_inv"],
        "estimate": estimate.tolist(),
        "covariance": None,
        "ends": [_line(design, rows, end).tolist() for end in ("points_low", "points_high")],
        "apart": False,
        "confidence": float(first["confidence"]),
        "lengths": [int(lengths.min()), int(lengths.max())],
        "depths": ["0-ply"],
        "n_matches": int(first["n_matches"]),
    }


def _line(design: Any, rows: pd.DataFrame, column: str) -> Any:
    return np.linalg.lstsq(design, rows[column].to_numpy(float), rcond=None)[0]


def _published() -> dict[str, Any]:
    formula = published_formula("bilinear")
    about = {"name": "constants of 2003, as gnubg applies them", "nets": "", "count": "close", "depths": None}
    return _without_interval(about, list(formula.terms), formula.estimate.tolist())


def _xg() -> dict[str, Any]:
    about = {"name": f"XG's rule, {XG_POINTS:.0f} points per PR", "nets": "", "count": "pr", "depths": None}
    return _without_interval(about, ["pr_const"], [XG_POINTS])


def _without_interval(about: Mapping[str, Any], terms: list[str], estimate: list[float]) -> dict[str, Any]:
    return {
        **about,
        "terms": terms,
        "estimate": estimate,
        "covariance": None,
        "ends": None,
        "apart": False,
        "lengths": None,
    }
