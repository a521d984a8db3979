"""Error rates of the same matches by both nets, and their ratios.

Intervals of figures of totals: whole clusters of matches are left out one after the other.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.rating.pairs import column
from bgrating.tables.dictionary import columns
from study.rates import RATES, Rate
from study.translation import NEW, OLD, PEOPLE
from study.translation.pairs import sides, sources, without_busiest

LEAST = 10
"""Clusters below which a figure has no interval."""


class Measure(NamedTuple):
    """A rate, or without `per` a number per player and match, times a factor."""

    words: str
    rate: Rate
    times: float = 1.0


MEASURES: Mapping[str, Measure] = {
    "epm": Measure("EPM", RATES["epm"]),
    "cube_per_move": Measure("cube error per unforced move", RATES["cube_per_move"]),
    "epc": Measure("EPC, close decisions of today", RATES["epc"]),
    "epc_2003": Measure("EPC, close decisions of 2003", RATES["epc_2003"]),
    "pr": Measure("PR", RATES["depd"], 500.0),
    "close": Measure("close decisions of today, per player and match", Rate(("close_cube_decisions",), ())),
    "close_2003": Measure("close decisions of 2003, per player and match", Rate(("close_cube_decisions_2003",), ())),
}


class RatioFigure(NamedTuple):
    """A figure with the ends of its interval; NaN where there is none."""

    value: float
    low: float
    high: float

    def exp(self) -> "RatioFigure":
        return RatioFigure(math.exp(self.value), math.exp(self.low), math.exp(self.high))

    def named(self, name: str, ends: str = "") -> dict[str, float]:
        """Return the figure as columns of a table: its name, and its ends `…_low` and `…_high`."""
        return {name: self.value, f"{ends or name}_low": self.low, f"{ends or name}_high": self.high}


def of_totals(statistic: Callable[[Floats], Floats], terms: Floats, clusters: NDArray[np.intp]) -> RatioFigure:
    """Return a statistic of totals with its interval.

    `terms` are rows by totals, added up over all rows; `clusters` the rows' numbers from 0; `statistic` takes totals
    (anything by totals) and returns one value for each.
    """
    sums = np.column_stack([np.bincount(clusters, column) for column in terms.T])
    present = np.bincount(clusters) > 0
    totals = sums.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return delete_one(float(statistic(totals[None, :])[0]), statistic(totals - sums[present]))


def delete_one(value: float, without: Floats) -> RatioFigure:
    """Return a figure with the interval of the delete-one jackknife (Student's t on the groups less one).

    `without` are the values with each group left out, groups of about one size. Source: Efron and Tibshirani, An
    Introduction to the Bootstrap (1993), section 11.
    """
    groups = len(without)
    if groups < LEAST or not (math.isfinite(value) and np.isfinite(without).all()):
        return RatioFigure(value, math.nan, math.nan)
    half = quantile(CONFIDENCE, groups - 1) * delete_one_error(without)
    return RatioFigure(value, value - half, value + half)


def ratios(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return every measure by both nets and its ratio, new over old (translation/ratios), for every source.

    Rates are pooled totals. Intervals: the jackknife of the ratio's logarithm over clusters.
    """
    table = []
    for source, members in sources(pairs):
        table += [{"source": source, "by": "all", "group": "all", **row} for row in _measured(sides(pairs[members]))]
        rest = without_busiest(pairs[members]) if source == PEOPLE else None
        if rest is not None and rest.any():
            about = {"source": source, "by": "players", "group": "without the busiest"}
            table += [about | row for row in _measured(sides(pairs[members][rest]))]
    return pd.DataFrame(table, columns=columns("translation/ratios"))


def _measured(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each measure of rows of match and player."""
    number = np.unique(rows["cluster"], return_inverse=True)[1].astype(np.intp)
    about = {"confidence": CONFIDENCE, "n_matches": rows["row"].nunique(), "n_clusters": int(number.max()) + 1}
    measured = []
    for name, measure in MEASURES.items():
        sums = [_sum(rows, names, nets) for nets in (OLD, NEW) for names in measure.rate]
        terms = np.column_stack(sums)
        above, below, new_above, new_below = terms.sum(axis=0)
        rates = {"old": above / below * measure.times, "new": new_above / new_below * measure.times}
        ratio = of_totals(lambda t: np.log(t[:, 2] / t[:, 3] / (t[:, 0] / t[:, 1])), terms, number).exp()
        measured.append({"measure": name, **rates, **ratio.named("ratio", "ci"), **about})
    return measured


def _sum(rows: pd.DataFrame, names: tuple[str, ...], nets: str) -> Floats:
    return np.sum([column(rows, f"{name}_{nets}") for name in names], axis=0) if names else np.ones(len(rows))
