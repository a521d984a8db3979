"""The ratings of several methods on one scale, and how well they agree."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.dictionary import columns

COMPARED = columns("ratings/methods")
AGREEMENT = columns("ratings/agreement")
ELO_POINTS = 400 / math.log(10)
"""Points of the Elo scale for one unit of the logit."""


def on_one_scale(tables: Mapping[str, pd.DataFrame], slopes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Write ratings of several methods as Elo points above the mean of the players whom all of them rate.

    Each table has `player`, `rating`, `ci_low`, `ci_high`; `slopes` gives the logit per point of a method that is not
    on the Elo scale (ln 10 / 400). Intervals move along. Returns `player`, `method`, `rating`, `ci_low`, `ci_high`.
    """
    slopes = slopes or {}
    kept = {method: table.dropna(subset="rating") for method, table in tables.items()}
    common = set.intersection(*(set(table["player"]) for table in kept.values())) if kept else set()
    rows = []
    for method, table in kept.items():
        factor = slopes.get(method, 1 / ELO_POINTS) * ELO_POINTS
        level = table.loc[table["player"].isin(common), "rating"].mean() if common else table["rating"].mean()
        moved = (table[["rating", "ci_low", "ci_high"]] - level) * factor
        rows.append(moved.assign(player=table["player"], method=method)[COMPARED])
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=COMPARED)


def agreement(compared: pd.DataFrame) -> pd.DataFrame:
    """Return for every two methods how their ratings of the same players agree.

    Columns: `method`, `other`, `n_players`, `correlation`, `rank_correlation` (of ranks), `mean_difference` (root of
    the mean squared difference, Elo points) and `largest_difference` (absolute).
    """
    wide = compared.pivot_table(index="player", columns="method", values="rating")
    methods = list(dict.fromkeys(compared["method"]))
    rows = []
    for i, method in enumerate(methods):
        for other in methods[i + 1 :]:
            both = wide[[method, other]].dropna()
            a, b = both[method].to_numpy(), both[other].to_numpy()
            known = len(both) > 2 and a.std() > 0 and b.std() > 0
            ranks = both.rank()
            rows.append(
                (
                    method,
                    other,
                    len(both),
                    float(np.corrcoef(a, b)[0, 1]) if known else math.nan,
                    float(np.corrcoef(ranks[method], ranks[other])[0, 1]) if known else math.nan,
                    float(np.sqrt(np.mean((a - b) ** 2))) if len(both) else math.nan,
                    float(np.abs(a - b).max()) if len(both) else math.nan,
                )
            )
    return pd.DataFrame(rows, columns=AGREEMENT)
