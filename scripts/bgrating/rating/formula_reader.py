"""Read a formula file: the one reader of every command and of the API.

It needs Python alone, as `calc` does.

A file is refused if a part is impossible by itself, or if two of its parts contradict each other.
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

from bgmatch.records import Json, Record
from bgrating import BgratingError
from bgrating.places import DATA
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.terms import MULTIPLIES, multipliers, total
from bgrating.tables.provenance import has_provenance, verified
from bgrating.tables.regular import regular

_LARGEST = 10**6
"""Largest size of a formula file in bytes; those of studies have a few thousand."""
_REQUIRED = (
    "formula",
    "terms",
    "estimate",
    "covariance",
    "dof",
    "confidence",
    "epc_definition",
    "match_lengths",
)
_TERMS = (
    ({"a2_const", "b_const"}, {"a2_const", "a2_inv", "a2_one", "b_const", "b_inv", "b_one"}),
    ({"a_const"}, {"a_const", "a_inv", "a_one"}),
    ({"a2", "b"}, {"a2", "b"}),
    ({"a"}, {"a"}),
)
"""The terms that each kind of formula has at least, and those that it may have."""
_BOUNDS = {
    "dof": (1.0, 1e12),
    "confidence": (0.001, 0.999),
    "limit": (1e-6, 1e6),
    "cube_limit": (1e-6, 1e3),
    "tau": (0.0, 10.0),
    "n_points": (0.0, 1e9),
    "n_matches": (0.0, 1e9),
}
"""Smallest and largest value of the numbers of a file."""
_RATES = {*MULTIPLIES.values()} - {"pr"}


class FormulaError(BgratingError, ValueError):
    """A formula file cannot be read, or a formula does not hold at a match length."""


class NoFormulaError(FormulaError):
    """A formula file without a formula, since its study determines none.

    `reason` is from the file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} holds no formula: {reason}")
        self.reason = reason


def results_of(name: str) -> Path:
    """Return the folder of an engine's results, by its nets, or `published`."""
    return DATA / "results" / name


def formula_of(nets: str) -> Path:
    return results_of(nets) / "formula.json"


@cache
def fitted_content(nets: str) -> Json:
    """Return the content of an engine's own formula file, which must have its provenance and be of
    these nets.

    Raises FormulaError or ProvenanceError.
    """
    path = formula_of(nets)
    content = rating_content(path)
    verified(path)
    if content.get("nets") != nets:
        raise FormulaError(
            f"{path} is for errors as gnubg {content.get('nets')} judges them, not {nets}: restore"
            " the file from the repository, or pass it as --formula FILE"
        )
    if not content.get("interval"):
        raise FormulaError(f"{path} has no intervals: restore the file from the repository")
    return content


def rating_content(path: Path) -> Json:
    """Return the content of a formula file that may rate: every error costs points.

    Raises as `formula_content`.
    """
    content = formula_content(path)
    terms = content["terms"]
    values = list(map(content["estimate"].get, content["terms"]))
    for name in dict.fromkeys(term.partition("_")[0] for term in terms):
        rates = {rate: float(rate == MULTIPLIES[name]) for rate in MULTIPLIES.values()}
        for length in content["match_lengths"]:
            value = total(multipliers(terms, length, rates), values)
            if value <= 0 and (name, length) != ("b", 1):  # a match to 1 point has no cube
                raise FormulaError(
                    f"{path}: {name} is {value:g} at {length} points, but errors cost points; fit"
                    " it to more matches"
                )
    return content


def formula_content(path: Path) -> Json:
    """Return the checked content of a formula file.

    Its checksum is verified if it has a provenance.

    Raises FormulaError with the file and the first problem, NoFormulaError if its study determines
    no formula, and ProvenanceError if its bytes have changed.
    """
    try:
        with regular(path, _LARGEST, through_links=True) as file:
            text = file.read().decode("utf-8")
        content = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except (OSError, ValueError, RecursionError) as error:
        raise FormulaError(
            f"{path} is not a rating formula, a JSON file that `fit` writes: {error}"
        ) from error
    if has_provenance(path):
        verified(path)
    if isinstance(content, dict) and content.get("formula", "") is None:
        raise NoFormulaError(path, str(content.get("reason", "")))
    try:
        _check(content)
    except ValueError as problem:
        raise FormulaError(f"{path}: {problem}; `fit` writes formula files") from problem
    return dict(content)


def half_width(confidence: float, dof: float) -> float:
    """Return half the width of an interval in standard errors, by Student's t with `dof` degrees of
    freedom.
    """
    if dof > 1e7:  # t is normal then
        return NormalDist().inv_cdf((1 + confidence) / 2)
    low = 0.0
    high = 1.0
    while _coverage(high, dof) < confidence:
        low = high
        high = 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        if _coverage(middle, dof) < confidence:
            low = middle
        else:
            high = middle
    return high


def _coverage(width: float, dof: float, panels: int = 200) -> float:
    """Return the probability that Student's t is within `width` of 0, by Simpson's rule.

    With t = sqrt(dof) tan(x) the density is a constant times cos(x)^(dof - 1).
    """
    step = math.atan(width / math.sqrt(dof)) / panels
    density = [
        math.exp((dof - 1) / 2 * math.log1p(-(math.sin(step * place) ** 2)))
        for place in range(panels + 1)
    ]
    area = step / 3 * (density[0] + 4 * sum(density[1::2]) + 2 * sum(density[2:-1:2]) + density[-1])
    return (
        2 * area * math.exp(math.lgamma((dof + 1) / 2) - math.lgamma(dof / 2)) / math.sqrt(math.pi)
    )


def _refuse(number: str) -> None:
    raise ValueError(f"{number} is not a JSON number")


def _object(pairs: Sequence[tuple[str, Any]]) -> Json:
    found: Json = {}
    for name, value in pairs:
        _require(name not in found, f"it gives {name} twice")
        found[name] = value
    return found


def _check(content: Any) -> None:
    """Raise ValueError for the first part that is impossible, or that contradicts another one."""
    _require(isinstance(content, dict), "it is no JSON object")
    missing = [name for name in _REQUIRED if name not in content]
    _require(not missing, f"it lacks {', '.join(missing)}")
    terms = content["terms"]
    estimate = content["estimate"]
    lengths = content["match_lengths"]
    _require(isinstance(terms, list), f"terms: {_shown(terms)} is no list")
    named = set(map(str, terms))
    _require(
        len(named) == len(terms) and any(least <= named <= most for least, most in _TERMS),
        f"terms: {_shown(terms)}; a formula has coefficients a2 and b, or a alone, and every"
        " coefficient has a part _const, or none has a part; no term stands there twice",
    )
    _check_numbers("estimate", _values(estimate, terms, "estimate"), -1e9, 1e9)
    for name, (low, high) in _BOUNDS.items():
        if name in content:
            _check_numbers(name, [content[name]], low, high)
    _require(
        content["epc_definition"] in list(COUNTS),
        f"epc_definition: it is none of {', '.join(COUNTS)}",
    )
    _require(
        isinstance(lengths, list) and bool(lengths), "match_lengths: it is no list of match lengths"
    )
    _check_numbers("match_lengths", lengths, 1, 1000)
    _require(
        len(lengths) == len({int(length) for length in lengths if length == int(length)}),
        f"match_lengths: {_shown(lengths)} are not different whole numbers",
    )
    _require(
        "_" in terms[0] or len(lengths) == 1,
        "match_lengths: terms without parts hold at one match length",
    )
    ranges = content.get("ranges", {})
    _check_ends("ranges", _values(ranges, [rate for rate in _RATES if rate in ranges], "ranges"))
    _check_ends("tau_interval", [content["tau_interval"]] if "tau_interval" in content else [])
    if content["covariance"] is not None:
        _check_covariance(content["covariance"], len(terms))
        _require(
            "tau" in content,
            "it lacks tau, the scatter of players, without which intervals are too narrow",
        )
    if content.get("interval") is not None:
        _check_intervals(content)


def _check_covariance(covariance: Any, size: int) -> None:
    rows = (
        [row for row in covariance if isinstance(row, list)] if isinstance(covariance, list) else []
    )
    is_square = list(map(len, rows)) == [size] * size == [size] * len(covariance)
    _require(is_square, f"covariance: it needs {size} rows and columns, as there are terms")
    for row in covariance:
        _check_numbers("covariance", row, -1e18, 1e18)
    rounding = 1e-8 * max(
        abs(value) for row in covariance for value in row
    )  # figures have ten written digits
    for row, column in zip(covariance, zip(*covariance, strict=True), strict=True):
        for value, mirrored in zip(row, column, strict=True):
            _require(abs(value - mirrored) <= rounding, "covariance: it is not symmetric")
    _require(_is_semidefinite(covariance, rounding), "covariance: it is not positive semidefinite")


def _is_semidefinite(matrix: Sequence[Sequence[float]], rounding: float) -> bool:
    """Return whether no eigenvalue is below -`rounding`.

    With it on the diagonal Cholesky's decomposition exists.
    """
    rows: list[list[float]] = []
    for place, row in enumerate(matrix):
        found: list[float] = []
        for j, other in enumerate(rows):
            found.append((row[j] - total(found, other[:j])) / other[j])
        rest = row[place] + rounding - total(found, found)
        if rest < 0:
            return False
        rows.append([*found, math.sqrt(rest) or 1.0])  # 0 only if all are 0
    return True


def _check_intervals(content: Record) -> None:
    terms = content["terms"]
    covariance = content["covariance"]
    _require(covariance is not None, "interval: it needs the covariance, which is unknown")
    intervals = _values(content["interval"], terms, "interval")
    _check_ends("interval", intervals)
    width = half_width(content["confidence"], content["dof"])
    for place, (term, (low, high)) in enumerate(zip(terms, intervals, strict=True)):
        value = content["estimate"][term]
        half = width * math.sqrt(max(covariance[place][place], 0.0))
        ends = [value - half, value + half]
        off = max(abs(low - ends[0]), abs(high - ends[1]))
        _require(
            off <= 1e-6 * half + 1e-8 * abs(value),
            f"interval: that of {term} is not the one of its estimate, covariance, dof and"
            f" confidence, {_shown(ends)}",
        )


def _values(found: Any, names: Sequence[str], where: str) -> list[Any]:
    """Return the values of a JSON object in the order of their names.

    Raises ValueError if it has other names.
    """
    _require(
        isinstance(found, dict) and set(found) == set(names),
        f"{where}: it has other names than {', '.join(names)}",
    )
    return [found[name] for name in names]


def _check_ends(where: str, intervals: Iterable[Any]) -> None:
    for ends in intervals:
        _require(
            isinstance(ends, list) and len(ends) == 2, f"{where}: {_shown(ends)} has not two ends"
        )
        _check_numbers(where, ends, -1e12, 1e12)
        _require(ends[0] <= ends[1], f"{where}: {_shown(ends)} ends below its start")


def _check_numbers(where: str, values: Iterable[Any], low: float, high: float) -> None:
    for value in values:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        _require(
            is_number and low <= value <= high,
            f"{where}: {_shown(value)} is not a number from {low:g} to {high:g}",
        )


def _require(is_so: bool, problem: str) -> None:
    if not is_so:
        raise ValueError(problem)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:80]} ..."
