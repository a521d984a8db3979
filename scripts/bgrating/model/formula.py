"""A rating formula as a file: coefficients with their covariance, and where they hold."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bgrating.errors import BgratingError

Floats = NDArray[np.float64]

MULTIPLIES = {"a": "depd", "a2": "epm", "b": "epc"}
# What EPC is by each definition of a formula file.
COUNTS = {
    "today": "EPC is cube error per close or actual cube decision, as gnubg counts them today",
    "2003": "EPC is cube error per close or actual cube decision by the rule of 2003",
    "every": "EPC is cube error per cube decision with access to a live cube, close or not (total cube decisions)",
    "moves": "EPC here is cube error per unforced move, as EPM is of chequer errors",
}


class FormulaError(BgratingError, ValueError):
    """A formula file cannot be read, or is asked for what it does not hold."""


@dataclass(frozen=True)
class RatingFormula:
    """R = sum of a coefficient of match length N times a difference of error rates (EMG a decision).

    `terms` name the parts: `a2_const` and `a2_inv` make a2(N) = const + inv / N, which multiplies EPM (`b`:
    EPC, `a`: DEPD); a plain `a2` holds at the single match length that was fitted. `covariance` is terms by
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

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients of match length: `a2` and `b`, or `a`."""
        return tuple(dict.fromkeys(term.partition("_")[0] for term in self.terms))

    @property
    def every_length(self) -> bool:
        """Whether the formula is one of N; if not it holds at the single length it was fitted at."""
        return any(term.endswith("_const") for term in self.terms)

    def row(self, rates: dict[str, float], match_length: float) -> Floats:
        """Give what multiplies each term at a match length; rates (EMG a decision) by coefficient: a2, b or a.

        Raises FormulaError at a match length that the formula says nothing about.
        """
        if not self.every_length and match_length not in self.match_lengths:
            raise FormulaError(
                f"this formula was fitted at {', '.join(map(str, self.match_lengths))} points only and says "
                f"nothing about {match_length}: fit a study with two match lengths or more"
            )
        parts = [term.partition("_") for term in self.terms]
        return np.array([rates[name] / (match_length if part == "inv" else 1) for name, _, part in parts])

    def coefficient(self, name: str, match_length: float) -> tuple[float, float]:
        """Give coefficient `name` (a2, b or a) at a match length, and its standard error."""
        row = self.row({other: float(other == name) for other in self.coefficients}, match_length)
        return float(row @ self.estimate), float(np.sqrt(row @ self.covariance @ row))

    def rating_difference(self, match_length: float, **rates: float) -> tuple[float, float]:
        """Give the rating difference in points for differences of error rates, and its standard error.

        Rates by name, EMG a decision: `epm` and `epc`, or `depd`. The error is that of the coefficients
        alone.
        """
        row = self.row({name: rates[MULTIPLIES[name]] for name in self.coefficients}, match_length)
        return float(row @ self.estimate), float(np.sqrt(row @ self.covariance @ row))

    def half_width(self, std_error: float) -> float:
        """Give half the width of an interval, at the formula's confidence, for a standard error."""
        return float(stats.t.ppf((1 + self.confidence) / 2, self.dof)) * std_error

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Give the interval of every term; NaN where the covariance is unknown."""
        half = [self.half_width(float(error)) for error in np.sqrt(np.diag(self.covariance))]
        values = [float(value) for value in self.estimate]
        return {t: (v - h, v + h) for t, v, h in zip(self.terms, values, half, strict=True)}

    def write(self, path: Path) -> None:
        """Write the formula as JSON."""
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
        path.write_text(json.dumps(text, indent=2, allow_nan=False) + "\n", encoding="utf-8")


class NoFormulaError(FormulaError):
    """A formula file says that its study determines no formula; `reason` is what it says."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} holds no formula: {reason}")
        self.reason = reason


OWN_KEYS = {
    "formula", "terms", "estimate", "covariance", "dof", "confidence", "interval", "epc_definition",
    "match_lengths", "ranges",
}  # fmt: skip


def write_no_formula(path: Path, reason: str, facts: dict[str, Any]) -> None:
    """Write a formula file that says why its study determines no formula."""
    path.write_text(json.dumps({"formula": None, "reason": reason, **facts}, indent=2) + "\n", encoding="utf-8")


def read_formula(path: Path) -> RatingFormula:
    """Read a formula file.

    Raises FormulaError naming the file and what is wrong where it is not JSON, lacks a key or does not fit together,
    and NoFormulaError where it says that there is no formula.
    """
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
