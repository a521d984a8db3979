"""For whom the formula holds: one multiplier of its rating differences, group by group."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.people.error_cost import CONFIDENCE, LEAST, Exchange, differences, fit
from bgrating.people.pairs import SIDES, Simulated, column
from bgrating.people.shrinkage import long_run_rates, other_matches
from bgrating.people.simulated_reference import as_good_as, quotient_interval
from bgrating.people.sources import SIMULATED

Floats = NDArray[np.float64]

COLUMNS = columns("people/whom")
LEAST_SPREAD = 1e-6
"""Predicted rating differences that spread by less say nothing."""


def whom(
    pairs: pd.DataFrame, formulas: dict[str, RatingFormula], simulated: Simulated, elsewhere: pd.DataFrame
) -> pd.DataFrame:
    """Fit, for every formula and group of matches, the multiplier of its rating differences (COLUMNS).

    `instrumented` is of the differences by the errors of the players' other matches (`elsewhere`: from prediction.py),
    which this match's chances did not move; `multiplier` is of those by the errors of the same match, which its chances
    did move. `simulated`
    is the multiplier that the same fit finds in simulated matches (Part II) of the nearest lengths between players as
    good as these, weighted by the group's matches; `ratio` people's over it: 1 where people's errors cost what noise's
    cost. `net_luck` is the mean luck, less the opponent's, of the group's busiest player, which must be about nothing.
    Groups: match lengths, sites, folders of files, strength (mean of both players' EPM over all their matches, drawn
    towards everybody's), and the busiest player in and out, if in more than a quarter of all matches.
    """
    rows = []
    for name, formula in formulas.items():
        if not formula.every_length:
            continue
        reference = _reference(formula, simulated, pairs)
        for group, here in _groups(pairs):
            if int(here.sum()) < LEAST:
                continue
            own = pairs[here]
            found = _multiplier(own, formula)
            value, error, low, high = found.interval(0)
            row: dict[str, Any] = {
                "formula": name, "group": group, "multiplier": value, "std_error": error, "ci_low": low,
                "ci_high": high,
                "confidence": CONFIDENCE, "n_matches": found.matches,
            }  # fmt: skip
            row |= _elsewhere(own, elsewhere.loc[own.index, name].to_numpy(float)) | _net_luck(own)
            if reference:
                simulated_value, simulated_error = _expected(reference, column(own, "match_length"))
                ends = quotient_interval(value, error, simulated_value, simulated_error)
                row |= {
                    "simulated": simulated_value, "ratio": value / simulated_value, "ratio_low": ends[0],
                    "ratio_high": ends[1],
                }  # fmt: skip
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def _elsewhere(pairs: pd.DataFrame, predicted: Floats) -> dict[str, float]:
    """Return the multiplier of rating differences by the errors of other matches; nothing where they do not vary."""
    if np.ptp(predicted) < LEAST_SPREAD:
        return {}
    fitted = fit(column(pairs, "luck_adjusted_result"), column(pairs, "match_length"), predicted[:, None])
    value, _, low, high = fitted.interval(0)
    return {"instrumented": value, "instrumented_low": low, "instrumented_high": high}


def _net_luck(pairs: pd.DataFrame) -> dict[str, float]:
    number, _ = other_matches(pairs)
    busiest = number == np.bincount(number.ravel()).argmax()
    net = column(pairs, "player_luck_mwc") - column(pairs, "opponent_luck_mwc")
    own = (net[:, None] * np.array([1.0, -1.0]))[busiest]
    if len(own) < LEAST:
        return {}
    half = quantile(CONFIDENCE, len(own) - 1) * float(own.std(ddof=1)) / math.sqrt(len(own))
    return {"net_luck": float(own.mean()), "net_luck_low": own.mean() - half, "net_luck_high": own.mean() + half}


def _multiplier(pairs: pd.DataFrame, formula: RatingFormula) -> Exchange:
    lengths = column(pairs, "match_length")
    rates = differences(pairs, formula.epc_definition)
    return fit(column(pairs, "luck_adjusted_result"), lengths, predicted(formula, lengths, rates)[:, None])


def predicted(formula: RatingFormula, lengths: Floats, rates: Floats) -> Floats:
    """Return the formula's rating differences for differences of EPM and EPC (matches by two)."""
    return formula.rating_difference(lengths, epm=rates[:, 0], epc=rates[:, 1])[0]


def _reference(formula: RatingFormula, simulated: Simulated, pairs: pd.DataFrame) -> dict[int, Exchange]:
    tables = {length: as_good_as(simulated("part2", length), pairs) for length in SIMULATED["part2"]}
    return {length: _multiplier(table, formula) for length, table in tables.items() if len(table) >= LEAST}


def _expected(reference: dict[int, Exchange], lengths: Floats) -> tuple[float, float]:
    """Average the simulated multipliers over a group's lengths, each by the nearest length there is."""
    held = np.array(sorted(reference))
    nearest = held[np.abs(lengths[:, None] - held[None, :]).argmin(axis=1)]
    share = {int(length): float((nearest == length).mean()) for length in held}
    value = sum(share[n] * float(reference[n].estimate[0]) for n in share)
    variance = sum(share[n] ** 2 * float(reference[n].covariance[0, 0]) for n in share)
    return value, math.sqrt(variance)


def _groups(pairs: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    lengths = column(pairs, "match_length")
    yield "all matches", np.ones(len(pairs), dtype=bool)
    for words, low, high in (
        ("to 1 to 4 points", 1, 4),
        ("to 5 or 6 points", 5, 6),
        ("to 7 or 8 points", 7, 8),
        ("to 9 points or more", 9, 999),
    ):
        yield words, (lengths >= low) & (lengths <= high)
    for site in sorted(pairs["dialect"].fillna("").unique()):
        yield f"site {site or 'unknown'}", (pairs["dialect"].fillna("") == site).to_numpy()
    folders = pairs["file"].str.partition("/")[0]
    if folders.nunique() > 1:
        for folder in sorted(folders.unique()):
            yield f"files of {folder}", (folders == folder).to_numpy()
    number, others = other_matches(pairs)
    errors = np.column_stack([column(pairs, f"{side}_chequer_error_emg") for side in SIDES])
    moves = np.column_stack([column(pairs, f"{side}_unforced_moves") for side in SIDES])
    if len(pairs) and int((others > 0).sum()):
        mean = long_run_rates(number, errors, moves).mean(axis=1)
        if np.ptp(mean) > 0:
            cut = np.quantile(mean, [1 / 3, 2 / 3])
            yield "the stronger third of pairs", mean <= cut[0]
            yield "the middle third of pairs", (mean > cut[0]) & (mean <= cut[1])
            yield "the weaker third of pairs", mean > cut[1]
    counts = np.bincount(number.ravel()) if len(pairs) else np.zeros(1)
    if counts.max() > len(pairs) / 4:
        with_one = (number == counts.argmax()).any(axis=1)
        yield "with the busiest player", with_one
        yield "without the busiest player", ~with_one
