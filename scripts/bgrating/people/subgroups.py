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
from bgrating.formula.regressions import ConvergenceError
from bgrating.people.error_cost import CONFIDENCE, LEAST, Exchange, differences, fit, fit_instrumented
from bgrating.people.pairs import SIDES, Simulated, column
from bgrating.people.prediction import by_other_matches
from bgrating.people.shrinkage import long_run_rates, other_matches
from bgrating.people.simulated_reference import as_good_as, quotient_interval
from bgrating.people.sources import SIMULATED

Floats = NDArray[np.float64]

COLUMNS = columns("people/whom")


def whom(pairs: pd.DataFrame, formulas: dict[str, RatingFormula], simulated: Simulated) -> pd.DataFrame:
    """Fit, for every formula and group of matches, the multiplier of its rating differences (COLUMNS).

    `multiplier` is that of single matches by least squares (error_cost.py), which their chances dilute, `instrumented`
    that with the errors of the players' other matches as instrument. `simulated` and `instrumented_simulated` are what
    the same fits find in simulated matches (Part II) of players as good as these, the first at the nearest lengths,
    weighted by the group's matches; `ratio` and `instrumented_ratio` are people's over it: 1 where people's errors cost
    what noise's cost. `net_luck` is the mean luck, less the opponent's, of the group's busiest player, which must be
    about nothing. Groups: match lengths, sites, folders of files, strength (mean of both players' EPM over all their
    matches, drawn towards everybody's), and the busiest player in and out, if in more than a quarter of all matches.
    """
    rows = []
    for name, formula in formulas.items():
        if not formula.every_length:
            continue
        reference = _reference(formula, simulated, pairs)
        instrument, noise = by_other_matches(pairs, formula), _instrumented_noise(formula, simulated, pairs)
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
            row |= _by_instrument(own, formula, instrument[here], noise) | _net_luck(own)
            if reference:
                simulated_value, simulated_error = _expected(reference, column(own, "match_length"))
                ends = quotient_interval(value, error, simulated_value, simulated_error)
                row |= {
                    "simulated": simulated_value, "ratio": value / simulated_value, "ratio_low": ends[0],
                    "ratio_high": ends[1],
                }  # fmt: skip
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def _by_instrument(
    pairs: pd.DataFrame, formula: RatingFormula, instrument: Floats, noise: Exchange | None
) -> dict[str, float]:
    """Return the multiplier by an instrument, and over noise's; nothing where the instrument finds none."""
    found = _instrumented(pairs, formula, instrument)
    if found is None:
        return {}
    value, error, low, high = found.interval(0)
    row = {"instrumented": value, "instrumented_low": low, "instrumented_high": high}
    if noise:
        of_noise, noise_error, _, _ = noise.interval(0)
        ends = quotient_interval(value, error, of_noise, noise_error)
        names = ("instrumented_simulated", "instrumented_ratio", "instrumented_ratio_low", "instrumented_ratio_high")
        row |= dict(zip(names, (of_noise, value / of_noise, *ends), strict=True))
    return row


def _instrumented(pairs: pd.DataFrame, formula: RatingFormula, instrument: Floats) -> Exchange | None:
    lengths = column(pairs, "match_length")
    own = predicted(formula, lengths, differences(pairs, formula.epc_definition))
    try:
        return fit_instrumented(column(pairs, "luck_adjusted_result"), lengths, own, instrument)
    except ConvergenceError:
        return None


def _instrumented_noise(formula: RatingFormula, simulated: Simulated, pairs: pd.DataFrame) -> Exchange | None:
    tables = [as_good_as(simulated("part2", length), pairs) for length in SIMULATED["part2"]]
    noise = pd.concat(tables, ignore_index=True)
    return _instrumented(noise, formula, by_other_matches(noise, formula)) if len(noise) >= LEAST else None


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
    folders = pairs["file"].str.split("/").str[0]
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
