"""Appendix I renewed: recorded ratings against estimated ones, when both are noisy.

A recorded rating wanders about the player's strength. With gains of 4 sqrt(N) (1 - P) points and losses of 4 sqrt(N) P
a match (the rules of FIBS), one match adds a variance of 16 N P (1 - P) and pulls back by 4 sqrt(N) P (1 - P) c of the
distance, c = ln(10) sqrt(N) / 2000; in the long run the variance is 2 sqrt(N) / c = 4000 / ln(10), whatever N: a
standard deviation of 42 points. Estimated ratings have the errors of strength.py.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.rating.fibs import Floats
from bgrating.rating.field import PRIOR, random_effects
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.tables.dictionary import columns

RECORDED_SD = math.sqrt(4000.0 / math.log(10.0))
LEAST = 8
"""Players with a recorded rating below which no line is fitted."""


def recorded(strengths: pd.DataFrame) -> pd.DataFrame:
    """Return the players whose rating a file states and whose estimate has an error."""
    return strengths[strengths["recorded_rating"].notna() & (strengths["rating_se"] > 0)].reset_index(drop=True)


def site_offsets(strengths: pd.DataFrame, offset: float) -> dict[str, tuple[float, float, float, int]]:
    """Fit the offset of every site with enough recorded ratings: offset, standard error, scatter left over, players.

    The offset is what the estimates need to agree with the recorded ratings on average; the scatter left over is the
    standard deviation of their differences beyond the errors of both.
    """
    found = {}
    for site, here in recorded(strengths).groupby("site", sort=True):
        variance = here["rating_se"].to_numpy(np.float64) ** 2 + RECORDED_SD**2
        off, error, between = random_effects((here["recorded_rating"] - here["rating"]).to_numpy(np.float64), variance)
        if len(here) >= LEAST:
            found[str(site)] = (offset + off, error, math.sqrt(between), len(here))
    return found


def appendix(strengths: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Set every recorded rating beside its estimate, those with most matches first (people/appendix).

    With the fitted offset of the site where there is one, otherwise with the given one. The intervals hold the errors
    of the estimate alone, by Student's t (`estimate`), or after shrinkage (`shrunk_…`).
    """
    own = recorded(strengths)
    fitted = {site: found[0] for site, found in site_offsets(strengths, offset).items()}
    offsets = own["site"].map(fitted).fillna(offset).astype(float)
    half = quantile(CONFIDENCE, PRIOR + own["matches"].to_numpy(np.float64) - 1) * own["rating_se"]
    shrunk_half = quantile(CONFIDENCE) * own["shrunk_se"]
    table = own[["site", "player", "matches", "recorded_rating", "recorded_matches"]].assign(
        offset=offsets,
        offset_kind=np.where(own["site"].isin(list(fitted)), "fitted", "given"),
        confidence=CONFIDENCE,
    )
    for prefix, low, high, reach in (
        ("", "ci_low", "ci_high", half),
        ("shrunk_", "shrunk_low", "shrunk_high", shrunk_half),
    ):
        estimate = own[f"{prefix}rating"] + (offsets - offset)
        table[f"{prefix}estimate"], table[low], table[high] = estimate, estimate - reach, estimate + reach
        table[f"{prefix}difference"] = own["recorded_rating"] - estimate
        table[f"{prefix}inside"] = own["recorded_rating"].between(table[low], table[high])
    return table.sort_values(["matches", "player"], ascending=[False, True], ignore_index=True)


def lines(strengths: pd.DataFrame) -> pd.DataFrame:
    """Fit lines through the players of each site, with and without correction for noise (people/lines).

    `line` is `estimate on recorded` or `recorded on estimate`; 1 is what a formula of the right scale gives once the
    noise of what stands on the right is taken out (`corrected_for`). A shrunken estimate needs no correction: it is
    already the best guess of the strength. `players` is `all`, or `without the busiest`, if one has more
    than a quarter of the matches. Method of moments with known error variances (Fuller, Measurement Error Models, 1987,
    section 1.2; Akritas and Bershady, Astrophysical Journal 470 (1996) 706), players weighted with the precision of
    their estimates; intervals by the jackknife over players.
    """
    rows = [row for site, players, own in _groups(strengths) for row in _lines(site, players, own)]
    return pd.DataFrame(rows, columns=columns("people/lines"))


def _groups(strengths: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the sites with enough recorded ratings, with everybody and without whoever plays most of the matches."""
    for site, here in recorded(strengths).groupby("site", sort=True):
        if len(here) < LEAST:
            continue
        yield str(site), "all", here
        most = here.sort_values("matches").iloc[-1]
        if most["matches"] > here["matches"].sum() / 4 and len(here) > LEAST:
            yield str(site), "without the busiest", here[here["player"] != most["player"]]


def _lines(site: str, players: str, own: pd.DataFrame) -> Iterator[dict[str, Any]]:
    given = own["recorded_rating"].to_numpy(np.float64)
    value = own["rating"].to_numpy(np.float64)
    shrunk = own["shrunk_rating"].to_numpy(np.float64)
    variance = own["rating_se"].to_numpy(np.float64) ** 2
    weight = weights(value, variance)
    site_noise = np.full(len(own), RECORDED_SD**2)
    none = np.zeros(len(own))
    asked = [
        ("estimate on recorded", "nothing", given, value, none),
        ("estimate on recorded", "noise of recorded ratings", given, value, site_noise),
        ("recorded on estimate", "nothing", value, given, none),
        ("recorded on estimate", "noise of estimates", value, given, variance),
        ("recorded on shrunken estimate", "shrinkage", shrunk, given, none),
    ]
    for line, corrected, x, y, noise in asked:
        if not np.isfinite(x).all():
            continue
        slope, error = slope_of(x, y, noise, weight)
        half = quantile(CONFIDENCE, len(own) - 2) * error
        yield {
            "site": site, "players": players, "line": line, "corrected_for": corrected, "slope": slope,
            "std_error": error, "ci_low": slope - half, "ci_high": slope + half, "confidence": CONFIDENCE,
            "n_players": len(own), "n_matches": int(own["matches"].sum()),
        }  # fmt: skip


def weights(value: Floats, variance: Floats) -> Floats:
    """Return weights of players: the precision of each as one of a crowd, error and spread of the crowd together."""
    between = random_effects(value, variance)[2]
    return np.asarray(1 / (variance + (between if math.isfinite(between) else 0.0)))


def slope_of(x: Floats, y: Floats, x_noise: Floats, weight: Floats) -> tuple[float, float]:
    """Return the slope of y on the true x and its standard error (jackknife over points).

    `x_noise` are the error variances of x; errors of x and y are independent. The slope is the covariance over the
    variance of x less the mean error variance, all weighted; NaN where nothing is left of the variance.
    """
    # Weighted sums without point i are the whole sums less its own part: the jackknife needs no loop.
    parts = np.stack([weight, weight * x, weight * y, weight * x * x, weight * x * y, weight * x_noise])
    sums = parts.sum(axis=1, keepdims=True)

    def slopes(total: Floats) -> Floats:
        mass, sx, sy, sxx, sxy, noise = total
        spread = sxx / mass - (sx / mass) ** 2 - noise / mass
        return np.where(spread > 0, (sxy / mass - sx * sy / mass**2) / np.where(spread > 0, spread, 1.0), np.nan)

    whole, without = float(slopes(sums)[0]), slopes(sums - parts)
    return whole, delete_one_error(without)


def summary(strengths: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return what the calibration says in single figures, site by site (people/calibration).

    `offset`: fitted; `scatter`: standard deviation of recorded less estimated beyond the errors of both; `correlation`
    and `correlation, noise taken out` (divided by the root of both reliabilities: Spearman, American Journal of
    Psychology 15 (1904) 72), by Fisher's transform; `coverage …`: shares of recorded ratings inside intervals, with
    Clopper and Pearson's: of estimates alone, with the noise of recorded ratings, with the scatter besides, and of
    shrunken ones; `recorded sd`: of a player's recorded ratings from match to match.
    """
    rows: list[dict[str, Any]] = []
    for site, players, own in _groups(strengths):
        about = {
            "site": site, "players": players, "confidence": CONFIDENCE, "n_players": len(own),
            "n_matches": int(own["matches"].sum()),
        }  # fmt: skip
        fitted, error, scatter, _ = site_offsets(own, offset)[site]
        half = quantile(CONFIDENCE, len(own) - 1) * error
        rows.append(about | {"quantity": "offset", "value": fitted, "ci_low": fitted - half, "ci_high": fitted + half})
        rows.append(about | {"quantity": "scatter", "value": scatter})
        rows += [about | row for row in _correlations(own)]
        rows += [about | row for row in _coverage(own, fitted - offset, scatter)]
        often = own[own["recorded_matches"] >= LEAST]
        if len(often):
            spread = math.sqrt(float(np.average(often["recorded_sd"] ** 2, weights=often["recorded_matches"] - 1)))
            rows.append(about | {"quantity": "recorded sd", "value": spread})
    return pd.DataFrame(rows, columns=columns("people/calibration"))


def _correlations(own: pd.DataFrame) -> Iterator[dict[str, Any]]:
    x, y = own["recorded_rating"].to_numpy(np.float64), own["rating"].to_numpy(np.float64)
    variance = own["rating_se"].to_numpy(np.float64) ** 2
    weight = weights(y, variance)
    cov = np.cov(x, y, aweights=weight, ddof=0)
    found = float(cov[0, 1] / math.sqrt(cov[0, 0] * cov[1, 1]))
    effective = float(weight.sum() ** 2 / (weight**2).sum())
    half = quantile(CONFIDENCE) / math.sqrt(max(effective - 3, 1.0))
    ends = np.tanh(np.arctanh(found) + np.array([-half, half]))
    yield {"quantity": "correlation", "value": found, "ci_low": float(ends[0]), "ci_high": float(ends[1])}
    left = (cov[0, 0] - RECORDED_SD**2) * (cov[1, 1] - float(np.average(variance, weights=weight)))
    if left > 0:
        scale = math.sqrt(cov[0, 0] * cov[1, 1] / left)
        yield {
            "quantity": "correlation, noise taken out", "value": found * scale,
            "ci_low": float(ends[0]) * scale, "ci_high": float(ends[1]) * scale,
        }  # fmt: skip


def _coverage(own: pd.DataFrame, move: float, scatter: float) -> Iterator[dict[str, Any]]:
    z = quantile(CONFIDENCE)
    given = own["recorded_rating"]
    variance, shrunk_variance = own["rating_se"] ** 2, own["shrunk_se"] ** 2
    off, shrunk_off = ((given - own[name] - move).abs() for name in ("rating", "shrunk_rating"))
    several = own["matches"] > 1
    known = variance + RECORDED_SD**2
    asked = {
        "as in players.csv, given offset": given.between(own["ci_low"], own["ci_high"])[several],
        "as in players.csv, fitted offset": given.between(own["ci_low"] + move, own["ci_high"] + move)[several],
        "errors of estimates": off <= z * variance**0.5,
        "errors of both": off <= z * known**0.5,
        "errors of both and scatter": off <= z * (known + scatter**2) ** 0.5,
    }
    if shrunk_off.notna().any():
        asked |= {
            "shrunken, errors of estimates": shrunk_off <= z * shrunk_variance**0.5,
            "shrunken, errors of both": shrunk_off <= z * (shrunk_variance + RECORDED_SD**2) ** 0.5,
        }
    for name, inside in asked.items():
        hits, count = int(inside.sum()), len(inside)
        if count:
            ends = stats.binomtest(hits, count).proportion_ci(CONFIDENCE)
            yield {"quantity": f"coverage, {name}", "value": hits / count, "ci_low": ends.low, "ci_high": ends.high}
