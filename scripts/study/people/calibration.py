"""Appendix I renewed: recorded ratings against estimated ones, when both are noisy.

A recorded rating wanders about the player's strength. Under the rules of FIBS a match gains 4 sqrt(N) (1 - P) points or
loses 4 sqrt(N) P. So it adds a variance of 16 N P (1 - P). It also pulls the rating back by 4 sqrt(N) P (1 - P) c of
the distance, c = ln(10) sqrt(N) / 2000. In the long run the variance is 2 sqrt(N) / c = 4000 / ln(10), whatever N: a
standard deviation of 42 points.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.collection.players import errors_of, rated
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats
from bgrating.rating.field import PRIOR, loss_per_root, pooled_scatter, random_effects, roots, variances
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.tables.dictionary import columns

RECORDED_SD = math.sqrt(4000.0 / math.log(10.0))
LEAST = 8
"""Players with a recorded rating below which nothing is fitted."""


def strengths(matches: pd.DataFrame, model: RatingModel, offset: float) -> pd.DataFrame:
    """Return one row per named player and site (the dialect of the text) with an estimated rating.

    Columns: `site, player, matches, decisions, rating, rating_se, recorded_rating, recorded_matches`. The error is by
    the scatter of all the site's players and the player's own (rating/field.py).
    """
    usable = (matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)
    usable_rows = matches[usable].assign(decided=matches["unforced_moves"] + matches[model.decisions])
    tables = []
    for site, here in usable_rows.groupby("dialect", sort=True):
        groups = here.groupby("player", sort=True)
        table = pd.DataFrame([rated(errors_of(rows, model), model, offset) for _, rows in groups])
        table = table.assign(
            site=str(site), player=[str(name) for name, _ in groups], decisions=groups["decided"].sum().to_numpy(),
            recorded_rating=groups["recorded_rating"].mean().to_numpy(),
            recorded_matches=groups["recorded_rating"].count().to_numpy(),
        )  # fmt: skip
        table = table[np.isfinite(table["rating"].astype(float))]
        variance, _ = variances(table, pooled_scatter(table))
        tables.append(table.assign(rating_se=loss_per_root(np.maximum(roots(table), 1.0)) * np.sqrt(variance)))
    names = ["site", "player", "matches", "decisions", "rating", "rating_se", "recorded_rating", "recorded_matches"]
    return pd.concat(tables, ignore_index=True)[names] if tables else pd.DataFrame(columns=names)


def _sites(strengths: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sites with enough players whose rating a file states and whose estimate has an error."""
    known = strengths[strengths["recorded_rating"].notna() & (strengths["rating_se"] > 0)]
    for site, here in known.groupby("site", sort=True):
        if len(here) >= LEAST:
            yield str(site), here.reset_index(drop=True)


def site_offset(players: pd.DataFrame, offset: float) -> tuple[float, float, float]:
    """Fit the offset that makes a site's estimates agree with its recorded ratings: offset, standard error, scatter.

    The scatter is the standard deviation of the differences beyond the errors of both.
    """
    variance = players["rating_se"].to_numpy(np.float64) ** 2 + RECORDED_SD**2
    off, error, between = random_effects(
        (players["recorded_rating"] - players["rating"]).to_numpy(np.float64), variance
    )
    return offset + off, error, math.sqrt(between)


def appendix(strengths: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Set every recorded rating beside its estimate, with the site's fitted offset (people/appendix).

    Those with most matches come first. The intervals hold the errors of the estimate alone (Student's t).
    """
    tables = []
    for site, players in _sites(strengths):
        fitted = site_offset(players, offset)[0]
        half = quantile(CONFIDENCE, PRIOR + players["matches"].to_numpy(np.float64) - 1) * players["rating_se"]
        estimate = players["rating"] + fitted - offset
        tables.append(
            players[["player", "matches", "recorded_rating"]].assign(
                site=site, offset=fitted, estimate=estimate, ci_low=estimate - half, ci_high=estimate + half,
                difference=players["recorded_rating"] - estimate, confidence=CONFIDENCE,
            )
        )  # fmt: skip
    table = pd.concat(tables) if tables else pd.DataFrame(columns=columns("people/appendix"))
    table = table.sort_values(["matches", "player"], ascending=[False, True], ignore_index=True)
    return table[columns("people/appendix")]


def calibration(strengths: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Compare recorded ratings with estimated ones in single figures, site by site (people/calibration).

    `offset`: fitted; `scatter`: standard deviation of recorded less estimated beyond the errors of both. A slope is 1
    for a formula of the right scale. Slopes are corrected for the noise of the regressor (method of moments with known
    error variances: Fuller, Measurement Error Models, 1987, section 1.2; jackknife over players); `coverage`: recorded
    ratings inside intervals that allow for the errors of both and the scatter (Clopper and Pearson's).
    """
    rows = []
    for site, players in _sites(strengths):
        about = {
            "site": site, "confidence": CONFIDENCE, "n_players": len(players),
            "n_matches": int(players["matches"].sum()),
        }  # fmt: skip
        rows += [about | row for row in _figures(players, offset)]
    return pd.DataFrame(rows, columns=columns("people/calibration"))


def _figures(players: pd.DataFrame, offset: float) -> Iterator[dict[str, Any]]:
    fitted, error, scatter = site_offset(players, offset)
    dof = len(players) - 1
    yield {"quantity": "offset", **_around(fitted, error, dof)}
    yield {"quantity": "scatter", "value": scatter}
    given, value = players["recorded_rating"].to_numpy(np.float64), players["rating"].to_numpy(np.float64)
    variance = players["rating_se"].to_numpy(np.float64) ** 2
    between = random_effects(value, variance)[2]
    weight = 1 / (variance + (between if math.isfinite(between) else 0.0))
    site = np.full(len(players), RECORDED_SD**2)
    slope = slope_of(given, value, site, weight)
    yield {"quantity": "slope, estimate on recorded", **_around(*slope, dof - 1)}
    slope = slope_of(value, given, variance, weight)
    yield {"quantity": "slope, recorded on estimate", **_around(*slope, dof - 1)}
    off = np.abs(given - value - (fitted - offset))
    inside = off <= quantile(CONFIDENCE) * np.sqrt(variance + RECORDED_SD**2 + scatter**2)
    ends = stats.binomtest(int(inside.sum()), len(inside)).proportion_ci(CONFIDENCE)
    yield {"quantity": "coverage", "value": float(inside.mean()), "ci_low": ends.low, "ci_high": ends.high}


def _around(value: float, error: float, dof: int) -> dict[str, float]:
    half = quantile(CONFIDENCE, dof) * error
    return {"value": value, "ci_low": value - half, "ci_high": value + half}


def slope_of(x: Floats, y: Floats, x_noise: Floats, weight: Floats) -> tuple[float, float]:
    """Return the slope of y on the true x and its standard error (jackknife over points); see `slopes`."""
    slope, *without = slopes(weight * np.vstack([np.ones(len(x)), 1 - np.eye(len(x))]), x, y, x_noise)
    return float(slope), delete_one_error(np.array(without))


def slopes(weights: Floats, x: Floats, y: Floats, x_noise: Floats) -> Floats:
    """Return the slope of y on the true x for each row of weights.

    `x_noise` are the error variances of x; errors of x and y are independent. The slope is the covariance over the
    variance of x less the mean error variance, all weighted; NaN where nothing is left of the variance.
    """
    total = weights.sum(axis=1)
    centre, height = weights @ x / total, weights @ y / total
    spread = weights @ x**2 / total - centre**2 - weights @ x_noise / total
    together = weights @ (x * y) / total - centre * height
    return np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), np.nan)
