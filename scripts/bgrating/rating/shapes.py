"""The shapes that a study's own fits have: which error rates, each coefficient a line in 1 / N.

A form names the coefficients (a, a2, b) of shapes that differ only in what cube errors are divided by; in tables of
coefficients its name and the count (`epc_definition`) say the shape. The forms of the law are in study/law/forms.py.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import PARTS

EpcDefinition = Literal["today", "2003", "every", "moves"]  # counts of rating/rates.py that points are fitted with
LINE = ("const", "inv")


class Shape(NamedTuple):
    """A shape: R is the sum of a coefficient times a product of rates, for each of `terms`."""

    words: str
    terms: tuple[tuple[str, ...], ...]


SHAPES: dict[str, Shape] = {
    "linear": Shape("one rate, DEPD", (("depd",),)),
    "linear-2003": Shape("one rate, DEPD counted as in 2003", (("depd_2003",),)),
    "bilinear": Shape("EPM and EPC (the formula of gnubg)", (("epm",), ("epc",))),
    "bilinear-2003": Shape("EPM and EPC counted as in 2003", (("epm",), ("epc_2003",))),
    "per-cube-decision": Shape("EPM and cube error per cube decision", (("epm",), ("cube_per_decision",))),
    "per-unforced-move": Shape("EPM and cube error per unforced move", (("epm",), ("cube_per_move",))),
}


@dataclass(frozen=True)
class Form:
    """Coefficients by name, and the shapes that they belong to by the count of cube decisions."""

    name: str
    terms: tuple[str, ...]
    shapes: tuple[tuple[EpcDefinition, str], ...]

    @property
    def definitions(self) -> tuple[EpcDefinition, ...]:
        """Counts of cube decisions that the form is fitted with."""
        return tuple(epc for epc, _ in self.shapes)

    def factors(self, epc: EpcDefinition) -> tuple[tuple[str, ...], ...]:
        """Columns of the points table whose product each term multiplies, in the order of the terms."""
        return SHAPES[dict(self.shapes)[epc]].terms


LINEAR = Form("linear", ("a",), (("today", "linear"), ("2003", "linear-2003")))
BILINEAR = Form(
    "bilinear",
    ("a2", "b"),
    (
        ("today", "bilinear"),
        ("2003", "bilinear-2003"),
        ("every", "per-cube-decision"),
        ("moves", "per-unforced-move"),
    ),
)
FORMS: dict[str, Form] = {form.name: form for form in (LINEAR, BILINEAR)}


def line_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Name the parts of each term, lines in 1 / N: a2 -> a2_const, a2_inv."""
    return tuple(f"{term}_{part}" for term in terms for part in LINE)


def line_design(predictors: Floats, match_length: NDArray[np.int64]) -> Floats:
    """Columns x and x / N for every predictor x: points by terms as `line_terms` names."""
    length = np.asarray(match_length, dtype=float)
    return np.column_stack([x * PARTS[part](length) for x in predictors.T for part in LINE])
