"""The chance of winning the next match from the error rates of a player's other matches."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.error_cost import fit
from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, interval_of_mean
from bgrating.rating.pairs import both, column, other_matches, predicted, rates_elsewhere
from bgrating.tables.dictionary import columns

LEAST = 50
"""Matches below which predictions are not judged."""
KNOWN = 1
"""Other matches that both players must have for their rates to say something of both."""
XG_POINTS_PER_PR, POINTS_PER_SNOWIE = 33.0, 31.5  # both of XG's author (2011)
XG, SNOWIE = "XG, 33 points per PR", "Snowie's rate, 31.5 points each"
MWC, RECORDED = "chances lost per match", "recorded ratings"
LEAST_CHANCE = 0.01
"""The least chance that a difference of chances lost is taken for: a difference of ratings must stay finite."""
LOG_LOSS, BRIER, SQUARED = "log loss", "Brier", "squared error"
RESULTS = {"won": "actual_result", "luck-adjusted": "luck_adjusted_result"}


def predictions(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return, beside the matches, the predicted rating difference (player weaker: positive) of every predictor.

    Columns in points: the formulas' names, XG, SNOWIE, MWC (the difference of the chances that both lose by errors) and
    RECORDED (NaN without both ratings). `others` is the lesser number of other matches of the two players. Rates come
    from the other matches of the table only. What they are shrunk towards, the mean and its worth, are two numbers of
    the whole table.
    """
    number, others = other_matches(pairs)

    def difference(errors: Floats, decisions: Floats) -> Floats:
        own = rates_elsewhere(number, errors, decisions)
        return np.asarray(own[:, 0] - own[:, 1])

    errors = both(pairs, "chequer_error_emg") + both(pairs, "cube_error_emg")
    lost = both(pairs, "chequer_error_mwc") + both(pairs, "cube_error_mwc")
    decisions = both(pairs, "unforced_moves") + both(pairs, "close_cube_decisions")
    moves_of_both = both(pairs, "total_moves").sum(axis=1, keepdims=True) * np.ones(2)
    chance = np.clip(0.5 - difference(lost, np.ones_like(lost)), LEAST_CHANCE, 1 - LEAST_CHANCE)
    found: dict[str, Any] = {"others": others.min(axis=1)}
    found |= {name: predicted(pairs, formula, elsewhere=True) for name, formula in formulas.items()}
    found[XG] = XG_POINTS_PER_PR * 500.0 * difference(errors, decisions)
    found[SNOWIE] = POINTS_PER_SNOWIE * 1000.0 * difference(errors, moves_of_both)
    found[MWC] = rating_difference(chance, column(pairs, "match_length"))
    found[RECORDED] = column(pairs, "opponent_recorded_rating") - column(pairs, "player_recorded_rating")
    return pd.DataFrame(found, index=pairs.index)


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
    for subset, here in subsets.items():
        if here.sum() >= LEAST and (subset == every or not here.all()):
            differences = {name: column(table, name)[here] for name in map(str, table) if name != "others"}
            yield subset, here, {name: own for name, own in differences.items() if np.isfinite(own).all()}


def scores(pairs: pd.DataFrame, table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Judge every predictor of a table of `predictions` on every subset (people/scores).

    `measure` is LOG_LOSS, BRIER or SQUARED, a mean over matches; `gain` is how much better it is than a coin's on the
    same matches. `behind` is how much worse than the predictor `reference`. Both have Student's t over matches (given
    the players, dice make matches independent). `results` are `won`, plain ones, or `luck-adjusted`: log loss and Brier
    are linear in the result. So the luck-adjusted one (a chance, unbiased for the plain one) may stand for it, with
    less noise. SQUARED is of the luck-adjusted result less the predicted chance.
    """
    rows = []
    for subset, here, differences in _subsets(table):
        matches, lengths = pairs[here], column(pairs, "match_length")[here]
        losses = {name: _losses(matches, win_probability(own, lengths)) for name, own in differences.items()}
        for (measure, results), coin in _losses(matches, np.full(len(matches), 0.5)).items():
            for predictor, each in losses.items():
                own = each[measure, results]
                gain, error, low, high = interval_of_mean(coin - own)
                row = {
                    "subset": subset, "predictor": predictor, "measure": measure, "results": results,
                    "value": float(own.mean()), "gain": gain, "gain_se": error, "gain_low": low, "gain_high": high,
                    "confidence": CONFIDENCE, "n_matches": len(own),
                }  # fmt: skip
                if reference in losses and predictor != reference:
                    worse = own - losses[reference][measure, results]
                    row["behind"], _, row["behind_low"], row["behind_high"] = interval_of_mean(worse)
                rows.append(row)
    return pd.DataFrame(rows, columns=columns("people/scores"))


def _losses(matches: pd.DataFrame, chance: Floats) -> dict[tuple[str, str], Floats]:
    """Return what a chance for every match loses, by measure and results."""
    found: dict[tuple[str, str], Floats] = {}
    for results, name in RESULTS.items():
        won = column(matches, name) + 0.5
        found[LOG_LOSS, results] = -won * np.log(chance) - (1 - won) * np.log1p(-chance)
        found[BRIER, results] = won - 2 * won * chance + chance**2
    found[SQUARED, "luck-adjusted"] = (column(matches, RESULTS["luck-adjusted"]) + 0.5 - chance) ** 2
    return found


def slopes(pairs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Fit results to a multiple of each predicted rating difference (people/slopes).

    A slope of 1 says that the differences are as large as predicted, below 1 that they are smaller; `spread` is the
    standard deviation of the predicted differences in points, without which no slope can be found.
    """
    rows = []
    for subset, here, differences in _subsets(table):
        for predictor, own in differences.items():
            if np.ptp(own) < 1e-6:
                continue
            for results, name in RESULTS.items():
                found = fit(column(pairs, name)[here], column(pairs, "match_length")[here], own[:, None])
                value, error, low, high = found.interval(0)
                rows.append(
                    {
                        "subset": subset, "predictor": predictor, "results": results, "slope": value,
                        "std_error": error, "ci_low": low, "ci_high": high, "confidence": CONFIDENCE,
                        "n_matches": len(own), "spread": float(np.sqrt((own**2).mean())),
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
                own = 0.5 + (turn * column(pairs, RESULTS[results])[known])[members]
                row[name], _, row[f"{name}_low"], row[f"{name}_high"] = interval_of_mean(own)
            rows.append(row)
    return pd.DataFrame(rows, columns=columns("people/bins"))
