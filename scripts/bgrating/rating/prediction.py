"""The chance of winning the next match from the error rates of a player's other matches."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.chances import fit_results
from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, interval_of_mean
from bgrating.rating.pairs import both, column, other_matches, rates_elsewhere
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns

LEAST = 50
"""Matches below which predictions are not judged."""
KNOWN = 1
"""Other matches that both players must have in the subset of players with a record."""
XG_POINTS_PER_PR, POINTS_PER_SNOWIE = 33.0, 31.5  # both of XG's author (2011)
XG, SNOWIE = "XG, 33 points per PR", "Snowie's rate, 31.5 points each"
MWC, RECORDED = "chances lost per match", "recorded ratings"
LEAST_CHANCE = 0.01
"""Chances nearer to 0 or 1 are clipped: a difference of ratings must stay finite."""
LOG_LOSS, BRIER, SQUARED = "log loss", "Brier", "squared error"
RESULTS = {"won": "actual_result", "luck-adjusted": "luck_adjusted_result"}


def predictions(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return the predicted rating difference (player weaker: positive) of every predictor, one row per match.

    Columns in points: the formulas' names, XG, SNOWIE, MWC and RECORDED. MWC is the difference of the chances that both
    lose by errors; RECORDED is NaN without both ratings. `others` is the lesser number of other matches of the two
    players. Rates come from the other matches of the table only. They are shrunk towards the mean of all matches.
    """
    number, others = other_matches(pairs)

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
    table: dict[str, Any] = {"others": others.min(axis=1)}
    table |= {name: points(formula) for name, formula in formulas.items()}
    table[XG] = XG_POINTS_PER_PR * 500.0 * difference(errors, decisions)
    table[SNOWIE] = POINTS_PER_SNOWIE * 1000.0 * difference(errors, moves_of_both)
    table[MWC] = rating_difference(chance, column(pairs, "match_length"))
    table[RECORDED] = column(pairs, "opponent_recorded_rating") - column(pairs, "player_recorded_rating")
    return pd.DataFrame(table, index=pairs.index)


def judged(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula], reference: str) -> dict[str, pd.DataFrame]:
    """Return how well every predictor does on matches, people's or a tournament's: tables `scores, slopes, bins`."""
    table = predictions(pairs, formulas)
    return {"scores": scores(pairs, table, reference), "slopes": slopes(pairs, table), "bins": bins(pairs, table)}


def _subsets(table: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_], dict[str, Floats]]]:
    """Yield the sets of matches that predictors are judged on: name, matches, differences by predictor.

    It omits sets below LEAST matches, repeated sets of all, and predictors that lack a value for a match.
    """
    every = "all matches"
    subsets = {
        every: np.ones(len(table), dtype=bool),
        "both players have other matches": (table["others"] >= KNOWN).to_numpy(),
        "both ratings recorded": table[RECORDED].notna().to_numpy(),
    }
    for subset, matches in subsets.items():
        if matches.sum() >= LEAST and (subset == every or not matches.all()):
            differences = {name: column(table, name)[matches] for name in map(str, table) if name != "others"}
            finite = {name: points for name, points in differences.items() if np.isfinite(points).all()}
            yield subset, matches, finite


def scores(pairs: pd.DataFrame, table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Judge every predictor of a table of `predictions` on every subset (people/scores).

    `measure` is LOG_LOSS, BRIER or SQUARED, a mean over matches; `gain` is a coin's less the predictor's on the same
    matches. `behind` is the predictor's less that of `reference`. Both have Student's t over matches (given the
    players, dice make matches independent). `results` are plain (`won`) or `luck-adjusted`: log loss and Brier are
    linear in the result. So the luck-adjusted result, an unbiased chance, may replace the plain one, with less noise.
    SQUARED is of the luck-adjusted result less the predicted chance.
    """
    rows = []
    for subset, here, differences in _subsets(table):
        matches, lengths = pairs[here], column(pairs, "match_length")[here]
        losses = {name: _losses(matches, win_probability(points, lengths)) for name, points in differences.items()}
        for (measure, results), coin in _losses(matches, np.full(len(matches), 0.5)).items():
            for predictor, each in losses.items():
                loss = each[measure, results]
                gain, error, low, high = interval_of_mean(coin - loss)
                row = {
                    "subset": subset, "predictor": predictor, "measure": measure, "results": results,
                    "value": float(loss.mean()), "gain": gain, "gain_se": error, "gain_low": low, "gain_high": high,
                    "confidence": CONFIDENCE, "n_matches": len(loss),
                }  # fmt: skip
                if reference in losses and predictor != reference:
                    worse = loss - losses[reference][measure, results]
                    row["behind"], _, row["behind_low"], row["behind_high"] = interval_of_mean(worse)
                rows.append(row)
    return pd.DataFrame(rows, columns=columns("people/scores"))


def _losses(matches: pd.DataFrame, chance: Floats) -> dict[tuple[str, str], Floats]:
    losses: dict[tuple[str, str], Floats] = {}
    for results, name in RESULTS.items():
        won = column(matches, name) + 0.5
        losses[LOG_LOSS, results] = -won * np.log(chance) - (1 - won) * np.log1p(-chance)
        losses[BRIER, results] = won - 2 * won * chance + chance**2
    losses[SQUARED, "luck-adjusted"] = (column(matches, RESULTS["luck-adjusted"]) + 0.5 - chance) ** 2
    return losses


def slopes(pairs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Fit results to a multiple of each predicted rating difference (people/slopes).

    A slope of 1 means that the differences are as large as predicted, below 1 that they are smaller; `spread` is the
    standard deviation of the predicted differences in points.
    """
    rows = []
    for subset, here, differences in _subsets(table):
        for predictor, points in differences.items():
            if np.ptp(points) < 1e-6:
                continue
            for results, name in RESULTS.items():
                slope = fit_results(column(pairs, name)[here], column(pairs, "match_length")[here], points[:, None])
                ((low, high),) = slope.conf_int(1 - CONFIDENCE)
                rows.append(
                    {
                        "subset": subset, "predictor": predictor, "results": results, "slope": float(slope.params[0]),
                        "std_error": float(slope.bse[0]), "ci_low": low, "ci_high": high, "confidence": CONFIDENCE,
                        "n_matches": len(points), "spread": float(np.sqrt((points**2).mean())),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/slopes"))


def bins(pairs: pd.DataFrame, table: pd.DataFrame, count: int = 5) -> pd.DataFrame:
    """Sort matches by the chance that each predictor gives their favourite into bins of like numbers (people/bins)."""
    rows = []
    for predictor in (name for name in map(str, table) if name != "others"):
        difference = column(table, predictor)
        known = np.isfinite(difference)
        if known.sum() < LEAST:
            continue
        chance = win_probability(difference[known], column(pairs, "match_length")[known])
        turn = np.where(chance >= 0.5, 1.0, -1.0)
        favourite = 0.5 + turn * (chance - 0.5)
        for place, members in enumerate(np.array_split(np.argsort(favourite, kind="stable"), count)):
            row: dict[str, Any] = {
                "predictor": predictor, "bin": place, "predicted": float(favourite[members].mean()),
                "confidence": CONFIDENCE, "n_matches": len(members),
            }  # fmt: skip
            for name, results in (("won", "won"), ("luck_adjusted", "luck-adjusted")):
                won = 0.5 + (turn * column(pairs, RESULTS[results])[known])[members]
                row[name], _, row[f"{name}_low"], row[f"{name}_high"] = interval_of_mean(won)
            rows.append(row)
    return pd.DataFrame(rows, columns=columns("people/bins"))
