"""Whether other error rates explain other coefficients: coefficient times rate must give the same rating difference.

Where both nets judge the same matches, results are the same, so the ratio of coefficients (new over old) must be one
over the ratio of error rates. `left` is their product: 1 where the rates explain the coefficients.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.people.error_cost import differences, fit
from bgrating.study.matches import SIDES
from bgrating.translation.groups import clusters, sources
from bgrating.translation.jackknife import CONFIDENCE, Figure, delete_one, folds
from bgrating.translation.names import NETS, SIMULATED
from bgrating.translation.pairs import seen_by

Floats = NDArray[np.float64]

RATE_OF = {"a2": "epm", "b": "epc_moves"}
CUBE_RATE = {"moves": "epc_moves", "today": "epc", "2003": "epc_2003"}
"""Measures (ratios.py) that b multiplies, by a formula's count of cube decisions."""
LENGTHS = (3, 5, 7, 11)
GROUPS = 40
"""Groups of clusters that are left out in turn where a fit is repeated."""
LEAST = 100
"""Matches below which no coefficients are fitted to single ones."""
COLUMNS = columns("translation/coefficients")


def coefficients(pairs: pd.DataFrame, ratios: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return ratios of coefficients beside those that the ratios of rates imply (COLUMNS).

    `basis` `formulas`: those of both nets that `coefficients=fitted` names (NaN where one is not fitted yet), fitted to
    matches that each net's engine played and judged itself; implied by the simulated pairs, all and those that either
    engine played. `single matches`: coefficients fitted to
    the pairs themselves, match by match, with the mean of both nets' luck-adjusted results as result.
    """
    rows = [*_of_formulas(ratios, formulas), *_of_matches(pairs)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_formulas(ratios: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> Iterator[dict[str, Any]]:
    measured = ratios[(ratios["source"] == SIMULATED) & ratios["by"].isin(["all", "played by"])]
    if not formulas or not all(formula.every_length for formula in formulas.values()):
        return
    # A b of another count is another quantity, which no ratio compares.
    counts = {formula.epc_definition for formula in formulas.values()}
    rate_of = {"a2": RATE_OF["a2"], "b": CUBE_RATE.get(min(counts), "") if len(counts) == 1 else ""}
    same = all("b_inv" not in formula.terms for formula in formulas.values())
    terms = [*(("a2", n) for n in LENGTHS), *(("b", n) for n in ((None,) if same else LENGTHS))]
    for (by, group), (term, length) in product(measured[["by", "group"]].drop_duplicates().to_numpy(), terms):
        here = measured[(measured["by"] == by) & (measured["group"] == group) & (measured["measure"] == rate_of[term])]
        source = SIMULATED if by == "all" else f"{SIMULATED}, {by} {group}"
        if len(here):
            yield _row("formulas", source, term, length, *_compared(here.iloc[0], term, length, formulas))


def _compared(
    rate: pd.Series, term: str, length: int | None, formulas: Mapping[str, RatingFormula]
) -> tuple[tuple[float, float], tuple[Figure, Figure, Figure], int]:
    """Return a coefficient by both formulas; its ratio, the one that the rates imply, what is left; matches."""
    found = {nets: formula.coefficient(term, length or LENGTHS[1]) for nets, formula in formulas.items()}
    old, new = (found.get(nets, (math.nan, math.nan)) for nets in NETS)
    error = math.hypot(old[1] / old[0], new[1] / new[0])
    dof = min(formula.dof for formula in formulas.values())
    value, low, high = (float(rate[name]) for name in ("ratio", "ci_low", "ci_high"))
    # Both errors are of logarithms; those of the rates have hundreds of degrees of freedom.
    spread = math.log(high / low) / 2 / quantile(CONFIDENCE)
    ratio = _around(math.log(new[0] / old[0]), error, dof)
    left = _around(math.log(ratio.value * value), math.hypot(error, spread), dof)
    return (old[0], new[0]), (ratio, Figure(1 / value, 1 / high, 1 / low), left), int(rate["n_matches"])


def _around(value: float, error: float, dof: float) -> Figure:
    half = quantile(CONFIDENCE, dof) * error
    return Figure(value, value - half, value + half).exp()


def _of_matches(pairs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for source, here in sources(pairs):
        own = pairs[here]
        number = clusters(own)
        if len(own) < LEAST or number.max() < GROUPS:
            continue
        matches = judged(own)
        group = folds(number, GROUPS)
        values = logarithms(matches, np.ones(len(own), dtype=bool))
        without = np.array([logarithms(matches, group != left_out) for left_out in range(GROUPS)])
        for place, term in enumerate(RATE_OF):
            old, new, rate = values[place]
            parts = without[:, place]
            ratio = delete_one(new - old, parts[:, 1] - parts[:, 0]).exp()
            implied = delete_one(-rate, -parts[:, 2]).exp()
            left = delete_one(new - old + rate, parts[:, 1] - parts[:, 0] + parts[:, 2]).exp()
            both = (math.exp(old), math.exp(new))
            yield _row("single matches", source, term, None, both, (ratio, implied, left), len(own))


@dataclass(frozen=True)
class Judged:
    """Matches as arrays: results (MWC less one half) and lengths; by nets what each coefficient multiplies, and errors.

    `designs` and `errors` are matches by terms (EMG a move; EMG of both players).
    """

    result: Floats
    lengths: Floats
    designs: tuple[Floats, ...]
    errors: tuple[Floats, ...]


def judged(pairs: pd.DataFrame) -> Judged:
    """Return what is fitted; a2 stands for 5 points, with the published shape at other lengths for both nets."""
    lengths = pairs["match_length"].to_numpy(np.float64)
    shape = (8798 + 25526 / lengths) / (8798 + 25526 / 5)
    views = [seen_by(pairs, nets) for nets in NETS]
    kinds = ("chequer_error_emg", "cube_error_emg")
    return Judged(
        common_result(pairs),
        lengths,
        tuple(differences(view, "moves") * np.column_stack([shape, np.ones(len(view))]) for view in views),
        tuple(np.column_stack([sum(view[f"{side}_{kind}"] for side in SIDES) for kind in kinds]) for view in views),
    )


def logarithms(matches: Judged, used: NDArray[np.bool_]) -> Floats:
    """Return for each term (rows) logarithms: of the coefficient by the old nets and the new, and of the rates' ratio.

    NaN where a coefficient is not positive. Unforced moves are the same for both nets, so errors stand for rates.
    """
    with np.errstate(invalid="ignore"):
        fits = [fit(matches.result[used], matches.lengths[used], one[used]).estimate for one in matches.designs]
        old, new = (errors[used].sum(axis=0) for errors in matches.errors)
        return np.asarray(np.log(np.column_stack([*fits, new / old])))


def common_result(pairs: pd.DataFrame) -> Floats:
    """Return the mean of both nets' luck-adjusted results, MWC less one half: a target that favours neither."""
    return np.asarray(np.mean([pairs[f"luck_adjusted_result_{nets}"].to_numpy(np.float64) for nets in NETS], axis=0))


def _row(
    basis: str,
    source: str,
    term: str,
    length: int | None,
    values: tuple[float, float],
    figures: tuple[Figure, Figure, Figure],
    matches: int,
) -> dict[str, Any]:
    named = zip(("ratio", "implied", "left"), figures, strict=True)
    ends = {f"{name}{end}": getattr(one, of) for name, one in named for end, of in
            (("", "value"), ("_low", "low"), ("_high", "high"))}  # fmt: skip
    return {"basis": basis, "source": source, "term": term, "match_length": length, "old": values[0], "new": values[1],
            **ends, "confidence": CONFIDENCE, "n_matches": matches}  # fmt: skip
