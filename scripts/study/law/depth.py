"""What deeper analysis finds otherwise in the same matches.

The rating difference R of two players does not depend on the depth of the analysis. Only error rates do. So
coefficients are divided by what deeper analysis multiplies error rates by. No test checks the law at other depths.
These factors are measured on the same matches at both depths: D = k S: S and D are differences of a rate at 0-ply and
at the depth. All pairs of players share k. k is the weighted least squares estimate, a pair's weight the inverse
variance of D - k S over its matches (ratios linearised). If pairs scatter more, the error of k is multiplied by the
root of chi-square over its degrees of freedom.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

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
SAME = [*KEY, "shard", "match"]  # what names a match of a study


def level_of(study: str) -> str:
    """Name the depth that a study's matches are analysed at, as 2-ply (whatever its filters), or `checked`."""
    level = design(study).analysis_level()
    return LEVEL if level.movefilter == SCREENED else f"{level.chequerplay.plies}-ply"


def factors(matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return by what each depth multiplies each rate (law/depth), from the studies of DEEPER by name."""
    levels: dict[str, list[tuple[PointMatches, PointMatches]]] = defaultdict(list)
    for deep, shallow in DEEPER.items():
        if deep in matches and shallow in matches:
            keys = matches[shallow][SAME].merge(matches[deep][SAME])
            both = [cells(keys.merge(matches[study], how="left")) for study in (shallow, deep)]
            levels[level_of(deep)] += list(zip(*both, strict=True))
    names = ["epm", *(COUNTS[count].rate for count in ("moves", "today"))]
    rows = [_factor(level, rate, pairs) for level, pairs in sorted(levels.items()) for rate in names]
    return pd.DataFrame(rows, columns=columns("law/depth"))


def _factor(level: str, rate: str, pairs: Sequence[tuple[PointMatches, PointMatches]]) -> dict[str, Any]:
    moved = [(shallow.influence(rate), deep.influence(rate)) for shallow, deep in pairs]
    with_errors = [place for place, both in enumerate(moved) if any(np.ptp(values) > 0 for values in both)]
    shallow, deep = np.array([[cell.difference(rate) for cell in pairs[place]] for place in with_errors]).T
    factor = 1.0
    for _ in range(ROUNDS):
        off = [moved[place][1] - factor * moved[place][0] for place in with_errors]
        weight = np.array([len(values) / np.var(values, ddof=1) for values in off])
        factor = float(weight @ (shallow * deep) / (weight @ shallow**2))
    dof = len(with_errors) - 1
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
        "n_points": len(with_errors),
        "n_matches": sum(pairs[place][0].n_matches for place in with_errors),
    }
