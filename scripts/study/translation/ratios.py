"""Error rates of the same matches by both nets, and their ratios.

Pairs are matches with the figures of both nets side by side, one row per match, and no names of people. Intervals leave
out whole clusters of matches, one after the other.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bgrating.play.matches import SIDES
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.rating.pairs import column
from bgrating.tables.dictionary import columns
from study.rates import RATES, Rate
from study.translation import NETS, PEOPLE, SIMULATED

ABOUT = ("source", "played_by", "player", "opponent", "match_length", "games", "shard", "match", "actual_result")
COUNTS = ("unforced_moves", "close_cube_decisions", "close_cube_decisions_2003")
FIGURES = (
    "luck_adjusted_result",
    *(f"{side}_{name}" for side in SIDES for name in (*COUNTS, "chequer_error_emg", "cube_error_emg", "luck_mwc")),
)
"""What each nets say of a match; in a table of pairs with `_<nets>` behind it. Units: docs/reference/tables.md."""
# gnubg computes in single precision, so float32 keeps all it says.
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ABOUT[:4]),
        *((name, pa.int16()) for name in ABOUT[4:8]),
        ("actual_result", pa.float32()),
        *(
            (f"{name}_{nets}", pa.int32() if name.endswith(COUNTS) else pa.float32())
            for nets in NETS
            for name in FIGURES
        ),
    ]
)
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


def clusters(pairs: pd.DataFrame) -> NDArray[np.intp]:
    """Return the cluster of each match, numbers from 0.

    Matches of the same two people belong together; of simulated ones, whose players have no memory, each stands alone.
    """
    both = np.sort(pairs[list(SIDES)].to_numpy(str), axis=1)
    alone = (pairs["source"] == SIMULATED).to_numpy()
    keys = np.where(alone, np.arange(len(pairs)).astype(str), np.char.add(np.char.add(both[:, 0], " "), both[:, 1]))
    return np.unique(keys, return_inverse=True)[1].astype(np.intp)


def ratios(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return every measure by both nets and its ratio, new over old (translation/ratios), for every source.

    Rates are pooled totals. Intervals: the jackknife of the ratio's logarithm over clusters.
    """
    rows = []
    for source, matches in _sources(pairs):
        groups = clusters(matches)
        about = {"confidence": CONFIDENCE, "n_matches": len(matches), "n_clusters": int(groups.max()) + 1}
        for name, measure in MEASURES.items():
            terms = np.column_stack([_total(matches, names, nets) for nets in NETS for names in measure.rate])
            errors, counts, new_errors, new_counts = terms.sum(axis=0)
            ratio = of_totals(lambda t: np.log(t[:, 2] / t[:, 3] / (t[:, 0] / t[:, 1])), terms, groups)
            figures = (errors / counts * measure.times, new_errors / new_counts * measure.times, *np.exp(ratio))
            names_of_figures = ("old", "new", "ratio", "ci_low", "ci_high")
            rows.append(
                {"source": source, "measure": name, **dict(zip(names_of_figures, figures, strict=True)), **about}
            )
    return pd.DataFrame(rows, columns=columns("translation/ratios"))


def _sources(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield simulated matches, all people's, and each collection if there are several."""
    simulated = pairs["source"] == SIMULATED
    people = pairs[~simulated]
    parts = {SIMULATED: pairs[simulated], PEOPLE: people}
    if people["source"].nunique() > 1:
        parts |= {str(name): matches for name, matches in people.groupby("source")}
    yield from ((name, matches) for name, matches in parts.items() if len(matches))


def _total(matches: pd.DataFrame, names: tuple[str, ...], nets: str) -> Floats:
    """Return both players' sum of some figures for each match; without names how many players there are."""
    parts = [column(matches, f"{side}_{name}_{nets}") for side in SIDES for name in names]
    return np.sum(parts, axis=0) if parts else np.full(len(matches), float(len(SIDES)))


def of_totals(
    statistic: Callable[[Floats], Floats], terms: Floats, groups: NDArray[np.intp]
) -> tuple[float, float, float]:
    """Return a statistic of totals and the ends of its interval, NaN with few groups or where it is not finite.

    `terms` are rows by totals, added up over all rows; `groups` the rows' numbers from 0; `statistic` takes totals
    (anything by totals) and returns one value for each. The interval is that of the delete-one jackknife, with
    Student's t on the groups less one. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 11.
    """
    sums = np.column_stack([np.bincount(groups, term) for term in terms.T])
    totals = sums.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, without = float(statistic(totals[None, :])[0]), statistic(totals - sums)
    half = math.nan
    if len(sums) >= LEAST and math.isfinite(value) and np.isfinite(without).all():
        half = quantile(CONFIDENCE, len(sums) - 1) * delete_one_error(without)
    return value, value - half, value + half
