"""The factors by which deeper analysis multiplies error rates.

The rating difference R of two players does not depend on the depth of the analysis, but error rates do. So coefficients
are divided by these factors. No test checks the law at other depths. The factors are measured on the same matches at
both depths. D = k S, where S and D are differences of a rate at 0-ply and at the depth. All pairs of players share k,
the weighted least squares estimate. The weight of a pair is the inverse variance of D - k S over its matches (ratios
linearised). If pairs scatter more, the error of k is multiplied by the root of chi-square over its degrees of freedom.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.decisions.thresholds import LEVEL
from bgrating.play.designs import design
from bgrating.play.shards import SCREENED
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from study.formula.cells import PointMatches, cells
from study.law import DEEPER
from study.rates import KEY

ROUNDS = 10
# The columns that identify a match of a study.
MATCH_KEY = [*KEY, "shard", "match"]


def level_of(study: str) -> str:
    """Return the depth of a study's analysis, such as 2-ply (with any move filter), or `checked`."""
    level = design(study).analysis_level()
    return LEVEL if level.movefilter == SCREENED else f"{level.chequerplay.plies}-ply"


def factors(matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the factor of each depth and rate (law/depth), from the matches of studies by name (DEEPER)."""
    levels: dict[str, list[tuple[PointMatches, PointMatches]]] = defaultdict(list)
    for deep, shallow in DEEPER.items():
        if deep in matches and shallow in matches:
            common = matches[shallow][MATCH_KEY].merge(matches[deep][MATCH_KEY])
            both = [cells(common.merge(matches[study], how="left")) for study in (shallow, deep)]
            levels[level_of(deep)] += zip(*both, strict=True)
    names = ["epm", *(COUNTS[count].rate for count in ("moves", "today"))]
    rows = [_factor(level, rate, pairs) for level, pairs in sorted(levels.items()) for rate in names]
    return pd.DataFrame(rows, columns=columns("law/depth"))


def _factor(level: str, rate: str, pairs: Sequence[tuple[PointMatches, PointMatches]]) -> Json:
    used = [both for both in pairs if any(np.ptp(cell.influence(rate)) > 0 for cell in both)]
    shallow, deep = np.array([[cell.difference(rate) for cell in both] for both in used]).T
    influences = [[cell.influence(rate) for cell in both] for both in used]
    factor = 1.0
    for _ in range(ROUNDS):
        weight = np.array([len(before) / np.var(after - factor * before, ddof=1) for before, after in influences])
        factor = float(weight @ (shallow * deep) / (weight @ shallow**2))
    dof = len(used) - 1
    chi_square = float(weight @ (deep - factor * shallow) ** 2)
    error = math.sqrt(max(1.0, chi_square / dof if dof else 1.0) / float(weight @ shallow**2))
    half = quantile(CONFIDENCE) * error
    return {
        "level": level,
        "rate": rate,
        "factor": factor,
        "std_error": error,
        "ci_low": factor - half,
        "ci_high": factor + half,
        "confidence": CONFIDENCE,
        "chi_square": chi_square,
        "chi_square_dof": dof,
        "n_points": len(used),
        "n_matches": sum(cell.n_matches for cell, _ in used),
    }
