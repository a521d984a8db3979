"""A rating formula as a file: coefficients with their covariance, and where they hold."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgrating import BgratingError
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import quantile
from bgrating.tables.provenance import has_provenance, verified
from bgrating.tables.tables import write_json

# The functions of match length that make up a coefficient; a further part, `one`, is the coefficient at 1 point.
PARTS: dict[str, Callable[[Floats], Floats]] = {"const": np.ones_like, "inv": np.reciprocal}
# What each coefficient multiplies.
MULTIPLIES = {"a": "depd", "a2": "epm", "b": "epc"}


MEASURED, BETWEEN, BEYOND = "measured", "between measured lengths", "beyond the measured lengths"


class FormulaError(BgratingError, ValueError):
    """A formula file cannot be read, or is asked for what it does not hold."""


@dataclass(frozen=True)
class RatingFormula:
    """R = sum of a coefficient of match length N times a difference of error rates (EMG a decision).

    `terms` name the parts: `a2_const` and `a2_inv` make a2(N) = const + inv / N, which multiplies EPM (`b`:
    EPC, `a`: DEPD), and `a2_one` stands for a2(1) where 1 point has a coefficient of its own; a plain `a2` holds at the
    single match length that was fitted. `covariance` is terms by
    terms, NaN where unknown (the published formula); `dof` are the degrees of freedom of Student's t.
    `match_lengths` and `ranges` (rate -> least and greatest difference seen) say where the formula was
    measured. `facts` holds everything else of the file: study, matches, goodness of fit, what was left out.
    """

    terms: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    dof: float
    confidence: float
    epc_definition: str
    match_lengths: tuple[int, ...]
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients of match length: `a2` and `b`, or `a`."""
        return tuple(dict.fromkeys(term.partition("_")[0] for term in self.terms))

    @cached_property
    def every_length(self) -> bool:
        """Whether the formula is one of N; if not it holds at the single length it was fitted at."""
        return any(term.endswith("_const") for term in self.terms)

    def holds_at(self, match_length: ArrayLike) -> NDArray[np.bool_]:
        """Return for every match length whether the formula says anything about it (1 point and more)."""
        length = np.asarray(match_length, dtype=float)
        return np.asarray(length >= 1 if self.every_length else np.isin(length, self.match_lengths))

    def basis(self, match_length: float) -> str:
        """Say what the formula at a match length is based on: MEASURED, BETWEEN measured lengths, or BEYOND them."""
        if match_length in self.match_lengths:
            return MEASURED
        line = [length for length in self.match_lengths if length > 1] or self.match_lengths
        return BETWEEN if min(line) <= match_length <= max(line) else BEYOND

    def rows(self, match_length: ArrayLike, **rates: ArrayLike) -> Floats:
        """Return what multiplies each term (last axis), for differences of rates by name: epm and epc, or depd.

        Match lengths and rates (EMG a decision) are numbers or arrays that go together. Raises FormulaError where a
        match length is outside the formula.
        """
        length = np.asarray(match_length, dtype=float)
        if not self.holds_at(length).all():
            raise FormulaError(
                f"this formula was fitted at {', '.join(map(str, self.match_lengths))} points only and does "
                f"not hold at {', '.join(f'{n:g}' for n in np.unique(length[~self.holds_at(length)]))}: "
                "fit a study with two match lengths or more"
            )
        named = [term.partition("_") for term in self.terms]
        alone = {name for name, _, part in named if part == "one"}
        parts = [
            np.asarray(rates[MULTIPLIES[name]], dtype=float) * _part(part or "const", length, name in alone)
            for name, _, part in named
        ]
        return np.stack(np.broadcast_arrays(*parts), axis=-1)

    @overload
    def coefficient(self, name: str, match_length: float) -> tuple[float, float]: ...
    @overload
    def coefficient(self, name: str, match_length: Floats) -> tuple[Floats, Floats]: ...
    def coefficient(self, name: str, match_length: Any) -> Any:
        """Return coefficient `name` (a2, b or a) at match lengths, and its standard error."""
        return self.rating_difference(
            match_length, **{MULTIPLIES[other]: float(other == name) for other in self.coefficients}
        )

    def at(self, name: str, match_length: float) -> dict[str, float]:
        """Return coefficient `name` at a match length with its interval: estimate, std_error, ci_low and ci_high."""
        value, error = self.coefficient(name, float(match_length))
        half = self.half_width(error)
        return {"estimate": value, "std_error": error, "ci_low": value - half, "ci_high": value + half}

    @overload
    def rating_difference(self, match_length: float, **rates: float) -> tuple[float, float]: ...
    @overload
    def rating_difference(self, match_length: ArrayLike, **rates: ArrayLike) -> tuple[Floats, Floats]: ...
    def rating_difference(self, match_length: ArrayLike, **rates: ArrayLike) -> tuple[Any, Any]:
        """Return rating differences in points for differences of error rates, and their standard errors.

        Arguments as of `rows`; numbers for numbers, arrays for arrays. The error is that of the coefficients alone.
        """
        rows = self.rows(match_length, **rates)
        error = np.sqrt(np.einsum("...i,ij,...j->...", rows, self.covariance, rows))
        value = rows @ self.estimate
        return (float(value), float(error)) if rows.ndim == 1 else (value, error)

    def half_width(self, std_error: float) -> float:
        """Return half the width of an interval, at the formula's confidence, for a standard error."""
        return quantile(self.confidence, self.dof) * std_error

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return the interval of every term; NaN where the covariance is unknown."""
        half = [self.half_width(float(error)) for error in np.sqrt(np.diag(self.covariance))]
        values = [float(value) for value in self.estimate]
        return {t: (v - h, v + h) for t, v, h in zip(self.terms, values, half, strict=True)}

    def write(self, path: Path, **origin: Any) -> None:
        """Write the formula as JSON, and its provenance with the facts given."""
        unknown = not np.all(np.isfinite(self.covariance))
        text = {
            "formula": " + ".join(f"{name}(N) {MULTIPLIES[name].upper()}" for name in self.coefficients),
            "terms": list(self.terms),
            "estimate": {term: float(value) for term, value in zip(self.terms, self.estimate, strict=True)},
            "covariance": None if unknown else [[float(v) for v in row] for row in self.covariance],
            "dof": self.dof,
            "confidence": self.confidence,
            "interval": None if unknown else {term: list(ends) for term, ends in self.intervals().items()},
            "epc_definition": self.epc_definition,
            "match_lengths": list(self.match_lengths),
            "ranges": {name: list(ends) for name, ends in self.ranges.items()},
            **self.facts,
        }
        write_json(text, path, **origin)


def _part(part: str, length: Floats, alone: bool) -> Floats:
    """Return a part of a coefficient at match lengths; `alone`: the coefficient has one of its own at 1 point."""
    if part == "one":
        return np.where(length == 1, 1.0, 0.0)
    return np.where(length == 1, 0.0, PARTS[part](length)) if alone else PARTS[part](length)


class NoFormulaError(FormulaError):
    """A formula file says that its study determines no formula; `reason` is what it says."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} holds no formula: {reason}")
        self.reason = reason


OWN_KEYS = {
    "formula", "terms", "estimate", "covariance", "dof", "confidence", "interval", "epc_definition",
    "match_lengths", "ranges",
}  # fmt: skip


def write_no_formula(path: Path, reason: str, facts: dict[str, Any], **origin: Any) -> None:
    """Write a formula file that says why its study determines no formula, and its provenance."""
    write_json({"formula": None, "reason": reason, **facts}, path, **origin)


def read_formula(path: Path) -> RatingFormula:
    """Read a formula file; a file with provenance is compared with it.

    Raises FormulaError naming the file and the problem if it is not JSON, lacks a key or is inconsistent. Raises
    NoFormulaError if the file states that there is no formula, and ProvenanceError if its bytes have changed.
    """
    if has_provenance(path):
        verified(path)
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
        if text["formula"] is not None:
            return _formula(text)
        reason = str(text["reason"])
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise FormulaError(
            f"{path} is not a rating formula ({type(error).__name__}: {error}); `fit` writes one"
        ) from error
    raise NoFormulaError(path, reason)


def formula_if_any(path: Path) -> RatingFormula | None:
    """Read a formula file as `read_formula` does; None where it says that there is no formula."""
    try:
        return read_formula(path)
    except NoFormulaError:
        return None


def _formula(text: dict[str, Any]) -> RatingFormula:
    terms, covariance = tuple(text["terms"]), text["covariance"]
    shape = (len(terms), len(terms))
    known = np.full(shape, np.nan) if covariance is None else np.array(covariance, dtype=float)
    if known.shape != shape or any(term.partition("_")[0] not in MULTIPLIES for term in terms):
        raise ValueError(f"terms {', '.join(terms)} and the covariance do not fit together")
    return RatingFormula(
        terms=terms,
        estimate=np.array([text["estimate"][term] for term in terms], dtype=float),
        covariance=known,
        dof=float(text["dof"]),
        confidence=float(text["confidence"]),
        epc_definition=str(text["epc_definition"]),
        match_lengths=tuple(int(length) for length in text["match_lengths"]),
        ranges={name: (float(ends[0]), float(ends[1])) for name, ends in text["ranges"].items()},
        facts={key: value for key, value in text.items() if key not in OWN_KEYS},
    )
