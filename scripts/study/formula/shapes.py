"""The shapes of a study's own fits: which error rates, each coefficient a line in 1 / N.

A form names the coefficients (a, a2, b) of shapes that differ only in what cube errors are divided by. In tables of
coefficients its name and the count (`epc_definition`) give the shape. The forms of the law are in study/law/forms.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import PARTS

EpcDefinition = Literal["today", "2003", "every", "moves"]  # counts of rating/rates.py that points are fitted with
LINE = ("const", "inv")


@dataclass(frozen=True)
class Form:
    """Coefficients by name, and the columns of the points table that they multiply, by the count of cube decisions."""

    name: str
    terms: tuple[str, ...]
    rates: Mapping[EpcDefinition, tuple[str, ...]] = field(hash=False)


LINEAR = Form("linear", ("a",), {"today": ("depd",), "2003": ("depd_2003",)})
BILINEAR = Form(
    "bilinear", ("a2", "b"),
    {
        "today": ("epm", "epc"), "2003": ("epm", "epc_2003"), "every": ("epm", "cube_per_decision"),
        "moves": ("epm", "cube_per_move"),
    },
)  # fmt: skip


def line_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Name the parts of each term, lines in 1 / N: a2 -> a2_const, a2_inv."""
    return tuple(f"{term}_{part}" for term in terms for part in LINE)


def line_design(predictors: Floats, match_length: NDArray[np.int64]) -> Floats:
    """Columns x and x / N for every predictor x: points by terms as `line_terms` names."""
    length = np.asarray(match_length, dtype=float)
    return np.column_stack([x * PARTS[part](length) for x in predictors.T for part in LINE])
