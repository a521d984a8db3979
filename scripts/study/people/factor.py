"""Estimate how many times what the formula gives people's errors cost, and what goes with a point of PR.

One estimator, without a model of how players scatter. In a match, D is the predicted rating difference by the players'
errors in it, and Z by their errors in their other matches. The luck-adjusted result follows P(F D), linearised at Z.
The errors of a match are part of its result's noise, so least squares would give too small an F. Z is the instrument:
F = sum(z y) / sum(z x) with x = P'(Z) D, z = P'(Z) Z and y the result less P(Z), plus z. Source: Fuller, Measurement
Error Models (1987), section 1.4.
"""

import math
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats, log_odds_per_point, rate, win_probability
from bgrating.rating.field import random_effects
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.known import LENGTHS
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from study.people.pairs import FIGURES, both, column, credibility, numbered, pairs, rates_elsewhere

ALL = "all matches"
STEADY = 500
"""Unforced moves from which a player's share of close cube decisions is known well enough to tell players apart."""
LEAST = 60
"""Matches, and players, below which nothing is estimated."""


def factor(sides: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return F of each collection and of all (people/factor); `sides` have a row per match and player, and a `group`.

    The row of all is the mean of the collections' factors with their spread (random effects). `relative_error` is the
    root mean square distance of a collection's F from 1. It is what ratings by the formula do not know of people.
    """
    groups = [str(name) for name in sides["group"].unique()]
    found = [_row(group, sides[sides["group"] == group], formula) for group in groups]
    rows = [row for row in found if row["n_matches"] >= LEAST]
    if len(rows) > 2:
        value, error = (np.array([row[name] for row in rows]) for name in ("estimate", "std_error"))
        mean, std_error, between = random_effects(value, error**2)
        about = {"group": ALL, "estimate": mean, "std_error": std_error}
        about |= {name: sum(row[name] for row in rows) for name in ("n_matches", "n_players")}
        rows.append(about | {"relative_error": math.sqrt((mean - 1) ** 2 + std_error**2 + between)})
    table = pd.DataFrame(rows).reindex(columns=columns("people/factor"))
    half = quantile(CONFIDENCE) * table["std_error"]
    ends = {"ci_low": table["estimate"] - half, "ci_high": table["estimate"] + half}
    return table.assign(**ends, confidence=CONFIDENCE)


def _row(group: str, sides: pd.DataFrame, formula: RatingFormula) -> dict[str, Any]:
    decisions = COUNTS[formula.epc_definition].per
    table = pairs(sides, list(dict.fromkeys([*FIGURES, decisions])))
    if len(table) < LEAST:
        return {"n_matches": len(table)}
    length, players, moves = column(table, "match_length"), numbered(table), both(table, "unforced_moves")
    errors = {"epm": (both(table, "chequer_error_emg"), moves)}
    errors["epc"] = both(table, "cube_error_emg"), both(table, decisions)

    def difference(rates: dict[str, Floats]) -> Floats:
        apart = {name: by[:, 0] - by[:, 1] for name, by in rates.items()}
        return np.asarray(formula.rating_difference(length, **apart)[0])

    own = difference({name: rate(*sums) for name, sums in errors.items()})
    elsewhere = difference({name: rates_elsewhere(players, *sums) for name, sums in errors.items()})
    chance = win_probability(elsewhere, length)
    slope = log_odds_per_point(length) * chance * (1 - chance)
    instrument, x = slope * elsewhere, slope * own
    y = column(table, "luck_adjusted_result") - (chance - 0.5) + instrument
    value = float(instrument @ y / (instrument @ x))
    influence = instrument * (y - value * x) / float(instrument @ x)
    error = float(np.sqrt(influence @ influence))
    return {
        "group": group,
        "estimate": value,
        "std_error": error,
        "n_matches": len(table),
        "n_players": len(np.unique(players)),
    }


def per_pr(sides: pd.DataFrame) -> pd.DataFrame:
    """Return by how much EPM and cube error per move grow with a point of PR, between players (people/per_pr).

    PR is 500 times the error per unforced move and close cube decision. A player weighs D / (D + k), D their decisions
    and k as in pairs.py. The standard error is that of the slope of EPM; the cube takes the rest of a point.
    """
    rated = sides[(sides["player"].fillna("") != "") & (sides["unforced_moves"] > 0)]
    names, number = np.unique(rated["player"].to_numpy(str), return_inverse=True)
    if len(names) < LEAST:
        return pd.DataFrame(columns=columns("people/per_pr"))
    chequer, cube, moves, close = (
        rated[name].to_numpy(float)
        for name in ("chequer_error_emg", "cube_error_emg", "unforced_moves", "close_cube_decisions")
    )
    worth = credibility(number, chequer + cube, moves + close)[1]
    sums = [np.bincount(number, values) for values in (chequer, cube, moves, close)]
    counted = sums[2] + sums[3]
    weight = counted / (counted + worth) if math.isfinite(worth) else np.ones(len(names))
    pr = 500 * (sums[0] + sums[1]) / counted
    off = weight * (pr - np.average(pr, weights=weight))
    slopes, errors = zip(*(_slope(off, pr, values / sums[2], weight) for values in sums[:2]), strict=True)
    return pd.DataFrame(
        {
            "rate": ["epm", "cube_per_move"],
            "slope": slopes,
            "std_error": errors[0],
            "n_players": len(names),
            "n_matches": len(rated[["group", "file", "match"]].drop_duplicates()),
        }
    )


def close(field: pd.DataFrame) -> pd.DataFrame:
    """Return the close cube decisions per unforced move in a field of people, as a line in 1/N (people/close).

    `relative_error` is the standard deviation between players with STEADY moves, over what the line expects of them.
    """
    rows = field[field["match_length"].between(*LENGTHS) & (field["unforced_moves"] > 0)]
    moves = rows["unforced_moves"].to_numpy(float)
    parts = np.column_stack([np.ones(len(rows)), 1 / rows["match_length"]]) * np.sqrt(moves)[:, None]
    line = np.linalg.lstsq(parts, rows["close_cube_decisions"] / np.sqrt(moves))[0]
    expected = parts @ line * np.sqrt(moves)
    players = rows.assign(expected=expected).groupby("player")[["unforced_moves", "close_cube_decisions", "expected"]]
    steady = players.sum().query("unforced_moves >= @STEADY")
    error = (steady["close_cube_decisions"] / steady["expected"]).std()
    made = {"share_const": line[0], "share_inv": line[1], "relative_error": error, "n_players": len(steady)}
    return pd.DataFrame([made])


def _slope(off: Floats, x: Floats, y: Floats, weight: Floats) -> tuple[float, float]:
    """Return the weighted slope of y on x, and its standard error that allows for unequal scatter (White, 1980)."""
    slope = float(off @ y / (off @ x))
    left = y - np.average(y, weights=weight) - slope * (x - np.average(x, weights=weight))
    return slope, float(np.sqrt((off**2) @ left**2)) / float(off @ x)
