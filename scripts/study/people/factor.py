"""Estimate the factor F by which people's errors cost more than the formula predicts, and the error
rates per PR point.

The estimator has no model of the scatter of players. D is the rating difference
predicted from the players' errors in a match, Z from their errors in all others. The
luck-adjusted result follows P(F D), linearised at Z. The errors of a match are part of its result's
noise, so least squares would give too small an F. Z is the instrument: F = sum(z y) / sum(z x) with
x = P'(Z) D, z = P'(Z) Z and y the result less P(Z), plus z. Source: Fuller, Measurement Error
Models (1987), section 1.4.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.api import WLS, add_constant
from statsmodels.stats.meta_analysis import combine_effects

from bgmatch.records import Json
from bgmatch.scales import performance_rating
from bgrating.rating.cube_counts import COUNTS
from bgrating.rating.fibs_formula import Floats, rate
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from study.formula.regressions import chance_and_slope
from study.people.match_pairs import both, credibility, numbered, pairs, rates_elsewhere

ALL = "all matches"
FIGURES = ["chequer_error_emg", "cube_error_emg", "unforced_moves", "close_cube_decisions"]
# With so many unforced moves a player's share of close cube decisions is precise enough to compare
# players.
STEADY = 500
# Shortest and longest match of the field whose close cube decisions are counted.
LENGTHS = (3, 23)
# Fewer matches, or players, give no estimate.
LEAST = 60


def factor(sides: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return F of each collection and of all (people/factor).

    `sides` have a row per match and player, and a `group`.

    The last row is the mean of the collections' factors with their spread (random effects). Its
    `relative_error` is the root mean square distance of a collection's F from 1. Ratings of people
    have this error beside that of the formula.
    """
    rows: list[Json] = []
    for group, of_group in sides.groupby("group", sort=False):
        differences = Differences.of(of_group, formula)
        if len(differences.length) >= LEAST:
            rows.append({"group": group, **_estimate(differences)})
    if len(rows) > 2:
        value = np.array([row["estimate"] for row in rows])
        error = np.array([row["std_error"] for row in rows])
        combined = combine_effects(value, error**2, method_re="pm", use_t=True)
        mean = combined.mean_effect_re
        std_error = combined.sd_eff_w_re_hksj
        overall = {
            "group": ALL,
            "estimate": mean,
            "std_error": std_error,
            "n_matches": sum(row["n_matches"] for row in rows),
            "n_players": sum(row["n_players"] for row in rows),
            "relative_error": math.sqrt((mean - 1) ** 2 + std_error**2 + combined.tau2),
        }
        rows.append(overall)
    table = pd.DataFrame(rows, columns=columns("people/factor"))
    # The mean of few collections is by Student's t over these; that of a collection is over
    # hundreds of matches.
    dof = np.where(table["group"] == ALL, len(rows) - 2.0, table["n_matches"].astype(float) - 1)
    half = quantile(CONFIDENCE, dof) * table["std_error"]
    return table.assign(
        ci_low=table["estimate"] - half, ci_high=table["estimate"] + half, confidence=CONFIDENCE
    )


def _estimate(differences: "Differences") -> Json:
    chance, slope = chance_and_slope(differences.elsewhere, differences.length)
    instrument = slope * differences.elsewhere
    x = slope * differences.in_match
    y = differences.result - (chance - 0.5) + instrument
    value = float(instrument @ y / (instrument @ x))
    influence = instrument * (y - value * x) / float(instrument @ x)
    return {
        "estimate": value,
        "std_error": float(np.sqrt(influence @ influence)),
        "n_matches": len(differences.length),
        "n_players": len(np.unique(differences.players)),
    }


@dataclass(frozen=True)
class Differences:
    """The predicted rating differences of decided matches, left less right.

    Those of `in_match` are by the errors in the match, those of `elsewhere` by the players' errors
    in their other matches. `players` has the players' numbers: (matches, 2). `result` is the left
    player's luck-adjusted result, less one half.
    """

    players: NDArray[np.intp]
    length: Floats
    result: Floats
    in_match: Floats
    elsewhere: Floats

    @classmethod
    def of(cls, sides: pd.DataFrame, formula: RatingFormula) -> "Differences":
        decisions = COUNTS[formula.epc_definition].per
        table = pairs(sides, {"chequer_error_emg", "cube_error_emg", "unforced_moves", decisions})
        players = numbered(table)
        length = table["match_length"].to_numpy(float)
        errors = {
            "epm": (both(table, "chequer_error_emg"), both(table, "unforced_moves")),
            "epc": (both(table, "cube_error_emg"), both(table, decisions)),
        }

        def difference(rates: dict[str, Floats]) -> Floats:
            differences = {name: sides[:, 0] - sides[:, 1] for name, sides in rates.items()}
            return np.asarray(formula.rating_difference(length, **differences)[0])

        return cls(
            players,
            length,
            table["luck_adjusted_result"].to_numpy(float),
            difference({name: rate(*sums) for name, sums in errors.items()}),
            difference({name: rates_elsewhere(players, *sums) for name, sums in errors.items()}),
        )


def per_pr(sides: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return EPM and cube error per move for a point of PR, and their slopes on PR between players
    (people/per_pr).

    PR is 500 times the error per unforced move and close cube decision. The weight of a player is D
    / (D + k), where D is the number of their decisions and k as in match_pairs.py. The standard
    error is that of the slope of EPM, since the slope of the cube is the rest of a point.
    `relative_error` is the standard deviation, between players with STEADY moves, of the loss at 7
    points by their own rates over that by their PR.
    """
    played = sides[(sides["player"].fillna("") != "") & (sides["unforced_moves"] > 0)]
    names, number = np.unique(played["player"].to_numpy(str), return_inverse=True)
    if len(names) < LEAST:
        return pd.DataFrame(columns=columns("people/per_pr"))
    figures = played[FIGURES].to_numpy(float)
    k = credibility(number, figures[:, :2].sum(axis=1), figures[:, 2:].sum(axis=1))[1]
    chequer, cube, moves, close = (np.bincount(number, values) for values in figures.T)
    counted = moves + close
    weight = counted / (counted + k) if math.isfinite(k) else np.ones(len(names))
    pr = performance_rating(chequer + cube, counted)
    rates = [chequer / moves, cube / moves]
    (epm_slope, epm_error), (cube_slope, _) = (_slope(pr, values, weight) for values in rates)
    ratios = [float(counted @ values / (counted @ pr)) for values in rates]
    steady = moves >= STEADY
    loss = [formula.rating_difference(7.0, epm=epm, epc=cube)[0] for epm, cube in (rates, ratios)]
    over = loss[0][steady] / (loss[1] * pr[steady])
    return pd.DataFrame(
        {
            "rate": ["epm", "cube_per_move"],
            "ratio": ratios,
            "relative_error": float(np.std(over, ddof=1)),
            "slope": [epm_slope, cube_slope],
            "std_error": epm_error,
            "n_players": len(names),
            "n_matches": len(played[["group", "file", "match"]].drop_duplicates()),
        }
    )


def close(population: pd.DataFrame) -> pd.DataFrame:
    """Return the close cube decisions per unforced move in a population of people, as a line in 1/N
    (people/close).

    `relative_error` is the standard deviation, between players with STEADY moves, of decisions over
    those expected.
    """
    has_moves = population["unforced_moves"] > 0
    rows = population[population["match_length"].between(*LENGTHS) & has_moves]
    moves = rows["unforced_moves"]
    inverse = 1 / rows["match_length"]
    share = rows["close_cube_decisions"] / moves
    slope, constant = np.polyfit(inverse, share, 1, w=np.sqrt(moves))
    rows = rows.assign(expected=moves * (constant + slope * inverse))
    sums = ["unforced_moves", "close_cube_decisions", "expected"]
    steady = rows.groupby("player")[sums].sum().query("unforced_moves >= @STEADY")
    row = {
        "share_const": constant,
        "share_inv": slope,
        "relative_error": (steady["close_cube_decisions"] / steady["expected"]).std(),
        "n_players": len(steady),
    }
    return pd.DataFrame([row])


def _slope(x: Floats, y: Floats, weight: Floats) -> tuple[float, float]:
    """Return the weighted slope of y on x, and its standard error that allows for unequal scatter
    (White, 1980).
    """
    line = WLS(y, add_constant(x), weights=weight).fit(cov_type="HC0")
    return float(line.params[1]), float(line.bse[1])
