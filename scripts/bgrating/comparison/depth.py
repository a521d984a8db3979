"""The same matches analysed at two depths: how far error rates depend on the analysis."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.cells import UnusableMatchesError, cells

RATES: tuple[str, ...] = ("epm", "epc", "depd")
REPLICATES = 2000
COLUMNS = columns("comparison/depth")
_SAME = ["match_length", "player", "opponent", "shard", "match"]


def same_matches(
    shallow: pd.DataFrame, deep: pd.DataFrame, names: tuple[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the matches that two studies both hold, row by row the same; `names` of the studies are for the error.

    Raises UnusableMatchesError where matches that should be the same are not.
    """
    keys = pd.merge(shallow[_SAME], deep[_SAME], on=_SAME)
    one, two = (keys.merge(study, on=_SAME, how="left") for study in (shallow, deep))
    if not (one["actual_result"] == two["actual_result"]).all() or not (one["rolls"] == two["rolls"]).all():
        raise UnusableMatchesError(f"{' and '.join(names)} do not hold the same matches: play one of them again")
    return one, two


def depth(shallow: Played, deep: Played, confidence: float) -> pd.DataFrame:
    """Set the error rates of the same matches at two depths beside each other (COLUMNS).

    Only matches that both studies hold are used. Intervals of the ratio deep / shallow are quantiles over resampled
    matches, the same ones at both depths. Raises UnusableMatchesError where matches that should be the same are not.
    """
    one, two = same_matches(shallow.matches, deep.matches, (shallow.name, deep.name))
    if one.empty:
        return pd.DataFrame(columns=COLUMNS)
    rng = np.random.default_rng(1)
    rows = []
    for first, second in zip(cells(one), cells(two), strict=True):
        row: dict[str, Any] = {
            "match_length": first.match_length, "player": first.player, "opponent": first.opponent,
            "n_matches": first.n_matches, "confidence": confidence,
        }  # fmt: skip
        draws = rng.integers(first.n_matches, size=(REPLICATES, first.n_matches))
        for rate in RATES:
            ratios = [second.difference(rate, draw) / first.difference(rate, draw) for draw in draws]
            low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
            at = first.difference(rate), second.difference(rate)
            row |= {
                f"{rate}_shallow": at[0], f"{rate}_deep": at[1], f"{rate}_ratio": at[1] / at[0],
                f"{rate}_ratio_low": float(low), f"{rate}_ratio_high": float(high),
            }  # fmt: skip
        same = ["match_length", "player", "opponent"]
        for name, study in (("shallow", shallow), ("deep", deep)):
            point = study.rows[(study.rows[same] == [row[key] for key in same]).all(axis=1)].iloc[0]
            row[f"rating_{name}"] = point["rating_difference"]
            if name == "deep":
                row |= {"rating_deep_low": point["ci_low"], "rating_deep_high": point["ci_high"]}
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)
