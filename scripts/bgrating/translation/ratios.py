"""Error rates of the same matches by both nets, and their ratios."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.study.matches import SIDES
from bgrating.translation.groups import clusters, groups, sides, sources, without_busiest
from bgrating.translation.jackknife import CONFIDENCE, Figure, of_totals
from bgrating.translation.names import NEW, OLD, PEOPLE
from bgrating.translation.pairs import seen_by

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A rate: the sum of `above` over the sum of `below` (of rows where it is empty), times a factor."""

    words: str
    above: tuple[str, ...]
    below: tuple[str, ...] = ()
    times: float = 1.0


ERRORS = ("chequer_error_emg", "cube_error_emg")
MEASURES: Mapping[str, Measure] = {
    "epm": Measure("EPM", ERRORS[:1], ("unforced_moves",)),
    "epc_moves": Measure("cube error per unforced move", ERRORS[1:], ("unforced_moves",)),
    "epc": Measure("EPC, close decisions of today", ERRORS[1:], ("close_cube_decisions",)),
    "epc_2003": Measure("EPC, close decisions of 2003", ERRORS[1:], ("close_cube_decisions_2003",)),
    "pr": Measure("PR", ERRORS, ("unforced_moves", "close_cube_decisions"), 500.0),
    "close": Measure("close decisions of today, per player and match", ("close_cube_decisions",)),
    "close_2003": Measure("close decisions of 2003, per player and match", ("close_cube_decisions_2003",)),
}
RATIO_COLUMNS = columns("translation/ratios")
AGREEMENT_COLUMNS = columns("translation/agreement")


def ratios(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return every measure by both nets and its ratio, new over old (RATIO_COLUMNS), for every source and group.

    Rates are pooled totals. Intervals: the jackknife of the ratio's logarithm over clusters (groups.py).
    """
    rows = sides(pairs)
    found = []
    for source, here in sources(pairs):
        own = rows[np.tile(here, len(SIDES))]
        for by, group, members in groups(own, source):
            if members.any():
                found += [{"source": source, "by": by, "group": group, **row} for row in _measured(own[members])]
    people = pairs[dict(sources(pairs)).get(PEOPLE, np.zeros(len(pairs), dtype=bool))]
    rest = without_busiest(people)
    if rest is not None and rest.any():
        about = {"source": PEOPLE, "by": "players", "group": "without the busiest"}
        found += [about | row for row in _measured(sides(people[rest]))]
    return pd.DataFrame(found, columns=RATIO_COLUMNS)


def _measured(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each measure of rows of match and player."""
    number = np.unique(rows["cluster"], return_inverse=True)[1].astype(np.intp)
    about = {
        "confidence": CONFIDENCE,
        "n_matches": rows["row"].nunique(),
        "n_clusters": int(number.max()) + 1,
    }  # fmt: skip
    found = []
    for name, measure in MEASURES.items():
        terms = np.column_stack(
            [_sum(rows, names, nets) for nets in (OLD, NEW) for names in (measure.above, measure.below)]
        )
        old, new = _rates(terms.sum(axis=0)[None, :])[0] * measure.times
        ratio = of_totals(_log_ratio, terms, number).exp()
        found.append({"measure": name, "old": old, "new": new, "ratio": ratio.value, "ci_low": ratio.low,
                      "ci_high": ratio.high, **about})  # fmt: skip
    return found


def _sum(rows: pd.DataFrame, names: tuple[str, ...], nets: str) -> Floats:
    columns = [rows[f"{name}_{nets}"].to_numpy(np.float64) for name in names]
    return np.sum(columns, axis=0) if columns else np.ones(len(rows))


def _rates(totals: Floats) -> Floats:
    """Return the old and the new rate of totals (errors and decisions of the old, then of the new)."""
    return np.column_stack([totals[:, 0] / totals[:, 1], totals[:, 2] / totals[:, 3]])


def _log_ratio(totals: Floats) -> Floats:
    rates = _rates(totals)
    return np.asarray(np.log(rates[:, 1] / rates[:, 0]))


def agreement(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return how far both nets agree on luck and luck-adjusted results (AGREEMENT_COLUMNS), for every source.

    Figures are those of the left player, MWC: `luck_adjusted_result`, and `net_luck`, own luck less the opponent's.
    Statistics: `correlation`, `sd ratio` (new over old, about zero), `mean old`, `mean new`, `difference` (mean of new
    less old), `difference sd`.
    """
    found = []
    for source, here in sources(pairs):
        own = pairs[here]
        number = clusters(own)
        about = {"confidence": CONFIDENCE, "n_matches": len(own), "n_clusters": int(number.max()) + 1}
        for figure in ("luck_adjusted_result", "net_luck"):
            old, new = (_figure(seen_by(own, nets), figure) for nets in (OLD, NEW))
            terms = np.column_stack([np.ones(len(own)), old, new, old * old, new * new, old * new])
            for statistic, formula in STATISTICS.items():
                one = of_totals(formula, terms, number)
                one = one.exp() if statistic == "sd ratio" else one
                found.append({"source": source, "figure": figure, "statistic": statistic, **_ends(one), **about})
    return pd.DataFrame(found, columns=AGREEMENT_COLUMNS)


def _figure(view: pd.DataFrame, figure: str) -> Floats:
    values = view["player_luck_mwc"] - view["opponent_luck_mwc"] if figure == "net_luck" else view[figure]
    return values.to_numpy(np.float64)


def _ends(one: Figure) -> dict[str, float]:
    return {"value": one.value, "ci_low": one.low, "ci_high": one.high}


def _correlation(t: Floats) -> Floats:
    n, x, y, xx, yy, xy = t.T
    return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))


# Of the totals: number of matches, sums of old, new, their squares and their product.
STATISTICS = {
    "correlation": _correlation,
    "sd ratio": lambda t: 0.5 * np.log(t[:, 4] / t[:, 3]),
    "mean old": lambda t: t[:, 1] / t[:, 0],
    "mean new": lambda t: t[:, 2] / t[:, 0],
    "difference": lambda t: (t[:, 2] - t[:, 1]) / t[:, 0],
    "difference sd": lambda t: np.sqrt(np.maximum((t[:, 3] + t[:, 4] - 2 * t[:, 5]) / t[:, 0], 0.0)),
}
