"""The formulas that the calculator compares, read from the results of every engine without numpy or
pandas.

An engine has its formula (formula.json), for errors that 0-ply finds. The same formula takes other
rates: gnubg's EPC, by the share of close cube decisions of people (people/close.csv), and PR, by
the rates that go with a point of PR (people/per_pr.csv). The others are the formula of 2003 and
XG's rule.
"""

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bgmatch.records import Json, Record
from bgrating import BgratingError
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.formula_reader import fitted_content, formula_of, results_of
from bgrating.tables.provenance import verified

Entry = Json
"""A formula with its facts (`of_nets`)."""
Rows = list[dict[str, str]]

XG_POINTS = 33.0
NETS = ("1.08", "1.07.001")
"""The engines that have a formula, the newest first: those of gnubg_configs/engines, which need
YAML."""
PEOPLE_NETS = "1.08"
"""The nets that judged all matches of people; their results about people serve for other nets too.
"""
WORDS = {"move": "EPM and cube error per move", "close": "EPM and EPC"}


class KnownError(BgratingError, ValueError):
    """The results that the calculator reads are missing."""


def nets_with_formula() -> list[str]:
    return [nets for nets in NETS if formula_of(nets).is_file()]


@cache
def of_nets(nets: str) -> list[Entry]:
    """Return the formulas of an engine of NETS. Raises FormulaError, KnownError or ProvenanceError.

    `terms`, `estimate` and `covariance` (None if unknown) are as in a formula file. `count` is the
    divisor of EPC, or `pr`. `share` and `per_pr` turn a player's rates into those of the terms
    (rating/calculator.py), with their errors. `lengths` is None if the formula holds at every one.
    `player_scatter` is relative.
    """
    return [*_fitted(nets), *_by_close(nets), *_by_pr(nets)]


@cache
def of_others() -> list[Entry]:
    """Return the formulas of others, in the same form."""
    published = {
        row["term"]: float(row["estimate"])
        for row in _rows(results_of("published") / "coefficients.csv")
        if row["model"] == "bilinear-ols" and not row["match_length"]
    }
    return [
        _entry("constants of 2003, as gnubg applies them", "", "close", published),
        _entry(f"XG's rule, {XG_POINTS:.0f} points per PR", "", "pr", {"pr_const": XG_POINTS}),
    ]


@cache
def people_error() -> float:
    """Return the relative standard error of a difference between people by our formula.

    The formula was fitted to simulated players, and people's errors may cost more or less
    (people/factor.csv). Raises KnownError if the table is missing.
    """
    rows = _table(PEOPLE_NETS, "people", "factor.csv")
    return next(float(row["relative_error"]) for row in rows if row["group"] == "all matches")


def _entry(name: str, nets: str, count: str, terms: Mapping[str, float], **facts: Any) -> Entry:
    about = {
        "name": name,
        "nets": nets,
        "count": count,
        "terms": list(terms),
        "estimate": list(terms.values()),
    }
    absent = dict.fromkeys(("covariance", "lengths", "limit", "cube_limit", "share", "per_pr"))
    return about | absent | facts


def _fitted(nets: str) -> Iterator[Entry]:
    text = fitted_content(nets)
    count = _count(text)
    yield _entry(_name(nets, WORDS[count]), nets, count, text["estimate"], **_facts(text))


def _by_close(nets: str) -> Iterator[Entry]:
    """Yield the formula for gnubg's EPC, by the close cube decisions per unforced move of
    people.
    """
    text = fitted_content(nets)
    if nets != PEOPLE_NETS or _count(text) != "move":
        return
    for row in _table(nets, "people", "close.csv"):
        share = [float(row["share_const"]), float(row["share_inv"])]
        about = {**_facts(text), "share": share, "share_error": float(row["relative_error"])}
        yield _entry(_name(nets, WORDS["close"]), nets, "close", text["estimate"], **about)


def _by_pr(nets: str) -> Iterator[Entry]:
    """Yield the formula for PR, by the EPM and the cube error per move that go with a point of
    PR.
    """
    text = fitted_content(nets)
    rows = _table(nets, "people", "per_pr.csv")
    if _count(text) != "move":
        return
    chequer, cube = rows
    per_pr = {
        name: {"epm": float(chequer[name]), "epc": float(cube[name])}
        for name in ("ratio", "relative_error", "slope", "std_error")
    }
    about = {**_facts(text), "per_pr": per_pr}
    yield _entry(_name(nets, "PR"), nets, "pr", text["estimate"], **about)


def _name(nets: str, rates: str) -> str:
    return f"our formula for gnubg {nets}, {rates}"


def _count(text: Record) -> str:
    return COUNTS[text["epc_definition"]].option


def _facts(text: Entry) -> Entry:
    """Return the facts that the formulas of an engine share.

    Its domain, and the sources of its uncertainty.

    `quantile` is the half-width of its intervals in standard errors (Student's t).
    """
    low, high = text["interval"][text["terms"][0]]
    return {
        "covariance": text["covariance"],
        "quantile": (high - low) / 2 / text["covariance"][0][0] ** 0.5,
        "player_scatter": text["tau"],
        "lengths": text["match_lengths"],
        "limit": text["limit"],
        "cube_limit": 1000 * text["cube_limit"],
    }


def _table(nets: str, *place: str) -> Rows:
    """Return the rows of a table of an engine's results.

    Raises KnownError if it is missing, or ProvenanceError.
    """
    path = results_of(nets).joinpath(*place)
    if not path.is_file():
        raise KnownError(f"{path} is missing: restore it from the repository")
    verified(path)
    return _rows(path)


def _rows(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))
