"""What deeper analysis finds otherwise in the same matches.

The rating difference R of two players does not depend on the depth of the analysis. Only error rates do. So
coefficients are divided by what deeper analysis multiplies error rates by. No test checks the law at other depths.
These factors are measured on the same matches at both depths: D = k S: S and D are differences of a rate at 0-ply and
at the depth. All pairs of players share k. k is the weighted least squares estimate, a pair's weight the inverse
variance of D - k S over its matches (ratios linearised). If pairs scatter more, the error of k is multiplied by the
root of chi-square over its degrees of freedom.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bgrating.play.designs import design
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from study.formula.cells import PointMatches, UnusableMatchesError, cells
from study.law import DEEPER
from study.rates import KEY

FACTOR_COLUMNS = columns("law/depth")
_ROUNDS = 10
_SAME = [*KEY, "shard", "match"]


_Both = tuple[PointMatches, PointMatches]  # the same matches at 0-ply and deeper


def level_of(study: str) -> str:
    """Name the depth that a study's matches are analysed at, as 2-ply (whatever its filters)."""
    return f"{design(study).analysis_level().chequerplay.plies}-ply"


def factors(matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return by what each depth multiplies each rate (FACTOR_COLUMNS), from the studies of DEEPER by name."""
    levels: dict[str, list[_Both]] = {}
    for deep, shallow in DEEPER.items():
        if deep in matches and shallow in matches:
            both = same_matches(matches[shallow], matches[deep], (shallow, deep))
            levels.setdefault(level_of(deep), []).extend(zip(*map(cells, both), strict=True))
    names = ["epm", *(COUNTS[count].rate for count in ("moves", "today"))]
    rows = [_factor(level, rate, pairs) for level, pairs in sorted(levels.items()) for rate in names]
    return pd.DataFrame(rows, columns=FACTOR_COLUMNS)


def same_matches(
    shallow: pd.DataFrame, deep: pd.DataFrame, names: tuple[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the matches that two studies both hold, row by row the same; `names` of the studies are for the error.

    Raises UnusableMatchesError where matches that should be the same are not.
    """
    keys = pd.merge(shallow[_SAME], deep[_SAME], on=_SAME)
    shallow_rows, deep_rows = (keys.merge(study, on=_SAME, how="left") for study in (shallow, deep))
    # A result may be a sum of printed figures, and then lacks a last digit.
    same = np.isclose(shallow_rows["actual_result"], deep_rows["actual_result"], atol=1e-3) & (
        shallow_rows["rolls"] == deep_rows["rolls"]
    )
    if not same.all():
        raise UnusableMatchesError(f"{' and '.join(names)} do not hold the same matches: play one of them again")
    return shallow_rows, deep_rows


def _factor(level: str, rate: str, pairs: Sequence[_Both]) -> dict[str, Any]:
    moved = [[pair.influence(rate) for pair in both] for both in pairs]
    with_errors = [place for place, both in enumerate(moved) if any(np.ptp(values) > 0 for values in both)]
    moved, pairs = [moved[place] for place in with_errors], [pairs[place] for place in with_errors]
    shallow, deep = (np.array([both[place].difference(rate) for both in pairs]) for place in (0, 1))
    factor = 1.0
    for _ in range(_ROUNDS):
        weight = np.array([len(at_0) / np.var(deeper - factor * at_0, ddof=1) for at_0, deeper in moved])
        factor = float(weight @ (shallow * deep) / (weight @ shallow**2))
    dof = len(pairs) - 1
    chi_square = float(weight @ (deep - factor * shallow) ** 2)
    error = math.sqrt(max(1.0, chi_square / dof if dof else 1.0) / float(weight @ shallow**2))
    half = quantile(CONFIDENCE) * error
    n_matches = sum(both[0].n_matches for both in pairs)
    about = (
        level, rate, factor, error, factor - half, factor + half, CONFIDENCE, chi_square, dof, len(pairs), n_matches,
    )  # fmt: skip
    return dict(zip(FACTOR_COLUMNS, about, strict=True))
