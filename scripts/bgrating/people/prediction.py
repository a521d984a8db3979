"""The chance of winning the next match from the error rates of a player's other matches."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.fibs import rating_difference, win_probability
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.formula.rates import COUNTS
from bgrating.people.error_cost import fit
from bgrating.people.pairs import SIDES, column
from bgrating.people.shrinkage import other_matches, rates_elsewhere

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
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
SCORE_COLUMNS = columns("people/scores")
SLOPE_COLUMNS = columns("people/slopes")
BIN_COLUMNS = columns("people/bins")


def predictions(pairs: pd.DataFrame, formulas: dict[str, RatingFormula]) -> pd.DataFrame:
    """Return, beside the matches, the predicted rating difference (player weaker: positive) of every predictor.

    Columns: the formulas' names, XG, SNOWIE, MWC (the difference of the chances that both lose by errors in a match, as
    it is) and RECORDED (NaN without both ratings), all in points, `others`: the lesser number of other matches of the
    two players. Rates come from the other matches of the table only; what they are drawn
    towards, the mean and its worth, are two numbers of the whole table.
    """
    number, others = other_matches(pairs)

    def both(name: str) -> Floats:
        return np.column_stack([column(pairs, f"{side}_{name}") for side in SIDES])

    lengths = column(pairs, "match_length")
    found: dict[str, Any] = {"others": others.min(axis=1)}
    for name, formula in formulas.items():
        found[name] = by_other_matches(pairs, formula)
    errors = both("chequer_error_emg") + both("cube_error_emg")
    total, _ = rates_elsewhere(number, errors, both("unforced_moves") + both("close_cube_decisions"))
    found[XG] = XG_POINTS_PER_PR * 500.0 * (total[:, 0] - total[:, 1])
    moves = column(pairs, "player_total_moves") + column(pairs, "opponent_total_moves")
    per_move, _ = rates_elsewhere(number, errors, np.column_stack([moves, moves]))
    found[SNOWIE] = POINTS_PER_SNOWIE * 1000.0 * (per_move[:, 0] - per_move[:, 1])
    mwc = both("chequer_error_mwc") + both("cube_error_mwc")
    lost, _ = rates_elsewhere(number, mwc, np.ones_like(mwc))
    chance = np.clip(0.5 - lost[:, 0] + lost[:, 1], LEAST_CHANCE, 1 - LEAST_CHANCE)
    found[MWC] = rating_difference(chance, lengths)
    found[RECORDED] = column(pairs, "opponent_recorded_rating") - column(pairs, "player_recorded_rating")
    return pd.DataFrame(found, index=pairs.index)


def by_other_matches(pairs: pd.DataFrame, formula: RatingFormula) -> Floats:
    """Return a formula's rating difference for each match from the errors of both players' other matches of the table.

    NaN at match lengths that the formula says nothing about.
    """
    number, _ = other_matches(pairs)
    rates = {}
    for rate, errors, per in (
        ("epm", "chequer_error_emg", "unforced_moves"),
        ("epc", "cube_error_emg", COUNTS[formula.epc_definition].per),
    ):
        sides = (np.column_stack([column(pairs, f"{side}_{name}") for side in SIDES]) for name in (errors, per))
        own, _ = rates_elsewhere(number, *sides)
        rates[rate] = own[:, 0] - own[:, 1]
    lengths = column(pairs, "match_length")
    found, known = np.full(len(lengths), math.nan), formula.holds_at(lengths)
    found[known] = formula.rating_difference(lengths[known], **{name: own[known] for name, own in rates.items()})[0]
    return found


def subsets(pairs: pd.DataFrame, predicted: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the sets of matches that predictors are judged on, by name."""
    yield "all matches", np.ones(len(pairs), dtype=bool)
    yield "both players have other matches", (predicted["others"] >= KNOWN).to_numpy()
    yield "both ratings recorded", predicted[RECORDED].notna().to_numpy()


def scores(pairs: pd.DataFrame, predicted: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Judge every predictor on every subset (SCORE_COLUMNS).

    `measure` is LOG_LOSS, BRIER or SQUARED, a mean over matches; `gain` what it is better than a coin's on the same
    matches, `behind` how much worse than the predictor `reference`, match by match, with Student's t over matches
    (given the players, dice make matches independent). `results` are `won`, plain ones, or `luck-adjusted`: log loss
    and Brier are linear in the result, so the luck-adjusted one (a chance, unbiased for the plain one) may stand for
    it, with less noise. SQUARED is of the luck-adjusted result less the predicted chance.
    """
    rows = []
    lengths = column(pairs, "match_length")
    for subset, here in subsets(pairs, predicted):
        if here.sum() < LEAST:
            continue
        for measure, results, losses in _measures(pairs[here]):
            each = {
                predictor: losses(win_probability(difference[here], lengths[here]))
                for predictor in predicted
                if predictor != "others"
                and np.isfinite((difference := predicted[predictor].to_numpy(np.float64))[here]).all()
            }
            coin = losses(np.full(int(here.sum()), 0.5))
            for predictor, own in each.items():
                gain, error, low, high = _mean(coin - own)
                row = {
                    "subset": subset, "predictor": predictor, "measure": measure, "results": results,
                    "value": float(own.mean()), "gain": gain, "gain_se": error, "gain_low": low, "gain_high": high,
                    "confidence": CONFIDENCE, "n_matches": len(own),
                }  # fmt: skip
                if reference in each and predictor != reference:
                    row["behind"], _, row["behind_low"], row["behind_high"] = _mean(own - each[reference])
                rows.append(row)
    return pd.DataFrame(rows, columns=SCORE_COLUMNS)


def _measures(pairs: pd.DataFrame) -> Iterator[tuple[str, str, Callable[[Floats], Floats]]]:
    """Yield the measures, of which results, each as what a chance for every match loses."""
    for results, name in (("won", "actual_result"), ("luck-adjusted", "luck_adjusted_result")):
        won = column(pairs, name) + 0.5
        yield LOG_LOSS, results, partial(_log_loss, won)
        yield BRIER, results, partial(_brier, won)
    yield SQUARED, "luck-adjusted", partial(_squared, won)


def _log_loss(won: Floats, chance: Floats) -> Floats:
    return np.asarray(-won * np.log(chance) - (1 - won) * np.log1p(-chance))


def _brier(won: Floats, chance: Floats) -> Floats:
    return np.asarray(won - 2 * won * chance + chance**2)


def _squared(won: Floats, chance: Floats) -> Floats:
    return np.asarray((won - chance) ** 2)


def _mean(each: Floats) -> tuple[float, float, float, float]:
    """Return the mean, its standard error and the ends of its interval (Student's t)."""
    mean, error = float(each.mean()), float(each.std(ddof=1) / math.sqrt(len(each)))
    half = quantile(CONFIDENCE, len(each) - 1) * error
    return mean, error, mean - half, mean + half


def slopes(pairs: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """Fit results to a multiple of each predicted rating difference (SLOPE_COLUMNS).

    A slope of 1 says that the differences are as large as predicted, below 1 that they are smaller; `spread` is the
    standard deviation of the predicted differences in points, without which no slope can be found.
    """
    rows = []
    lengths = column(pairs, "match_length")
    for subset, here in subsets(pairs, predicted):
        if here.sum() < LEAST:
            continue
        for predictor in (name for name in predicted if name != "others"):
            difference = predicted[predictor].to_numpy(np.float64)
            if not np.isfinite(difference[here]).all() or np.ptp(difference[here]) < 1e-6:
                continue
            for results, name in (("won", "actual_result"), ("luck-adjusted", "luck_adjusted_result")):
                found = fit(column(pairs, name)[here], lengths[here], difference[here, None])
                value, error, low, high = found.interval(0)
                rows.append(
                    {
                        "subset": subset, "predictor": predictor, "results": results, "slope": value,
                        "std_error": error,
                        "ci_low": low, "ci_high": high, "confidence": CONFIDENCE, "n_matches": int(here.sum()),
                        "spread": float(np.sqrt((difference[here] ** 2).mean())),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows, columns=SLOPE_COLUMNS)


def bins(pairs: pd.DataFrame, predicted: pd.DataFrame, predictor: str, count: int = 5) -> pd.DataFrame:
    """Sort matches by the predicted chance of their favourite into bins of like numbers (BIN_COLUMNS)."""
    if len(pairs) < LEAST:
        return pd.DataFrame(columns=BIN_COLUMNS)
    difference = predicted[predictor].to_numpy(np.float64)
    known = np.isfinite(difference)
    chance = win_probability(difference[known], column(pairs, "match_length")[known])
    turn = np.where(chance >= 0.5, 1.0, -1.0)
    favourite = 0.5 + turn * (chance - 0.5)
    order = np.array_split(np.argsort(favourite, kind="stable"), count)
    rows = []
    for place, members in enumerate(order):
        row: dict[str, Any] = {
            "predictor": predictor, "bin": place, "predicted": float(favourite[members].mean()),
            "confidence": CONFIDENCE, "n_matches": len(members),
        }  # fmt: skip
        for name, what in (("won", "actual_result"), ("luck_adjusted", "luck_adjusted_result")):
            own = 0.5 + (turn * column(pairs, what)[known])[members]
            half = quantile(CONFIDENCE, len(own) - 1) * float(own.std(ddof=1)) / math.sqrt(len(own))
            row |= {
                name: float(own.mean()),
                f"{name}_low": float(own.mean()) - half,
                f"{name}_high": float(own.mean()) + half,
            }
        rows.append(row)
    return pd.DataFrame(rows, columns=BIN_COLUMNS)
