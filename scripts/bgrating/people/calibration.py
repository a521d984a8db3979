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
from numpy.typing import NDArray
from scipy import stats

from bgrating.dictionary import columns
from bgrating.formula.field import PRIOR, random_effects
from bgrating.formula.intervals import delete_one_error, quantile

Floats = NDArray[np.float64]

RECORDED_SD = math.sqrt(4000.0 / math.log(10.0))
CONFIDENCE = 0.9
LEAST = 8
"""Players with a recorded rating below which no line is fitted."""
APPENDIX_COLUMNS = columns("people/appendix")
LINE_COLUMNS = columns("people/lines")
SUMMARY_COLUMNS = columns("people/calibration")


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
    """Set every recorded rating beside its estimate, those with most matches first (APPENDIX_COLUMNS).

    With the fitted offset of the site where there is one, otherwise with the given one. The intervals hold the errors
    of the estimate alone, by Student's t (`estimate`), or after shrinkage (`shrunk_…`).
    """
    rows = []
    fitted = site_offsets(strengths, offset)
    z = quantile(CONFIDENCE)
    for row in recorded(strengths).to_dict("records"):
        own_offset = fitted.get(row["site"], (offset,))[0]
        move = own_offset - offset
        half = quantile(CONFIDENCE, PRIOR + row["matches"] - 1) * row["rating_se"]
        estimate, shrunk = row["rating"] + move, row["shrunk_rating"] + move
        rows.append(
            {
                "site": row["site"], "player": row["player"], "matches": row["matches"], "offset": own_offset,
                "offset_kind": "fitted" if row["site"] in fitted else "given",
                "recorded_rating": row["recorded_rating"], "recorded_matches": row["recorded_matches"],
                "estimate": estimate, "ci_low": estimate - half, "ci_high": estimate + half,
                "difference": row["recorded_rating"] - estimate,
                "shrunk_estimate": shrunk, "shrunk_low": shrunk - z * row["shrunk_se"],
                "shrunk_high": shrunk + z * row["shrunk_se"], "shrunk_difference": row["recorded_rating"] - shrunk,
                "confidence": CONFIDENCE,
            }
        )  # fmt: skip
    table = pd.DataFrame(rows, columns=APPENDIX_COLUMNS)
    table["inside"] = table["recorded_rating"].between(table["ci_low"], table["ci_high"])
    table["shrunk_inside"] = table["recorded_rating"].between(table["shrunk_low"], table["shrunk_high"])
    return table.sort_values(["matches", "player"], ascending=[False, True], ignore_index=True)


def lines(strengths: pd.DataFrame) -> pd.DataFrame:
    """Fit lines through the players of each site, with and without correction for noise (LINE_COLUMNS).

    `line` is `estimate on recorded` or `recorded on estimate`; 1 is what a formula of the right scale gives once the
    noise of what stands on the right is taken out (`corrected_for`). A shrunken estimate needs no correction: it is
    already the best guess of the strength. `players` is `all`, or `without the busiest`, if one has more
    than a quarter of the matches. Method of moments with known error variances (Fuller, Measurement Error Models, 1987,
    section 1.2; Akritas and Bershady, Astrophysical Journal 470 (1996) 706), players weighted with the precision of
    their estimates; intervals by the jackknife over players.
    """
    rows = [row for site, players, own in _groups(strengths) for row in _lines(site, players, own)]
    return pd.DataFrame(rows, columns=LINE_COLUMNS)


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
    """Return what the calibration says in single figures, site by site (SUMMARY_COLUMNS).

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
    return pd.DataFrame(rows, columns=SUMMARY_COLUMNS)


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
    variance = own["rating_se"].to_numpy(np.float64) ** 2
    off = (own["recorded_rating"] - own["rating"]).to_numpy(np.float64)
    shrunk_off = (own["recorded_rating"] - own["shrunk_rating"]).to_numpy(np.float64) - move
    shrunk = own["shrunk_se"].to_numpy(np.float64) ** 2
    known = variance + RECORDED_SD**2
    several = own["matches"].to_numpy() > 1
    between = (own["ci_low"] + move <= own["recorded_rating"]) & (own["recorded_rating"] <= own["ci_high"] + move)
    asked = [
        ("coverage, as in players.csv, given offset", (own["ci_low"] <= own["recorded_rating"])[several]
         & (own["recorded_rating"] <= own["ci_high"])[several]),
        ("coverage, as in players.csv, fitted offset", between[several]),
        ("coverage, errors of estimates", np.abs(off - move) <= z * np.sqrt(variance)),
        ("coverage, errors of both", np.abs(off - move) <= z * np.sqrt(known)),
        ("coverage, errors of both and scatter", np.abs(off - move) <= z * np.sqrt(known + scatter**2)),
        ("coverage, shrunken, errors of estimates", np.abs(shrunk_off) <= z * np.sqrt(shrunk)),
        ("coverage, shrunken, errors of both", np.abs(shrunk_off) <= z * np.sqrt(shrunk + RECORDED_SD**2)),
    ]  # fmt: skip
    for name, inside in asked:
        hits, count = int(np.sum(inside)), len(inside)
        if count and not (name.startswith("coverage, shrunken") and np.isnan(shrunk_off).all()):
            test = stats.binomtest(hits, count).proportion_ci(CONFIDENCE)
            yield {"quantity": name, "value": hits / count, "ci_low": test.low, "ci_high": test.high}
