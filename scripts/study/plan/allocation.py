"""How many matches where, and which of them with luck analysis, with errors alone or only played.

The half-width of a rating difference is dR/dP times that of the chance, and the variance of the chance falls with CPU
time as the parts of a mixture say (formula/mixture.py). For one design point the best shares of its CPU do not depend
on how much it gets; over design points the mean half-width is least where each gets CPU in proportion to the two-thirds
power of what its half-width is per root of CPU (Lagrange; Neyman 1934 for the sum of variances).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.rating.fibs import Floats, log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE, quantile
from study.formula.mixture import PARTS, Moments, Part, variance

Costs = Mapping[Part, float]
STEPS = 40  # the shares of CPU that are tried are multiples of 1 / STEPS
PUBLISHED_MATCHES = 500  # of every cell of Part II in 2003, all with luck
LEAST_LUCK = 100  # fewer matches with luck do not tell how luck and result are correlated
LEAST_RATES = 200  # matches whose errors must be known, for the error rates themselves


class PlanError(BgratingError, ValueError):
    """A plan cannot be made; the message says what to change."""


@dataclass(frozen=True)
class Point:
    """A design point as a plan sees it.

    `moments`: covariance of one match; `slope`: |dR/dP| in points; `costs`: CPU seconds of a match of each part;
    `published_variance`: variance of the luck-adjusted result, as the published design uses it.
    """

    match_length: int
    player: str
    opponent: str
    p: float
    moments: Moments
    costs: Costs
    published_variance: float

    @property
    def slope(self) -> float:
        """|dR/dP| in rating points."""
        return float(1 / (abs(float(log_odds_per_point(self.match_length))) * self.p * (1 - self.p)))

    def std_error(self, matches: Mapping[Part, float]) -> float:
        """Return the standard error of R in points from so many matches of each part."""
        return self.slope * math.sqrt(variance(self.moments, matches))

    def published_std_error(self, matches: float) -> float:
        """Return the standard error of R in points from matches all analysed with luck, as published."""
        return self.slope * math.sqrt(self.published_variance / matches)

    def cpu(self, matches: Mapping[Part, float]) -> float:
        """Return the CPU seconds of so many matches of each part."""
        return sum(count * self.costs[part] for part, count in matches.items())


def _shares() -> list[dict[Part, float]]:
    """List the shares of CPU that are tried."""
    return [
        {"luck": a / STEPS, "errors": b / STEPS, "plain": (STEPS - a - b) / STEPS}
        for a in range(STEPS + 1)
        for b in range(STEPS + 1 - a)
    ]


def best(point: Point, cpu: float) -> dict[Part, float]:
    """Return the matches of each part that make the half-width least for `cpu` seconds, as whole numbers of matches.

    At least LEAST_RATES matches have their errors analysed and, if luck is analysed at all, LEAST_LUCK with luck.
    Raises PlanError where the seconds do not reach for that.
    """
    least = LEAST_RATES * point.costs["errors"]
    if cpu < least:
        raise PlanError(
            f"{point.match_length} points, {point.player}: {cpu:.0f} s of CPU are less than the {least:.0f} s that "
            f"{LEAST_RATES} matches with errors take: allow a greater half-width less or give more hours"
        )
    found: tuple[float, dict[Part, float]] | None = None
    for share in _shares():
        matches = {part: share[part] * cpu / point.costs[part] for part in PARTS}
        if 0 < matches["luck"] < LEAST_LUCK:
            continue
        missing = LEAST_RATES - matches["luck"] - matches["errors"]
        if missing > 0:  # pay for them with matches that are only played
            matches["errors"] += missing
            matches["plain"] -= missing * point.costs["errors"] / point.costs["plain"]
        if matches["plain"] < 0:
            continue
        spread = variance(point.moments, matches)
        if found is None or spread < found[0]:
            found = (spread, matches)
    assert found is not None  # all CPU on errors is always allowed
    return {part: float(round(count)) for part, count in found[1].items()}


def rate(point: Point) -> float:
    """Return the least standard error of R times the root of CPU seconds, without regard to least numbers."""
    tries = ({part: share[part] / point.costs[part] for part in PARTS} for share in _shares())
    return point.slope * math.sqrt(min(variance(point.moments, matches) for matches in tries))


COLUMNS = [
    "match_length", "player", "opponent", "p_win", "luck", "errors", "plain", "cpu_seconds", "half_width",
    "published_half_width", "confidence",
]  # fmt: skip


def for_budget(points: Sequence[Point], cpu: float) -> pd.DataFrame:
    """Plan for `cpu` seconds in all so that the mean half-width of R over the points is least (COLUMNS).

    `published_half_width`: what the same CPU gives as published, equally many matches at each point of one length, all
    with luck, in the proportion of CPU that the published design spends on each length.
    """
    weights = np.array([rate(point) for point in points]) ** (2 / 3)
    return _table(points, cpu * weights / weights.sum(), cpu)


def for_half_width(points: Sequence[Point], half_width: float) -> pd.DataFrame:
    """Plan so that the half-width of R at every point is at most `half_width` (COLUMNS)."""
    if half_width <= 0:
        raise PlanError(f"a half-width is more than 0 points, not {half_width:g}")
    z = quantile(CONFIDENCE)
    needed = []
    for point in points:
        least = LEAST_RATES * point.costs["errors"]
        seconds = max((z * rate(point) / half_width) ** 2, least)
        while z * point.std_error(best(point, seconds)) > half_width:  # least numbers and rounding cost a little
            seconds *= 1.02
        needed.append(seconds)
    return _table(points, np.array(needed), float(sum(needed)))


def _table(points: Sequence[Point], seconds: Floats, cpu: float) -> pd.DataFrame:
    z = quantile(CONFIDENCE)
    # The published design plays as many matches at every point.
    everywhere = cpu / sum(point.costs["luck"] for point in points)
    rows: list[dict[str, Any]] = []
    for point, own in zip(points, seconds, strict=True):
        matches = best(point, float(own))
        rows.append(
            {
                "match_length": point.match_length, "player": point.player, "opponent": point.opponent,
                "p_win": point.p, **{part: int(matches[part]) for part in PARTS}, "cpu_seconds": point.cpu(matches),
                "half_width": z * point.std_error(matches),
                "published_half_width": z * point.published_std_error(everywhere), "confidence": CONFIDENCE,
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)
