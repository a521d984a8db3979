"""One measure of strength as a function of another: PR, Snowie's error rate, gnubg's, and ratings.

PR is 500 times the error per unforced move and close cube decision. gnubg's error rate (mEMG per decision) is 1000
times, so it is twice PR where both count alike. Snowie's is 1000 times the own error over both players' moves.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.rating.pairs import credibility, within_variance
from bgrating.rating.rates import rate
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.dictionary import columns
from study.people.calibration import slopes
from study.people.shape import draws, matches_of

LEAST = 8
"""Players below which nothing is converted."""
REPLICATES = 1000
SEED = 7
XG_CHANCES = {1: 0.44, 3: 0.40, 5: 0.38, 11: 0.32, 25: 0.24}
"""Chances of the weaker side at a gap of 6 PR (XG's author, 2011)."""
GAP, XG_POINTS = 6.0, 33.0
SNOWIE, GNUBG_2003, GNUBG_PER_SNOWIE = "Snowie rate per PR", "gnubg rate of 2003 per PR", "gnubg rate per Snowie rate"
XG = "XG's PR per PR"
ESTIMATED, RECORDED = "estimated rating per PR", "recorded rating per PR"
RULES = {
    GNUBG_PER_SNOWIE: "1.4 (gnubg's manual), nearer 2 (2007)", GNUBG_2003: "2 with today's count, by definition",
    ESTIMATED: "-33 (XG's author, 2011)", RECORDED: "-33 (XG's author, 2011)",
}  # fmt: skip


def conversions(
    matches: pd.DataFrame, strengths: pd.DataFrame, model: RatingModel
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people/conversions (factors) and people/pr_gap (chances at a gap in PR).

    PR is that of today's close decisions. Factors between rates are ratios of sums over all players. A rating `per PR`
    is the slope of a line through players. Their weight is D / (D + k), D their decisions, k as in rating/pairs.py.
    Ratings are estimated with the given offset, or recorded. The line of recorded ones is corrected for the noise of PR
    (calibration.py). Chances: what the formula makes of the EPM and EPC that go with a gap in PR. Intervals are
    quantiles of a bootstrap of players.
    """
    rated = matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]
    factors: list[dict[str, Any]] = []
    chances: list[dict[str, Any]] = []
    if rated["player"].nunique() >= LEAST:
        decisions = rated["unforced_moves"] + rated["close_cube_decisions"]
        errors = rated["chequer_error_emg"] + rated["cube_error_emg"]
        sums, drawn = _by_player(
            rated, errors=errors, today=decisions,
            in_2003=rated["unforced_moves"] + rated["close_cube_decisions_2003"],
            moves_of_both=rated.groupby(["file", "match"])["total_moves"].transform("sum"),
            chequer=rated["chequer_error_emg"], moves=rated["unforced_moves"], cube=rated["cube_error_emg"],
            decisions=rated[model.decisions],
        )  # fmt: skip
        everybody = {"confidence": CONFIDENCE, "n_matches": matches_of(rated), "n_players": len(sums)}
        today, in_2003, moves = (drawn @ sums[name].to_numpy() for name in ("today", "in_2003", "moves_of_both"))
        ratios = {SNOWIE: 2 * today / moves, GNUBG_2003: 2 * today / in_2003, GNUBG_PER_SNOWIE: moves / today}
        factors += [everybody | _row(name, values) for name, values in ratios.items()]
        factors += beside_xg(rated)
        number = sums.index.get_indexer(pd.Index(rated["player"].to_numpy(str)))
        within = within_variance(number, errors.to_numpy(float), decisions.to_numpy(float))
        worth = credibility(number, errors.to_numpy(float), decisions.to_numpy(float)).worth
        mass = drawn if math.isinf(worth) else drawn * (sums["today"] / (sums["today"] + worth)).to_numpy()
        pr = 500 * (sums["errors"] / sums["today"]).to_numpy()
        for name, rating in _ratings(sums.index, strengths).items():
            known = np.isfinite(rating)
            if int(known.sum()) >= LEAST:
                counted = rated if name == ESTIMATED else rated[rated["recorded_rating"].notna()]
                people = everybody | {"n_players": int(known.sum()), "n_matches": matches_of(counted)}
                noise = (500.0**2 * within if name == RECORDED else 0.0) / sums["today"].to_numpy()
                factors.append(people | _row(name, slopes(mass[:, known], pr[known], rating[known], noise[known])))
        chances = [everybody | row for row in _chances(sums, mass, pr, model)]
    return (
        pd.DataFrame(factors, columns=columns("people/conversions")),
        pd.DataFrame(chances, columns=columns("people/pr_gap")),
    )


def _by_player(rows: pd.DataFrame, **figures: "pd.Series[Any]") -> tuple[pd.DataFrame, Floats]:
    """Return sums of figures over each player's rows, and how often each player is drawn, the first time all once."""
    names, number = np.unique(rows["player"].to_numpy(str), return_inverse=True)
    sums = pd.DataFrame({name: np.bincount(number, values) for name, values in figures.items()}, index=names)
    return sums, draws(len(names), np.random.default_rng(SEED), REPLICATES)


def beside_xg(rated: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what eXtreme Gammon's own PR is of ours on the matches that it has analysed, if they are of LEAST players.

    Both are errors over decisions, summed over these matches; each program counts the decisions its own way.
    """
    seen = rated[rated["xg_decisions"].notna()]
    if seen["player"].nunique() < LEAST:
        return []
    sums, drawn = _by_player(
        seen, xg_errors=seen["xg_chequer_error_emg"] + seen["xg_cube_error_emg"], xg_decisions=seen["xg_decisions"],
        errors=seen["chequer_error_emg"] + seen["cube_error_emg"],
        decisions=seen["unforced_moves"] + seen["close_cube_decisions"],
    )  # fmt: skip
    xg_errors, xg_decisions, errors, decisions = (drawn @ sums.to_numpy()).T
    counts = {"confidence": CONFIDENCE, "n_matches": matches_of(seen), "n_players": len(sums)}
    return [counts | _row(XG, xg_errors / xg_decisions * decisions / errors)]


def _ratings(names: pd.Index, strengths: pd.DataFrame) -> dict[str, Floats]:
    """Return the players' estimated and recorded ratings: means over sites, by decisions and by recorded matches."""
    ratings = {}
    for label, column, weight in (
        (ESTIMATED, "rating", "decisions"),
        (RECORDED, "recorded_rating", "recorded_matches"),
    ):
        known = strengths[strengths[column].notna()]
        total = (known[column] * known[weight]).groupby(known["player"]).sum() / known.groupby("player")[weight].sum()
        ratings[label] = total.reindex(names).to_numpy(np.float64)
    return ratings


def _chances(sums: pd.DataFrame, mass: Floats, pr: Floats, model: RatingModel) -> Iterator[dict[str, Any]]:
    """Yield what a gap of GAP in PR is worth at each length, by the formula and by XG's author."""
    formula = model.formula
    if not formula.every_length:
        return
    per_pr = {}
    for name, errors, count in (("a2", "chequer", "moves"), ("b", "cube", "decisions")):
        rates = rate(sums[errors].to_numpy(), sums[count].to_numpy())
        per_pr[name] = slopes(mass, pr, rates, np.zeros(len(rates)))
    covariance = np.nan_to_num(formula.covariance)
    drawn = np.random.default_rng(SEED).multivariate_normal(formula.estimate, covariance, REPLICATES)
    terms = np.vstack([formula.estimate, drawn])
    for length, chance_by_xg in XG_CHANCES.items():
        points = np.zeros(len(terms))
        for name in formula.coefficients:
            alone = {MULTIPLIES[coefficient]: float(coefficient == name) for coefficient in formula.coefficients}
            points = points + per_pr[name] * (terms @ formula.rows(length, **alone))
        chance = win_probability(GAP * points, length)
        low, high = _ends(points)
        chance_low, chance_high = _ends(chance)
        yield {
            "match_length": length, "pr_gap": GAP, "points_per_pr": float(points[0]), "points_low": low,
            "points_high": high, "chance": float(chance[0]), "chance_low": chance_low, "chance_high": chance_high,
            "xg_says": chance_by_xg, "xg_points_say": float(win_probability(GAP * XG_POINTS, length)),
            "based_on": formula.basis(length),
        }  # fmt: skip


def _ends(values: Floats) -> tuple[float, float]:
    if not np.isfinite(values[1:]).all():
        return math.nan, math.nan
    low, high = interval_of_draws(values[1:])
    return float(low), float(high)


def _row(name: str, values: Floats) -> dict[str, Any]:
    low, high = _ends(values)
    about = {"conversion": name, "rule": RULES.get(name, "")}
    return about | {"estimate": float(values[0]), "ci_low": low, "ci_high": high}
