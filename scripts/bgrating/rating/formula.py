"""A rating formula as a file: coefficients with their covariance, and where they hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgmatch.records import Json, Record
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.formula_reader import FormulaError, NoFormulaError, read_formula_json
from bgrating.rating.intervals import quantile
from bgrating.rating.terms import MULTIPLIES, multipliers
from bgrating.settings_files import SettingsError, check
from bgrating.tables.table_files import write_json

Interval = tuple[float, float]


@dataclass(frozen=True)
class RatingFormula:
    """R = sum of a coefficient of match length N times a difference of error rates (EMG a
    decision).

    `terms` name the parts of coefficients (rating/terms.py); a2 multiplies EPM, b EPC, a DEPD.
    `covariance` is terms by terms, NaN where unknown (the published formula). `dof` are the degrees
    of freedom of Student's t. The formula was measured at `match_lengths` and in `ranges` (rate ->
    least and greatest difference). `metadata` are the other entries of the file: study, matches,
    goodness of fit, omissions.
    """

    terms: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    dof: float
    confidence: float
    epc_definition: str
    match_lengths: tuple[int, ...]
    ranges: dict[str, Interval] = field(default_factory=dict)
    metadata: Json = field(default_factory=dict)

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients of match length: `a2` and `b`, or `a`."""
        return tuple(dict.fromkeys(term.partition("_")[0] for term in self.terms))

    @property
    def equation(self) -> str:
        """The formula as text, such as "a2(N) EPM + b(N) EPC".

        The text names a cube error per unforced move as such.
        """
        named = {"b": "(cube error per unforced move)"} if self.epc_definition == "moves" else {}
        products = [
            f"{name}(N) {named.get(name, MULTIPLIES[name].upper())}" for name in self.coefficients
        ]
        return " + ".join(products)

    @property
    def player_scatter(self) -> float:
        """Standard deviation of a player's loss round the formula, as a share of the loss.

        It is NaN where the errors of the coefficients are unknown too (the published formula).
        """
        return float(self.metadata.get("tau", math.nan))

    @cached_property
    def every_length(self) -> bool:
        """Whether the coefficients are functions of N.

        Otherwise the formula holds only at its fitted match length.
        """
        return any(term.endswith("_const") for term in self.terms)

    def holds_at(self, match_length: ArrayLike) -> NDArray[np.bool_]:
        """Return for every match length whether the formula holds there (1 point and more)."""
        length = np.asarray(match_length, dtype=float)
        return np.asarray(length >= 1 if self.every_length else np.isin(length, self.match_lengths))

    def rows(self, match_length: ArrayLike, **rates: ArrayLike) -> Floats:
        """Return the derivative of R by each term (last axis), for differences of rates by name.

        The rates are epm and epc, or depd. Match lengths and rates (EMG a decision) are numbers or
        arrays that broadcast together. Raises FormulaError if the formula does not hold at a match
        length.
        """
        length = np.asarray(match_length, dtype=float)
        if not self.holds_at(length).all():
            lengths = ", ".join(map(str, self.match_lengths))
            raise FormulaError(
                f"this formula holds at {lengths} points only. Fit a study with two match lengths"
                " or more"
            )
        arrays = {name: np.asarray(value, dtype=float) for name, value in rates.items()}
        return np.stack(np.broadcast_arrays(*multipliers(self.terms, length, arrays)), axis=-1)

    def coefficient(self, name: str, match_length: Any) -> Any:
        """Return coefficient `name` (a2, b or a) at match lengths, and its standard error."""
        rates = {
            MULTIPLIES[coefficient]: float(coefficient == name) for coefficient in self.coefficients
        }
        return self.rating_difference(match_length, **rates)

    def at(self, name: str, match_length: float) -> dict[str, float]:
        """Return coefficient `name` at a match length with its interval.

        The keys are `estimate`, `std_error`, `ci_low` and `ci_high`.
        """
        value, error = self.coefficient(name, float(match_length))
        half = self.half_width(error)
        return {
            "estimate": value,
            "std_error": error,
            "ci_low": value - half,
            "ci_high": value + half,
        }

    def rating_difference(self, match_length: ArrayLike, **rates: ArrayLike) -> tuple[Any, Any]:
        """Return rating differences in points for differences of error rates, and their standard
        errors.

        Arguments as of `rows`; numbers give numbers, arrays give arrays. The error is that of the
        coefficients alone.
        """
        rows = self.rows(match_length, **rates)
        error = np.sqrt(np.einsum("...i,ij,...j->...", rows, self.covariance, rows))
        value = rows @ self.estimate
        return value, error

    def half_width(self, std_error: float) -> Any:
        return quantile(self.confidence, self.dof) * std_error

    def intervals(self) -> dict[str, Interval]:
        """Return the interval of every term; NaN where the covariance is unknown."""
        half = self.half_width(1.0) * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        ends = np.column_stack([self.estimate - half, self.estimate + half]).tolist()
        return {term: (low, high) for term, (low, high) in zip(self.terms, ends, strict=True)}

    def write(self, path: Path, **origin: Any) -> None:
        unknown = not np.all(np.isfinite(self.covariance))
        text = {
            "formula": self.equation,
            "terms": list(self.terms),
            "estimate": dict(zip(self.terms, self.estimate.tolist(), strict=True)),
            "covariance": None if unknown else self.covariance.tolist(),
            "dof": self.dof,
            "confidence": self.confidence,
            "interval": None if unknown else self.intervals(),
            "epc_definition": self.epc_definition,
            "match_lengths": list(self.match_lengths),
            "ranges": self.ranges,
            **self.metadata,
        }
        write_json(text, path, **origin)


def write_no_formula(path: Path, reason: str, metadata: Json, **origin: Any) -> None:
    write_json({"formula": None, "reason": reason, **metadata}, path, **origin)


def read_formula(path: Path) -> RatingFormula:
    """Return the formula of a file. Raises FormulaError, NoFormulaError or ProvenanceError."""
    return formula_of_json(read_formula_json(path), path)


def formula_if_any(path: Path) -> RatingFormula | None:
    """Return the formula of a file, or None if its study determines none.

    Raises as `read_formula` for other files.
    """
    try:
        return read_formula(path)
    except NoFormulaError:
        return None


def formula_of_json(formula_json: Record, path: Path) -> RatingFormula:
    """Return the formula of the JSON of a formula file.

    Raises FormulaError with the file and the first part that is impossible by itself, or that
    contradicts another one.
    """
    try:
        check(formula_json, "formula", "its content")
        _check(formula_json)
        formula = _formula(formula_json)
        if formula_json.get("interval"):
            _check_intervals(formula, formula_json["interval"])
    except (SettingsError, ValueError) as problem:
        first = str(problem).partition("; its content: ")[0]
        raise FormulaError(f"{path}: {first}; `fit` writes formula files") from problem
    return formula


def rating_formula(formula_json: Record, path: Path) -> RatingFormula:
    """Return a formula in which every error costs points. Raises FormulaError for any other."""
    formula = formula_of_json(formula_json, path)
    for name in formula.coefficients:
        for length in formula.match_lengths:
            value = formula.coefficient(name, length)[0]
            if value <= 0 and (name, length) != ("b", 1):  # a match to 1 point has no cube
                raise FormulaError(
                    f"{path}: {name} is {value:g} at {length} points, but errors cost points; fit"
                    " it to more matches"
                )
    return formula


def _formula(formula_json: Record) -> RatingFormula:
    terms = tuple(formula_json["terms"])
    covariance = formula_json["covariance"]
    unknown = np.full((len(terms), len(terms)), np.nan)
    return RatingFormula(
        terms=terms,
        estimate=np.array([formula_json["estimate"][term] for term in terms], dtype=float),
        covariance=unknown if covariance is None else np.array(covariance, dtype=float),
        dof=float(formula_json["dof"]),
        confidence=float(formula_json["confidence"]),
        epc_definition=formula_json["epc_definition"],
        match_lengths=tuple(map(int, formula_json["match_lengths"])),
        ranges={
            name: (float(low), float(high))
            for name, (low, high) in formula_json.get("ranges", {}).items()
        },
        metadata={
            key: value
            for key, value in formula_json.items()
            if key not in {"formula", "interval", *RatingFormula.__dataclass_fields__}
        },
    )


def _check(formula_json: Record) -> None:
    """Raise ValueError for the first part that contradicts another one."""
    terms = formula_json["terms"]
    interval = formula_json.get("interval") or dict.fromkeys(terms, (0, 0))
    for name, values in (("estimate", formula_json["estimate"]), ("interval", interval)):
        if set(values) != set(terms):
            raise ValueError(f"{name}: it has other names than {', '.join(terms)}")
    tau = {"tau_interval": formula_json.get("tau_interval", (0, 0))}
    for name, (low, high) in {**formula_json.get("ranges", {}), **interval, **tau}.items():
        if low > high:
            raise ValueError(f"{name}: [{low}, {high}] ends below its start")
    if formula_json["covariance"] is not None:
        _check_covariance(formula_json["covariance"], len(terms))


def _check_covariance(rows: Sequence[Sequence[float]], size: int) -> None:
    if [len(row) for row in rows] != [size] * size:
        raise ValueError(f"covariance: it needs {size} rows and columns, as there are terms")
    covariance = np.array(rows, dtype=float)
    rounding = 1e-8 * np.abs(covariance).max()  # figures have ten written digits
    if np.abs(covariance - covariance.T).max() > rounding:
        raise ValueError("covariance: it is not symmetric")
    if np.linalg.eigvalsh(covariance).min() < -rounding:
        raise ValueError("covariance: it is not positive semidefinite")


def _check_intervals(formula: RatingFormula, written: Record) -> None:
    for term, (low, high) in formula.intervals().items():
        tolerance = 1e-6 * (high - low) / 2 + 1e-8 * max(abs(low), abs(high))
        if max(abs(written[term][0] - low), abs(written[term][1] - high)) > tolerance:
            raise ValueError(
                f"interval: that of {term} is not the one of its estimate, covariance, dof and"
                f" confidence, [{low:.10g}, {high:.10g}]"
            )
