"""Estimated ratings of players at one site, with errors that a player of one match has too, and shrunk ones."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from bgrating.human.formulas import Chosen
from bgrating.human.players import errors_of
from bgrating.human.ratings import rating

Floats = NDArray[np.float64]

OWN_ERROR_FROM = 20
"""Matches from which a player's own scatter over matches says how sure the estimate is; below, that of everybody."""
STRENGTH_COLUMNS = [
    "site", "player", "matches", "decisions", "rating", "ci_low", "ci_high", "rating_se", "shrunk_rating", "shrunk_se",
    "recorded_rating", "recorded_matches", "recorded_sd",
]  # fmt: skip


def strengths(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return one row a named player and site (the dialect of the text) with an estimated rating (STRENGTH_COLUMNS).

    `rating`, `ci_low`, `ci_high` are those of human/ratings.py, over the matches at this site. `rating_se` is the
    player's own standard error from OWN_ERROR_FROM matches on; below that the scatter of all players' matches at the
    site over the player's decisions, for two or three matches say little of their own scatter. `shrunk_rating` is drawn
    towards the site's mean as far as the error is large beside the spread of players (empirical Bayes: Efron and
    Morris, JASA 70 (1975) 311). NaN where a site has too few players or matches for it.
    """
    rated = matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]
    tables = []
    for site, here in rated.groupby("dialect", sort=True):
        rows = [_player(str(player), own, chosen, offset) for player, own in here.groupby("player", sort=True)]
        table = pd.DataFrame([row for row in rows if math.isfinite(row["rating"])])
        if len(table):
            tables.append(_with_errors(table).assign(site=str(site)))
    if not tables:
        return pd.DataFrame(columns=STRENGTH_COLUMNS)
    return pd.concat(tables, ignore_index=True)[STRENGTH_COLUMNS]


def _player(name: str, own: pd.DataFrame, chosen: Chosen, offset: float) -> dict[str, Any]:
    found = rating(errors_of(own, chosen), chosen.formula, offset)
    recorded = own["recorded_rating"].dropna().to_numpy(np.float64)
    return {
        "player": name,
        "matches": found.matches,
        "decisions": float(own["unforced_moves"].sum() + own[chosen.decisions].sum()),
        "rating": found.value,
        "ci_low": found.low,
        "ci_high": found.high,
        "jackknife": found.se_matches,
        "recorded_rating": float(recorded.mean()) if len(recorded) else math.nan,
        "recorded_matches": len(recorded),
        "recorded_sd": float(recorded.std(ddof=1)) if len(recorded) > 1 else math.nan,
    }


def _with_errors(table: pd.DataFrame) -> pd.DataFrame:
    several = table["matches"] > 1
    weight = (table["matches"] - 1.0)[several]
    per_decision = table["jackknife"][several] ** 2 * table["decisions"][several]
    pooled = float((weight * per_decision).sum() / weight.sum()) if weight.sum() else math.nan
    variance = np.where(table["matches"] >= OWN_ERROR_FROM, table["jackknife"] ** 2, pooled / table["decisions"])
    value = table["rating"].to_numpy(np.float64)
    mean, _, between = random_effects(value, variance)
    share = between / (between + variance) if math.isfinite(between) else np.full(len(value), math.nan)
    return table.assign(
        rating_se=np.sqrt(variance), shrunk_rating=mean + share * (value - mean), shrunk_se=np.sqrt(share * variance)
    )


def random_effects(value: Floats, variance: Floats) -> tuple[float, float, float]:
    """Return the mean of values with known error variances, its standard error, and their true variance between.

    The variance between is the one at which the weighted squares add up to their degrees of freedom (Paule and
    Mandel, J. Res. NBS 87 (1982) 377); the error of the mean is Hartung and Knapp's (Statistics in Medicine 20 (2001)
    3875). NaN with fewer than three values.
    """
    usable = np.isfinite(value) & np.isfinite(variance) & (variance > 0)
    value, variance = value[usable], variance[usable]
    if len(value) < 3:
        return math.nan, math.nan, math.nan

    def squares(between: float) -> tuple[float, float, float]:
        weight = 1 / (variance + between)
        mean = float(np.average(value, weights=weight))
        return float(weight @ (value - mean) ** 2), mean, float(weight.sum())

    free = len(value) - 1
    top = float(value.var(ddof=1)) * len(value) + 1.0
    between = 0.0
    if squares(0.0)[0] > free:
        between = float(optimize.brentq(lambda at: squares(at)[0] - free, 0.0, top, xtol=1e-9, rtol=1e-9))
    left, mean, total = squares(between)
    return mean, math.sqrt(max(left / free, 1e-300) / total), between


def student(dof: float, confidence: float) -> float:
    """Return how many standard errors half an interval has."""
    return float(stats.t.ppf((1 + confidence) / 2, dof))
