"""Whether other error rates explain other coefficients: coefficient times rate must give the same rating difference.

Where both nets judge the same matches, results are the same, so the ratio of coefficients (new over old) must be one
over the ratio of error rates. `left` is their product: 1 where the rates explain the coefficients.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.error_cost import fit
from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.pairs import both, column, rate_differences
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from study.translation.names import NETS, SIMULATED
from study.translation.pairs import clusters, common_result, seen_by, sources
from study.translation.ratios import Figure, delete_one, folds

TERMS = ("a2", "b")
LENGTHS = (3, 5, 7, 11)
GROUPS = 40
"""Groups of clusters that are left out in turn where a fit is repeated."""
LEAST = 100
"""Matches below which no coefficients are fitted to single ones."""


def coefficients(pairs: pd.DataFrame, ratios: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return ratios of coefficients beside those that the ratios of rates imply (translation/coefficients).

    `basis` `formulas`: those of both nets that `coefficients=fitted` names (NaN where one is not fitted yet), fitted to
    matches that each net's engine played and judged itself; implied by the simulated pairs, all and those that either
    engine played. `single matches`: coefficients fitted to
    the pairs themselves, match by match, with the mean of both nets' luck-adjusted results as result.
    """
    rows = [*_of_formulas(ratios, formulas), *_of_matches(pairs)]
    return pd.DataFrame(rows, columns=columns("translation/coefficients"))


def _of_formulas(ratios: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> Iterator[dict[str, Any]]:
    measured = ratios[(ratios["source"] == SIMULATED) & ratios["by"].isin(["all", "played by"])]
    if not formulas or not all(formula.every_length for formula in formulas.values()):
        return
    # A b of another count is another quantity, which no ratio compares.
    counts = {formula.epc_definition for formula in formulas.values()}
    rate_of = {"a2": "epm", "b": COUNTS[min(counts)].rate if len(counts) == 1 else ""}
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
        group = folds(number, GROUPS)
        values = logarithms(own, np.ones(len(own), dtype=bool))
        without = np.array([logarithms(own, group != left_out) for left_out in range(GROUPS)])
        for place, term in enumerate(TERMS):
            old, new, rate = values[place]
            parts = without[:, place]
            ratio = delete_one(new - old, parts[:, 1] - parts[:, 0]).exp()
            implied = delete_one(-rate, -parts[:, 2]).exp()
            left = delete_one(new - old + rate, parts[:, 1] - parts[:, 0] + parts[:, 2]).exp()
            coefficients_of_both = (math.exp(old), math.exp(new))
            yield _row("single matches", source, term, None, coefficients_of_both, (ratio, implied, left), len(own))


def logarithms(pairs: pd.DataFrame, used: NDArray[np.bool_]) -> Floats:
    """Return for each term (rows) logarithms: of the coefficient by the old nets and the new, and of the rates' ratio.

    a2 stands for 5 points, with the published shape at other lengths for both nets. NaN where a coefficient is not
    positive. Unforced moves are the same for both nets, so errors stand for rates.
    """
    lengths, result = column(pairs, "match_length")[used], common_result(pairs)[used]
    shape = np.column_stack([(8798 + 25526 / lengths) / (8798 + 25526 / 5), np.ones(len(lengths))])
    views = [seen_by(pairs[used], nets) for nets in NETS]
    fits = [fit(result, lengths, rate_differences(view, "moves") * shape).estimate for view in views]
    old, new = (np.array([both(view, f"{kind}_error_emg").sum() for kind in ("chequer", "cube")]) for view in views)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.log(np.column_stack([*fits, new / old])))


def _row(
    basis: str,
    source: str,
    term: str,
    length: int | None,
    values: tuple[float, float],
    figures: tuple[Figure, Figure, Figure],
    matches: int,
) -> dict[str, Any]:
    named = {name: value for which, one in zip(("ratio", "implied", "left"), figures, strict=True)
             for name, value in one.named(which).items()}  # fmt: skip
    return {"basis": basis, "source": source, "term": term, "match_length": length, "old": values[0], "new": values[1],
            **named, "confidence": CONFIDENCE, "n_matches": matches}  # fmt: skip
