"""The factors by which deeper analysis multiplies error rates, from simulated matches judged at
both depths.

The rating difference R of two players does not depend on the depth of the analysis, but error rates
do. D = k S, where S and D are a pair's differences of a rate at 0-ply and at the depth. All pairs
of players share k, the weighted least squares estimate. The variance of D - k S is taken as
proportional to the sum of both players' rates, over the number of matches. A pair's own variance
would be a poor guide: it comes from a few matches, and a lucky few make it near zero. The error of
k is that of leaving out one pair at a time, and intervals are Student's t over pairs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.decisions.thresholds import LEVEL
from bgrating.play.archive import SCREENED
from bgrating.play.designs import design
from bgrating.rating.cube_counts import COUNTS
from bgrating.tables.dictionary import columns
from study.error_rates import ratio
from study.formula.cells import PointMatches, cells

# Studies of deeper analysis, and the study with the same matches at 0-ply.
DEEPER = {
    "depth-1-ply": "part2",
    "depth-2-ply": "part2",
    "check-analysis-2-ply": "check-analysis-0-ply",
    "depth-checked": "people-range",
}
# The columns that identify a match of a study.
MATCH_KEY = ["match_length", "player", "opponent", "shard", "match"]


def level_of(study: str) -> str:
    """Return the depth of a study's analysis, such as 2-ply (with any move filter), or
    `checked`.
    """
    level = design(study).analysis_level()
    return LEVEL if level.movefilter == SCREENED else f"{level.chequerplay.plies}-ply"


def factors(matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the factor of each depth and rate (law/depth), from the matches of studies by name
    (DEEPER).
    """
    levels: dict[str, list[tuple[PointMatches, PointMatches]]] = defaultdict(list)
    for deep, shallow in DEEPER.items():
        if deep in matches and shallow in matches:
            common = matches[shallow][MATCH_KEY].merge(matches[deep][MATCH_KEY])
            both = [cells(common.merge(matches[study], how="left")) for study in (shallow, deep)]
            levels[level_of(deep)] += zip(*both, strict=True)
    names = ["epm", *(COUNTS[count].rate for count in ("moves", "today"))]
    rows = [
        _factor(level, rate, pairs) for level, pairs in sorted(levels.items()) for rate in names
    ]
    return pd.DataFrame(rows, columns=columns("law/depth"))


def _factor(level: str, rate: str, pairs: Sequence[tuple[PointMatches, PointMatches]]) -> Json:
    used = [both for both in pairs if _total(both[0], rate) > 0]
    shallow, deep = np.array([[cell.difference(rate) for cell in both] for both in used]).T
    weight = np.array([before.n_matches / _total(before, rate) for before, _ in used])
    share = weight * shallow**2
    estimate = ratio(weight * shallow * deep, share)
    return {
        "level": level,
        "rate": rate,
        **estimate,
        "n_points": len(used),
        "n_matches": sum(cell.n_matches for cell, _ in used),
    }


def _total(cell: PointMatches, rate: str) -> float:
    """Return the sum of both players' error rates, EMG per decision; 0 without an error."""
    rates = [
        errors.sum() / max(1.0, decisions.sum()) for errors, decisions in cell.rates[rate].values()
    ]
    return float(sum(rates))
