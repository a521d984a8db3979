"""Gather the formulas of the results into the one small file that the calculator, its page and others read."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click
import numpy as np

from bgrating.engine.nets import committed_results, known_nets
from bgrating.rating.calculator import FILE, SOURCES
from bgrating.rating.choose import at_depth, by_level
from bgrating.rating.files import field_table
from bgrating.rating.formula import read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.published import published_formula
from bgrating.rating.rates import COUNTS as RATE_COUNTS
from bgrating.tables.provenance import write_atomic
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
    """Return the formulas as formulas.json holds them: those of each engine, the published one, XG's rule."""
    of_nets = [
        formula for nets in known_nets() for formula in (*_fitted(nets), *_by_close_decisions(nets), *_of_people(nets))
    ]
    published = published_formula("bilinear")
    others = [
        _entry("constants of 2003, as gnubg applies them", "", "close", published.terms, published.estimate.tolist()),
        _entry(f"XG's rule, {XG_POINTS:.0f} points per PR", "", "pr", ["pr_const"], [XG_POINTS]),
    ]
    about = {"offset": OFFSET, "limit": LIMIT, "cube_limit": 1000 * CUBES, "scale": _scale()}
    return about | {"formulas": of_nets + others}


def text() -> str:
    return json.dumps(rounded(gathered()), indent=1, allow_nan=False) + "\n"


@click.command()
def command() -> None:
    """Gather the formulas of the results for the calculator."""
    write_atomic(FILE, text())


def _entry(
    name: str, nets: str, count: str, terms: Iterable[str], estimate: list[float], **facts: Any
) -> dict[str, Any]:
    """Return a formula as formulas.json holds it.

    `terms` as in a formula file, or `pr_const` and `pr_inv`; `count` what EPC is divided by, or `pr`. Of `facts`
    `lengths` is the least and greatest match length it was measured at, None for every one; `covariance` None where
    there is none.
    """
    about = {"name": name, "nets": nets, "count": count, "terms": list(terms), "estimate": estimate}
    return about | {"covariance": None, "ends": None, "apart": False, "lengths": None, "depths": None} | facts


def _scale() -> dict[str, float]:
    """Return what people's errors cost over what the formula gives, with its interval (rating/calculator.py)."""
    rows = read_table(committed_results(NETS) / SCALE)
    row = rows[(rows["group"] == "all matches") & (rows["estimator"] == "all estimators")].iloc[0]
    return {name: float(row[column]) for name, column in (("estimate",) * 2, ("low", "ci_low"), ("high", "ci_high"))}


def _fitted(nets: str) -> Iterator[dict[str, Any]]:
    """Yield the formula of an engine, as it is and for errors that deeper levels judge."""
    path, depths = committed_results(nets) / FORMULA, committed_results(nets) / DEPTH
    if not path.is_file():
        return
    formula = read_formula(path)
    count, rate = COUNTS[formula.epc_definition], RATE_COUNTS[formula.epc_definition].rate
    factors = by_level(read_table(depths)) if depths.is_file() else {}
    deeper = {level: at_depth(formula, known) for level, known in factors.items() if {"epm", rate} <= set(known)}
    for level, model in {"0-ply": formula, **deeper}.items():
        yield _entry(
            _name(nets, WORDS[count], level), nets, count, model.terms, model.estimate.tolist(),
            covariance=model.covariance.tolist() if np.all(np.isfinite(model.covariance)) else None,
            quantile=model.half_width(1.0), confidence=model.confidence,
            lengths=[min(model.match_lengths), max(model.match_lengths)], depths=[level],
            n_matches=int(model.facts["n_matches"]),
        )  # fmt: skip


def _name(nets: str, rates: str, level: str = "0-ply") -> str:
    return f"our formula for gnubg {nets}, {rates}{'' if level == '0-ply' else f' at {level}'}"


def _by_close_decisions(nets: str) -> Iterator[dict[str, Any]]:
    """Yield the formula for gnubg's EPC: with as many close cube decisions per unforced move as people have.

    Their share is a line in 1 / N through the stored field. Shares differ between players, so the ends hold
    90 % of the field's players with STEADY moves. The covariance is that of the engine's formula, without the share's.
    """
    path, table = committed_results(nets) / FORMULA, field_table(nets)
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
    estimate, low, high = ([*chequer, *(by * values["b_const"] * line)] for by in (1.0, 1 - spread, 1 + spread))
    terms = ["a2_const", "a2_inv", "a2_one", "b_const", "b_inv"]
    shares = {"b_const": line[0], "b_inv": line[1]}
    places = [formula.terms.index("b_const" if term in shares else term) for term in terms]
    factors = np.array([shares.get(term, 1.0) for term in terms])
    covariance = np.outer(factors, factors) * formula.covariance[np.ix_(places, places)]
    yield _entry(
        _name(nets, WORDS["close"]), nets, "close", terms, estimate,
        covariance=covariance.tolist(), quantile=formula.half_width(1.0), ends=[low, high], apart=True,
        confidence=CONFIDENCE, lengths=[1, 23], depths=["0-ply"], n_matches=len(matches),
    )  # fmt: skip


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
    lengths = rows["match_length"].to_numpy(int)
    design = np.column_stack([np.ones(len(rows)), 1 / lengths])
    figures = rows[["points_per_pr", "points_low", "points_high"]].to_numpy(float)
    estimate, *ends = np.linalg.lstsq(design, figures, rcond=None)[0].T.tolist()
    yield _entry(
        _name(nets, "PR"), nets, "pr", ["pr_const", "pr_inv"], estimate, ends=ends,
        confidence=float(rows["confidence"].iloc[0]), lengths=[int(lengths.min()), int(lengths.max())],
        depths=["0-ply"], n_matches=int(rows["n_matches"].iloc[0]),
    )  # fmt: skip
