"""The chance of winning the next match from the error rates of a player's other matches."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.chances import fit_results
from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, interval_of_mean
from bgrating.rating.pairs import both, column, other_matches, rates_elsewhere
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns

LEAST, BINS = 50, 5
"""Matches below which predictions are not judged; bins of the chances of favourites."""
XG_POINTS_PER_PR, POINTS_PER_SNOWIE = 33.0, 31.5  # both of XG's author (2011)
XG, SNOWIE = "XG, 33 points per PR", "Snowie's rate, 31.5 points each"
MWC = "chances lost per match"
LEAST_CHANCE = 0.01
"""Chances nearer to 0 or 1 are clipped: a difference of ratings must stay finite."""
LOG_LOSS, BRIER, SQUARED = "log loss", "Brier", "squared error"
RESULTS = {"won": "actual_result", "luck-adjusted": "luck_adjusted_result"}


def predictions(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return the predicted rating difference (player weaker: positive) of every predictor, one row per match.

    Columns in points: the formulas' names, XG, SNOWIE and MWC, the difference of the chances that both lose by errors.
    Rates come from the other matches of the table only. They are shrunk towards the mean of all matches.
    """
    number, _ = other_matches(pairs)

    def difference(errors: Floats, decisions: Floats) -> Floats:
        rates = rates_elsewhere(number, errors, decisions)
        return np.asarray(rates[:, 0] - rates[:, 1])

    def points(formula: RatingFormula) -> Floats:
        """Return the difference by a formula; NaN at match lengths outside it."""
        per, lengths = both(pairs, COUNTS[formula.epc_definition].per), column(pairs, "match_length")
        epm = difference(both(pairs, "chequer_error_emg"), both(pairs, "unforced_moves"))
        epc, known = difference(both(pairs, "cube_error_emg"), per), formula.holds_at(lengths)
        differences = np.full(len(lengths), math.nan)
        differences[known] = formula.rating_difference(lengths[known], epm=epm[known], epc=epc[known])[0]
        return differences

    errors = both(pairs, "chequer_error_emg") + both(pairs, "cube_error_emg")
    lost = both(pairs, "chequer_error_mwc") + both(pairs, "cube_error_mwc")
    decisions = both(pairs, "unforced_moves") + both(pairs, "close_cube_decisions")
    moves_of_both = both(pairs, "total_moves").sum(axis=1, keepdims=True) * np.ones(2)
    chance = np.clip(0.5 - difference(lost, np.ones_like(lost)), LEAST_CHANCE, 1 - LEAST_CHANCE)
    table: dict[str, Any] = {name: points(formula) for name, formula in formulas.items()}
    table[XG] = XG_POINTS_PER_PR * 500.0 * difference(errors, decisions)
    table[SNOWIE] = POINTS_PER_SNOWIE * 1000.0 * difference(errors, moves_of_both)
    table[MWC] = rating_difference(chance, column(pairs, "match_length"))
    return pd.DataFrame(table, index=pairs.index)


def judged(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula], reference: str) -> dict[str, pd.DataFrame]:
    """Return how well every predictor does on matches of a tournament: tables `scores, slopes, bins`."""
    table = predictions(pairs, formulas)
    return {"scores": scores(pairs, table, reference), "slopes": slopes(pairs, table), "bins": bins(pairs, table)}


def _differences(table: pd.DataFrame) -> dict[str, Floats]:
    """Return the differences by predictor; none of too few matches, and no predictor that lacks a value for one."""
    every = {name: column(table, name) for name in map(str, table)}
    return {name: points for name, points in every.items() if len(points) >= LEAST and np.isfinite(points).all()}


def scores(pairs: pd.DataFrame, table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Judge every predictor of a table of `predictions` (tournament/scores).

    `measure` is LOG_LOSS, BRIER or SQUARED, a mean over matches; `gain` is a coin's less the predictor's on the same
    matches. `behind` is the predictor's less that of `reference`. Both have Student's t over matches (given the
    players, dice make matches independent). `results` are plain (`won`) or `luck-adjusted`: log loss and Brier are
    linear in the result. So the luck-adjusted result, an unbiased chance, may replace the plain one, with less noise.
    SQUARED is of the luck-adjusted result less the predicted chance.
    """
    rows, lengths = [], column(pairs, "match_length")
    losses = {name: _losses(pairs, win_probability(points, lengths)) for name, points in _differences(table).items()}
    for (measure, results), coin in _losses(pairs, np.full(len(pairs), 0.5)).items():
        for predictor, each in losses.items():
            loss = each[measure, results]
            gain, error, low, high = interval_of_mean(coin - loss)
            row = {
                "predictor": predictor, "measure": measure, "results": results, "value": float(loss.mean()),
                "gain": gain, "gain_se": error, "gain_low": low, "gain_high": high, "confidence": CONFIDENCE,
                "n_matches": len(loss),
            }  # fmt: skip
            if reference in losses and predictor != reference:
                worse = loss - losses[reference][measure, results]
                row["behind"], _, row["behind_low"], row["behind_high"] = interval_of_mean(worse)
            rows.append(row)
    return pd.DataFrame(rows, columns=columns("tournament/scores"))


def _losses(matches: pd.DataFrame, chance: Floats) -> dict[tuple[str, str], Floats]:
    losses: dict[tuple[str, str], Floats] = {}
    for results, name in RESULTS.items():
        won = column(matches, name) + 0.5
        losses[LOG_LOSS, results] = -won * np.log(chance) - (1 - won) * np.log1p(-chance)
        losses[BRIER, results] = won - 2 * won * chance + chance**2
    losses[SQUARED, "luck-adjusted"] = (column(matches, RESULTS["luck-adjusted"]) + 0.5 - chance) ** 2
    return losses


def slopes(pairs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Fit results to a multiple of each predicted rating difference (tournament/slopes).

    A slope of 1 means that the differences are as large as predicted, below 1 that they are smaller; `spread` is the
    standard deviation of the predicted differences in points.
    """
    rows = []
    for predictor, points in _differences(table).items():
        if np.ptp(points) < 1e-6:
            continue
        for results, name in RESULTS.items():
            slope = fit_results(column(pairs, name), column(pairs, "match_length"), points[:, None])
            ((low, high),) = slope.conf_int(1 - CONFIDENCE)
            rows.append(
                {
                    "predictor": predictor, "results": results, "slope": float(slope.params[0]),
                    "std_error": float(slope.bse[0]), "ci_low": low, "ci_high": high, "confidence": CONFIDENCE,
                    "n_matches": len(points), "spread": float(np.sqrt((points**2).mean())),
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("tournament/slopes"))


def bins(pairs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Sort matches by the chance that each predictor gives their favourite into BINS of like numbers."""
    rows = []
    for predictor, difference in _differences(table).items():
        chance = win_probability(difference, column(pairs, "match_length"))
        turn = np.where(chance >= 0.5, 1.0, -1.0)
        favourite = 0.5 + turn * (chance - 0.5)
        for place, members in enumerate(np.array_split(np.argsort(favourite, kind="stable"), BINS)):
            row: dict[str, Any] = {
                "predictor": predictor, "bin": place, "predicted": float(favourite[members].mean()),
                "confidence": CONFIDENCE, "n_matches": len(members),
            }  # fmt: skip
            for name, results in (("won", "won"), ("luck_adjusted", "luck-adjusted")):
                won = 0.5 + (turn * column(pairs, RESULTS[results]))[members]
                row[name], _, row[f"{name}_low"], row[f"{name}_high"] = interval_of_mean(won)
            rows.append(row)
    return pd.DataFrame(rows, columns=columns("tournament/bins"))
