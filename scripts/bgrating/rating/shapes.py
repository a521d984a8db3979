"""The one catalogue of shapes that the formula may have: which error rates, and how coefficients go with match length.

A shape has one name, which tables of rivals use. A form names the coefficients (a, a2, b, c) of shapes that differ only
in what cube errors are divided by; in tables of coefficients its name and the count (`epc_definition`) say the shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import PARTS

EpcDefinition = Literal["today", "2003", "every", "moves"]  # counts of rating/rates.py that points are fitted with
EPC_DEFINITIONS: tuple[EpcDefinition, ...] = get_args(EpcDefinition)
Part = Literal["const", "inv", "root"]
LINE: tuple[Part, ...] = ("const", "inv")
_ONE_B: tuple[tuple[Part, ...], ...] = (LINE, ("const",))


class Shape(NamedTuple):
    """A shape: R is the sum of a coefficient times a product of rates, for each of `terms`.

    `parts` are the functions of match length N of each coefficient where all lengths are fitted at once: const, inv
    (1 / N), root (the root of N); lines in 1 / N where nothing else is said.
    """

    words: str
    terms: tuple[tuple[str, ...], ...]
    parts: tuple[tuple[Part, ...], ...] | None = None


SHAPES: dict[str, Shape] = {
    "linear": Shape("one rate, DEPD", (("depd",),)),
    "linear-2003": Shape("one rate, DEPD counted as in 2003", (("depd_2003",),)),
    "bilinear": Shape("EPM and EPC (the formula of gnubg)", (("epm",), ("epc",))),
    "bilinear-2003": Shape("EPM and EPC counted as in 2003", (("epm",), ("epc_2003",))),
    "curvature": Shape("EPM, EPC and its square", (("epm",), ("epc",), ("epc", "epc"))),
    "root": Shape("EPM, EPC and its square root", (("epm",), ("epc",), ("epc_root",))),
    "interaction": Shape("EPM, EPC and their product", (("epm",), ("epc",), ("epm", "epc"))),
    "curvature-interaction": Shape(
        "EPM, EPC, its square and their product", (("epm",), ("epc",), ("epc", "epc"), ("epm", "epc"))
    ),
    "per-cube-decision": Shape("EPM and cube error per cube decision", (("epm",), ("epc_every",))),
    "per-cube-decision-even": Shape(
        "EPM and cube error per cube decision, one b for all lengths", (("epm",), ("epc_every",)), _ONE_B
    ),
    "per-unforced-move": Shape("EPM and cube error per unforced move", (("epm",), ("epc_moves",))),
    # Cube errors over unforced moves cost the same at every length; whether they do is seen from the shape above.
    "per-unforced-move-even": Shape(
        "EPM and cube error per unforced move, one b for all lengths", (("epm",), ("epc_moves",)), _ONE_B
    ),
    # Of equal errors per move fewer moves make a smaller sum: the matches of two noisy cubes are short.
    "per-move-and-match": Shape(
        "EPM, chequer error per match over N, and cube error per unforced move, one b",
        (("epm",), ("chequer_match",), ("epc_moves",)),
        (LINE, ("inv",), ("const",)),
    ),
    "per-game": Shape("EPM and cube error per game", (("epm",), ("epc_games",))),
    "per-game-even": Shape("EPM and cube error per game, one b for all lengths", (("epm",), ("epc_games",)), _ONE_B),
    "both-per-game": Shape("chequer and cube error per game", (("chequer_games",), ("epc_games",))),
    "per-cube-decision-interaction": Shape(
        "EPM, cube error per cube decision and their product", (("epm",), ("epc_every",), ("epm", "epc_every"))
    ),
    "per-unforced-move-interaction": Shape(
        "EPM, cube error per unforced move and their product", (("epm",), ("epc_moves",), ("epm", "epc_moves"))
    ),
    # Who is much weaker at both loses less than the sum: a product of differences, in the log odds (root of N).
    "per-unforced-move-mismatch": Shape(
        "EPM, cube error per unforced move, one b, and product times root of N",
        (("epm",), ("epc_moves",), ("epm", "epc_moves")),
        (*_ONE_B, ("root",)),
    ),
    "mwc": Shape(
        "match-winning chance lost by chequer play and at the cube, per match", (("chequer_mwc",), ("cube_mwc",))
    ),
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

    @property
    def parts(self) -> tuple[tuple[Part, ...], ...]:
        """Functions of match length of each coefficient, the same whatever the count."""
        return SHAPES[self.shapes[0][1]].parts or (LINE,) * len(self.terms)

    @property
    def at_one_length(self) -> bool:
        """Whether it is fitted at single lengths too: where every coefficient is a line, those are its points."""
        return all(parts == LINE for parts in self.parts)

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
EVEN = Form("even", ("a2", "b"), (("moves", "per-unforced-move-even"),))
MISMATCH = Form("mismatch", ("a2", "b", "c"), (("moves", "per-unforced-move-mismatch"),))
FORMS: dict[str, Form] = {form.name: form for form in (LINEAR, BILINEAR, EVEN, MISMATCH)}


def line_terms(terms: tuple[str, ...], parts: Sequence[tuple[Part, ...]] | None = None) -> tuple[str, ...]:
    """Name the parts of each term, lines in 1 / N where nothing else is said: a2 -> a2_const, a2_inv."""
    own = parts or [LINE] * len(terms)
    return tuple(f"{term}_{part}" for term, named in zip(terms, own, strict=True) for part in named)


def form_of(terms: tuple[str, ...]) -> Form:
    """Return the form whose coefficients, over all match lengths, are these terms. Raises ValueError where none is."""
    for form in FORMS.values():
        if terms == line_terms(form.terms, form.parts):
            return form
    raise ValueError(f"no form of the formula has the terms {', '.join(terms)}")


def line_design(
    predictors: Floats, match_length: NDArray[np.int64], parts: Sequence[tuple[Part, ...]] | None = None
) -> Floats:
    """Columns x f(N) for every predictor x and part f of its coefficient: points by terms as `line_terms` names."""
    length = np.asarray(match_length, dtype=float)
    own = parts or [LINE] * predictors.shape[1]
    pairs = [(x, part) for x, named in zip(predictors.T, own, strict=True) for part in named]
    return np.column_stack([x * PARTS[part](length) for x, part in pairs])
