"""One measure of strength as a function of another: PR, Snowie's error rate, gnubg's, and ratings.

PR is 500 and gnubg's error rate (mEMG per decision) 1000 times the error per unforced move and close cube decision, so
gnubg's is twice PR by definition where both count alike; Snowie's is 1000 times the own error over both players' moves.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.choose import Chosen
from bgrating.formula.fibs import win_probability
from bgrating.formula.formula import MULTIPLIES
from bgrating.people.shrinkage import credibility, within_variance

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
LEAST = 8
"""Players below which nothing is converted."""
REPLICATES = 1000
SEED = 7
PR_GRID = (2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.5, 15.0, 17.5)
XG_GRADES = {3.0: 2000.0, 6.0: 1900.0, 10.0: 1767.0, 17.5: 1517.0}
XG_CHANCES = {1: 0.44, 3: 0.40, 5: 0.38, 11: 0.32, 25: 0.24}
"""Chances of the weaker side at a gap of 6 PR (XG's author, 2011)."""
GAP, XG_POINTS = 6.0, 33.0
FACTOR_COLUMNS = columns("people/conversions")
GRID_COLUMNS = columns("people/conversion_values")
CHANCE_COLUMNS = columns("people/pr_gap")
COLUMNS = (FACTOR_COLUMNS, GRID_COLUMNS, CHANCE_COLUMNS)

SNOWIE, GNUBG, PR_2003, GNUBG_2003 = "Snowie rate", "gnubg rate", "PR, count of 2003", "gnubg rate, count of 2003"
GNUBG_PER_SNOWIE = "gnubg rate per Snowie rate"
ESTIMATED, RECORDED = "estimated rating", "recorded rating"
RULES = {
    GNUBG_PER_SNOWIE: "1.4 (gnubg's manual), nearer 2 (2007)",
    f"{ESTIMATED} per PR": "-33 (XG's author, 2011)",
    f"{RECORDED} per PR": "-33 (XG's author, 2011)",
    f"{ESTIMATED} per Snowie rate": "-31.5 (XG's author, 2011)",
    f"{RECORDED} per Snowie rate": "-31.5 (XG's author, 2011)",
    GNUBG: "2, by definition",
}


@dataclass(frozen=True)
class _Crowd:
    """Sums over each player's rated matches, players by columns, and how often each is drawn, replicates by players."""

    errors: Floats
    today: Floats
    in_2003: Floats
    moves_of_both: Floats
    chequer: Floats
    moves: Floats
    cube: Floats
    decisions: Floats
    matches: int
    noise: float
    weight: Floats
    drawn: Floats

    @property
    def pr(self) -> Floats:
        return np.asarray(500 * self.errors / self.today)


def conversions(
    matches: pd.DataFrame, strengths: pd.DataFrame, chosen: Chosen
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return conversion factors (FACTOR_COLUMNS), values at PR_GRID (GRID_COLUMNS), chances at a gap (CHANCE_COLUMNS).

    PR is that of today's close decisions. Factors between rates are ratios of sums over all players. Ratings are lines
    through players weighted with how sure their PR is (D / (D + k), D their decisions, k as in shrinkage.py): estimated
    ratings with the given offset, and recorded ones, whose line is corrected for the noise of PR (method of moments,
    calibration.py). A factor `per PR` is the slope; a grid row reads the line off. Chances: what the formula makes of
    the EPM and EPC that go with a gap in PR. Intervals are quantiles of a bootstrap of players.
    """
    crowd = _crowd(matches, chosen)
    if crowd is None:
        return tuple(pd.DataFrame(columns=names) for names in COLUMNS)  # type: ignore[return-value]
    names, about = _names(matches), {"confidence": CONFIDENCE, "n_matches": crowd.matches}
    everybody = about | {"n_players": len(names)}
    factors: list[dict[str, Any]] = []
    grid: list[dict[str, Any]] = []
    for name, values in _ratios(crowd).items():
        factors.append(everybody | _row("conversion", name, values))
        if name != GNUBG_PER_SNOWIE:
            grid += [everybody | {"pr": pr} | _row("measure", name, values * pr) for pr in PR_GRID]
    for name, rating in _ratings(names, strengths).items():
        known = np.isfinite(rating)
        if int(known.sum()) < LEAST:
            continue
        there = _rated(matches)["recorded_rating"].notna() | (name == ESTIMATED)
        shown = _rated(matches)[there][["file", "match"]].drop_duplicates()
        people = about | {"n_players": int(known.sum()), "n_matches": len(shown)}
        noise = np.full(len(names), crowd.noise) / crowd.today if name == RECORDED else np.zeros(len(names))
        slope, centre, height = _lines(crowd.pr, rating, noise, crowd.weight, crowd.drawn, known)
        factors.append(people | _row("conversion", f"{name} per PR", slope))
        per_snowie = slope / _ratios(crowd)[SNOWIE]
        factors.append(people | _row("conversion", f"{name} per Snowie rate", per_snowie))
        for pr in PR_GRID:
            grid.append(people | {"pr": pr} | _row("measure", name, height + slope * (pr - centre)))
            grid[-1]["rule"] = str(XG_GRADES[pr]) if pr in XG_GRADES else ""
    chances = [everybody | row for row in _chances(crowd, chosen)]
    return (
        pd.DataFrame(factors, columns=FACTOR_COLUMNS),
        pd.DataFrame(grid, columns=GRID_COLUMNS),
        pd.DataFrame(chances, columns=CHANCE_COLUMNS),
    )


def _rated(matches: pd.DataFrame) -> pd.DataFrame:
    return matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]


def _names(matches: pd.DataFrame) -> list[str]:
    return sorted(_rated(matches)["player"].unique())


def _crowd(matches: pd.DataFrame, chosen: Chosen) -> _Crowd | None:
    rows = _rated(matches)
    names = _names(matches)
    if len(names) < LEAST:
        return None
    columns = {
        "errors": rows["chequer_error_emg"] + rows["cube_error_emg"],
        "today": rows["unforced_moves"] + rows["close_cube_decisions"],
        "in_2003": rows["unforced_moves"] + rows["close_cube_decisions_2003"],
        "moves_of_both": rows.groupby(["file", "match"])["total_moves"].transform("sum"),
        "chequer": rows["chequer_error_emg"],
        "moves": rows["unforced_moves"],
        "cube": rows["cube_error_emg"],
        "decisions": rows[chosen.decisions],
    }
    number = np.searchsorted(np.array(names, dtype=str), rows["player"].to_numpy(str))
    errors, decisions = (columns[name].to_numpy(np.float64) for name in ("errors", "today"))
    sums: dict[str, Any] = {name: np.bincount(number, values.to_numpy(float)) for name, values in columns.items()}
    rng = np.random.default_rng(SEED)
    count = len(names)
    drawn = np.vstack([np.ones(count), rng.multinomial(count, np.full(count, 1 / count), REPLICATES)])
    noise = 500.0**2 * within_variance(number, errors, decisions)
    worth = credibility(number, errors, decisions).worth
    weight = np.ones(count) if math.isinf(worth) else sums["today"] / (sums["today"] + worth)
    return _Crowd(
        **sums, matches=len(rows[["file", "match"]].drop_duplicates()), noise=noise, weight=weight, drawn=drawn
    )


def _ratios(crowd: _Crowd) -> dict[str, Floats]:
    """Return ratios of sums, the first entry the whole, the others replicates."""
    today, in_2003, moves = (crowd.drawn @ values for values in (crowd.today, crowd.in_2003, crowd.moves_of_both))
    return {
        SNOWIE: 2 * today / moves,
        GNUBG: np.full(len(today), 2.0),
        PR_2003: today / in_2003,
        GNUBG_2003: 2 * today / in_2003,
        GNUBG_PER_SNOWIE: moves / today,
    }


def _ratings(names: list[str], strengths: pd.DataFrame) -> dict[str, Floats]:
    """Return the players' estimated and recorded ratings: means over sites, by decisions and by recorded matches."""
    found = {}
    for label, column, weight in (
        (ESTIMATED, "rating", "decisions"),
        (RECORDED, "recorded_rating", "recorded_matches"),
    ):
        known = strengths[strengths[column].notna()]
        total = (known[column] * known[weight]).groupby(known["player"]).sum() / known.groupby("player")[weight].sum()
        found[label] = total.reindex(names).to_numpy(np.float64)
    return found


def _lines(
    x: Floats, y: Floats, noise: Floats, weight: Floats, drawn: Floats, known: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Return slope, centre in x and height there, replicates each; the spread of x is taken less its noise."""
    mass = drawn[:, known] * weight[known]
    x, y, noise = x[known], y[known], noise[known]
    total = mass.sum(axis=1)
    centre, height = mass @ x / total, mass @ y / total
    spread = mass @ x**2 / total - centre**2 - mass @ noise / total
    together = mass @ (x * y) / total - centre * height
    return np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), np.nan), centre, height


def _chances(crowd: _Crowd, chosen: Chosen) -> Iterator[dict[str, Any]]:
    """Yield what a gap of GAP in PR is worth at each length by the formula, and what XG's author says."""
    everybody = np.ones(len(crowd.pr), dtype=bool)
    none = np.zeros(len(crowd.pr))
    slopes = {}
    for name, errors, count in (("a2", crowd.chequer, crowd.moves), ("b", crowd.cube, crowd.decisions)):
        rates = np.divide(errors, count, out=np.zeros_like(errors), where=count > 0)
        slopes[name] = _lines(crowd.pr, rates, none, crowd.weight, crowd.drawn, everybody)[0]
    rng = np.random.default_rng(SEED)
    formula = chosen.formula
    covariance = np.nan_to_num(formula.covariance)
    terms = np.vstack([formula.estimate, rng.multivariate_normal(formula.estimate, covariance, REPLICATES)])
    for length, said in XG_CHANCES.items():
        if not formula.every_length:
            continue
        points = sum(
            slopes[name]
            * (terms @ formula.rows(length, **{MULTIPLIES[one]: float(one == name) for one in formula.coefficients}))
            for name in formula.coefficients
        )
        chance = win_probability(GAP * np.asarray(points), length)
        low, high = _ends(np.asarray(points))
        chance_low, chance_high = _ends(chance)
        yield {
            "match_length": length, "pr_gap": GAP, "points_per_pr": float(np.asarray(points)[0]), "points_low": low,
            "points_high": high, "chance": float(chance[0]), "chance_low": chance_low, "chance_high": chance_high,
            "xg_says": said, "xg_points_say": float(win_probability(GAP * XG_POINTS, length)),
            "based_on": formula.basis(length),
        }  # fmt: skip


def _ends(values: Floats) -> tuple[float, float]:
    if not np.isfinite(values[1:]).all():
        return math.nan, math.nan
    low, high = np.quantile(values[1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _row(key: str, name: str, values: Floats) -> dict[str, Any]:
    low, high = _ends(values)
    return {key: name, "estimate": float(values[0]), "ci_low": low, "ci_high": high, "rule": RULES.get(name, "")}
