"""The formulas that the calculator sets side by side, from the results of every engine; with Python alone.

Of an engine: its formula (formula.json), as it is and for errors that deeper levels judge (law/depth.csv); the same for
gnubg's EPC, with the close cube decisions that people have (field/matches.csv); and what a point of PR costs people
(people/pr_gap.csv). Beside them the formula of 2003 and XG's rule.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist, stdev
from typing import Any

from bgrating.places import DATA
from bgrating.rating.terms import at_depth
from bgrating.tables.provenance import verified

OFFSET = 2050.0
"""The rating of a player without errors, as gnubg has it."""
XG_POINTS = 33.0
SCALE_NETS = "1.08"
"""Whose nets judged the people that the scale comes from; other nets take it too."""
COUNT_NAMES = {"moves": "move", "today": "close"}
"""The calculator's name of what cube errors are divided by, by that of a formula file."""
WORDS = {"move": "EPM and cube error per move", "close": "EPM and EPC"}
Factors = Mapping[str, tuple[float, float]]
"""What a deeper analysis multiplies each rate by (epm, and those of rating/rates.py), with its standard error."""
LENGTHS = (3, 23)
"""The match lengths that lines in 1 / N are drawn through."""
STEADY = 500
"""Unforced moves from which a player's share of close cube decisions is known well enough to tell players apart."""


def nets_with_formula() -> list[str]:
    files = (DATA / "results").glob("[0-9]*/formula.json")
    return sorted((file.parent.name for file in files), key=lambda nets: [*map(int, nets.split("."))], reverse=True)


@cache
def formulas() -> list[dict[str, Any]]:
    """Return all formulas. Raises ProvenanceError for a file that differs from its provenance.

    `terms` as in a formula file, or `pr_const` and `pr_inv`; `count` what EPC is divided by, or `pr`. `covariance` and
    `ends` are None where there are none; `lengths` and `depths` where every one will do.
    """
    ours = [
        entry for nets in nets_with_formula() for entry in (*_fitted(nets), *_by_close_decisions(nets), *_people(nets))
    ]
    lines = (row for row in _rows(DATA / "results" / "published" / "coefficients.csv") if not row["match_length"])
    published = {row["term"]: float(row["estimate"]) for row in lines if row["model"] == "bilinear-ols"}
    return [
        *ours, _entry("constants of 2003, as gnubg applies them", "", "close", published),
        _entry(f"XG's rule, {XG_POINTS:.0f} points per PR", "", "pr", {"pr_const": XG_POINTS}),
    ]  # fmt: skip


def scale() -> dict[str, float]:
    """Return what people's errors cost over what the formula gives: `estimate`, `low` and `high` (90 %)."""
    rows = _table(SCALE_NETS, "people", "scale.csv")
    (row,) = (row for row in rows if row["group"] == "all matches")
    return {"estimate": float(row["estimate"]), "low": float(row["ci_low"]), "high": float(row["ci_high"])}


def depth_factors(nets: str) -> Mapping[str, Factors]:
    """Return the factors of every depth that was measured for an engine (1-ply, 2-ply): law/depth.csv."""
    factors: dict[str, dict[str, tuple[float, float]]] = {}
    for row in _table(nets, "law", "depth.csv"):
        factors.setdefault(row["level"], {})[row["rate"]] = float(row["factor"]), float(row["std_error"])
    return factors


def _entry(name: str, nets: str, count: str, terms: dict[str, float], **facts: Any) -> dict[str, Any]:
    about = {"name": name, "nets": nets, "count": count, "terms": list(terms), "estimate": list(terms.values())}
    absent = dict.fromkeys(("covariance", "ends", "lengths", "depths", "limit", "cube_limit"))
    return about | absent | {"apart": False} | facts


def _fitted(nets: str) -> Iterator[dict[str, Any]]:
    text, count = _formula(nets)
    cube = {"move": "cube_per_move", "close": "epc"}[count]
    terms, estimate, covariance = text["terms"], [text["estimate"][term] for term in text["terms"]], text["covariance"]
    models = {"0-ply": (estimate, covariance)}
    for level, factors in depth_factors(nets).items():
        models[level] = at_depth(terms, estimate, covariance, {"epm": factors["epm"], "epc": factors[cube]})
    for level, (values, errors) in models.items():
        yield _entry(
            _name(nets, WORDS[count], level), nets, count, dict(zip(terms, values, strict=True)), covariance=errors,
            lengths=[min(text["match_lengths"]), max(text["match_lengths"])], depths=[level], **_limits(text),
        )  # fmt: skip


def _by_close_decisions(nets: str) -> Iterator[dict[str, Any]]:
    """Yield the formula for gnubg's EPC: with as many close cube decisions per unforced move as people have.

    Their share is a line in 1 / N through the stored field. Shares differ between players, so the ends hold
    90 % of the field's players with STEADY moves. The covariance is that of the engine's formula, without the share's.
    """
    (text, count), matches = _formula(nets), _table(nets, "field", "matches.csv")
    if count != "move" or not matches:
        return
    matches = [row for row in matches if _in_lengths(row) and float(row["unforced_moves"]) > 0]
    names = ("match_length", "unforced_moves", "close_cube_decisions")
    lengths, moves, close = ([float(row[name]) for row in matches] for name in names)
    const, inv = _line(lengths, [c / m for c, m in zip(close, moves, strict=True)], moves)
    totals: dict[str, list[float]] = {}
    for row, length, unforced, decisions in zip(matches, lengths, moves, close, strict=True):
        sums = totals.setdefault(row["player"], [0.0, 0.0, 0.0])
        sums[:] = sums[0] + unforced, sums[1] + decisions, sums[2] + (const + inv / length) * unforced
    steady = [decisions / expected for unforced, decisions, expected in totals.values() if unforced >= STEADY]
    spread = NormalDist().inv_cdf((1 + text["confidence"]) / 2) * stdev(steady)
    shares = {term: 1.0 for term in text["terms"] if term != "b_const"} | {"b_const": const, "b_inv": inv}
    sources = ["b_const" if term == "b_inv" else term for term in shares]
    places, factors = [text["terms"].index(source) for source in sources], list(shares.values())
    estimate = [factor * text["estimate"][source] for factor, source in zip(factors, sources, strict=True)]
    spreads = [[value * (by if term[0] == "b" else 1.0) for term, value in zip(shares, estimate, strict=True)]
               for by in (1 - spread, 1 + spread)]  # fmt: skip
    covariance = [[fi * fj * text["covariance"][i][j] for j, fj in zip(places, factors, strict=True)]
                  for i, fi in zip(places, factors, strict=True)]  # fmt: skip
    yield _entry(
        _name(nets, WORDS["close"]), nets, "close", dict(zip(shares, estimate, strict=True)), covariance=covariance,
        ends=spreads, apart=True, lengths=[1, LENGTHS[1]], depths=["0-ply"], **_limits(text),
    )  # fmt: skip


def _people(nets: str) -> Iterator[dict[str, Any]]:
    """Yield what a point of PR costs people, as a line in 1 / N like the formula's.

    Its interval is that of the table at each length, drawn as lines too.
    """
    rows = [row for row in _table(nets, "people", "pr_gap.csv") if _in_lengths(row)]
    if len(rows) < 2:
        return
    lengths = [int(row["match_length"]) for row in rows]
    estimate, *ends = (
        _line(lengths, [float(row[name]) for row in rows], [1.0] * len(rows))
        for name in ("points_per_pr", "points_low", "points_high")
    )
    yield _entry(
        _name(nets, "PR"), nets, "pr", dict(zip(("pr_const", "pr_inv"), estimate, strict=True)), ends=ends,
        lengths=[min(lengths), max(lengths)], depths=["0-ply"], limit=_formula(nets)[0]["limit"],
    )  # fmt: skip


def _in_lengths(row: dict[str, str]) -> bool:
    return LENGTHS[0] <= int(row["match_length"]) <= LENGTHS[1]


def _name(nets: str, rates: str, level: str = "0-ply") -> str:
    return f"our formula for gnubg {nets}, {rates}{'' if level == '0-ply' else f' at {level}'}"


@cache
def _formula(nets: str) -> tuple[dict[str, Any], str]:
    path = DATA / "results" / nets / "formula.json"
    verified(path)
    text: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return text, COUNT_NAMES[text["epc_definition"]]


def _limits(text: dict[str, Any]) -> dict[str, float]:
    """Return where a formula was measured, and the quantile that its own intervals are made with (Student's t)."""
    term = text["terms"][0]
    low, high = text["interval"][term]
    return {
        "limit": text["limit"], "cube_limit": 1000 * text["cube_limit"],
        "quantile": (high - low) / 2 / text["covariance"][0][0] ** 0.5,
    }  # fmt: skip


def _line(lengths: Sequence[float], values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the constant and the coefficient of 1 / N of a line, by weighted least squares."""
    inverse = [1 / length for length in lengths]
    mass = sum(weights)
    x, y = (sum(w * v for w, v in zip(weights, each, strict=True)) / mass for each in (inverse, values))
    off = [w * (i - x) for w, i in zip(weights, inverse, strict=True)]
    slope = sum(o * v for o, v in zip(off, values, strict=True)) / sum(o * i for o, i in zip(off, inverse, strict=True))
    return [y - slope * x, slope]


def _table(nets: str, *place: str) -> list[dict[str, str]]:
    """Return the rows of a table of an engine's results; none where it is not there."""
    path = DATA.joinpath("results", nets, *place)
    if not path.is_file():
        return []
    verified(path)
    return list(_rows(path))


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))
