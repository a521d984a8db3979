"""What a gap in PR is worth to people: rating points and chances, by the formula (people/pr_gap).

PR is 500 times the error per unforced move and close cube decision.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.rating.rates import rate
from bgrating.rating.terms import MULTIPLIES
from bgrating.tables.dictionary import columns
from study.people.pairs import credibility

LEAST = 8
"""Players below which there is no row."""
REPLICATES = 1000
SEED = 7
XG_CHANCES = {1: 0.44, 3: 0.40, 5: 0.38, 11: 0.32, 25: 0.24}
"""Chances of the weaker side at a gap of 6 PR (XG's author, 2011)."""
GAP, XG_POINTS = 6.0, 33.0


def pr_gap(matches: pd.DataFrame, model: RatingModel) -> pd.DataFrame:
    """Return what a gap in PR is worth at each match length (people/pr_gap), from a collection's matches.

    The formula rates the EPM and EPC that go with a gap in PR: slopes of lines through players, weighted by
    D / (D + k), D their decisions, k as in people/pairs.py. Intervals are quantiles of a bootstrap of players.
    """
    rated = matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]
    rows: list[dict[str, Any]] = []
    if rated["player"].nunique() >= LEAST and model.formula.every_length:
        names, number = np.unique(rated["player"].to_numpy(str), return_inverse=True)
        of_match = {
            "errors": rated["chequer_error_emg"] + rated["cube_error_emg"],
            "counted": rated["unforced_moves"] + rated["close_cube_decisions"],
            "chequer": rated["chequer_error_emg"], "moves": rated["unforced_moves"],
            "cube": rated["cube_error_emg"], "decisions": rated[model.decisions],
        }  # fmt: skip
        sums = {name: np.bincount(number, values) for name, values in of_match.items()}
        worth = credibility(number, *(of_match[name].to_numpy(float) for name in ("errors", "counted"))).worth
        weight = 1.0 if math.isinf(worth) else sums["counted"] / (sums["counted"] + worth)
        people = {
            "confidence": CONFIDENCE, "n_matches": len(rated[["file", "match"]].drop_duplicates()),
            "n_players": len(names),
        }  # fmt: skip
        rows = [people | row for row in _chances(sums, draws(len(names)) * weight, model)]
    return pd.DataFrame(rows, columns=columns("people/pr_gap"))


def draws(rows: int) -> Floats:
    """Return how often a bootstrap draws each row, replicates by rows; the first is the whole."""
    drawn = np.random.default_rng(SEED).multinomial(rows, np.full(rows, 1 / rows), REPLICATES)
    return np.vstack([np.ones(rows), drawn])


def slopes(weights: Floats, x: Floats, y: Floats) -> Floats:
    """Return the slope of y on x for each row of weights."""
    total = weights.sum(axis=1)
    centre, height = weights @ x / total, weights @ y / total
    spread = weights @ x**2 / total - centre**2
    together = weights @ (x * y) / total - centre * height
    return np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), np.nan)


def _chances(sums: dict[str, Any], mass: Floats, model: RatingModel) -> Iterator[dict[str, Any]]:
    """Yield what a gap of GAP in PR is worth at each length, by the formula and by XG's author."""
    formula, pr = model.formula, 500 * sums["errors"] / sums["counted"]
    parts = (("a2", "chequer", "moves"), ("b", "cube", "decisions"))
    per_pr = {name: slopes(mass, pr, rate(sums[errors], sums[count])) for name, errors, count in parts}
    covariance = np.nan_to_num(formula.covariance)
    drawn = np.random.default_rng(SEED).multivariate_normal(formula.linear, covariance, REPLICATES)
    terms = np.vstack([formula.linear, drawn])
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
