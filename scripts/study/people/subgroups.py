"""For whom the formula holds: one multiplier of its rating differences, group by group."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.error_cost import LEAST, ErrorCost, fit, fit_instrumented, quotient_interval
from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, interval_of_mean
from bgrating.rating.nearest import ConvergenceError
from bgrating.rating.pairs import Simulated, both, column, long_run_rates, other_matches, predicted
from bgrating.tables.dictionary import columns
from study.people.simulated_reference import as_good_as
from study.people.sources import SIMULATED


def whom(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula], simulated: Simulated) -> pd.DataFrame:
    """Fit, for every formula and group of matches, the multiplier of its rating differences (people/whom).

    `multiplier` is that of single matches by least squares (error_cost.py), which their chances dilute, `instrumented`
    that with the errors of the players' other matches as instrument. `simulated` and `instrumented_simulated` are what
    the same fits find in simulated matches (Part II) of players as good as these, the first at the nearest lengths,
    weighted by the group's matches; `ratio` and `instrumented_ratio` are people's over it: 1 where people's errors cost
    what noise's cost. `net_luck` is the mean luck, less the opponent's, of the group's busiest player, which must be
    about nothing. Groups: match lengths, sites, folders of files, strength (mean of both players' EPM over all their
    matches, shrunk to the overall mean), and the busiest player in and out, if in more than a quarter of all matches.
    """
    noise = {length: as_good_as(simulated("part2", length), pairs) for length in SIMULATED["part2"]}
    everybody = pd.concat(noise.values(), ignore_index=True)
    rows = []
    for name, formula in formulas.items():
        if not formula.every_length:
            continue
        reference = {length: _multiplier(table, formula) for length, table in noise.items() if len(table) >= LEAST}
        of_noise = None
        if len(everybody) >= LEAST:
            of_noise = _instrumented(everybody, formula, predicted(everybody, formula, elsewhere=True))
        instrument = predicted(pairs, formula, elsewhere=True)
        for group, here in _groups(pairs):
            if int(here.sum()) < LEAST:
                continue
            own = pairs[here]
            value, error, low, high = _multiplier(own, formula).interval(0)
            row: dict[str, Any] = {
                "formula": name, "group": group, "multiplier": value, "std_error": error, "ci_low": low,
                "ci_high": high, "confidence": CONFIDENCE, "n_matches": len(own), **_net_luck(own),
            }  # fmt: skip
            if found := _instrumented(own, formula, instrument[here]):
                value_by_instrument, error_by_instrument, low, high = found.interval(0)
                row |= {"instrumented": value_by_instrument, "instrumented_low": low, "instrumented_high": high}
                if of_noise:
                    beside = of_noise.interval(0)[:2]
                    row |= _beside_noise("instrumented_", (value_by_instrument, error_by_instrument), beside)
            if reference:
                row |= _beside_noise("", (value, error), _expected(reference, column(own, "match_length")))
            rows.append(row)
    return pd.DataFrame(rows, columns=columns("people/whom"))


def _beside_noise(prefix: str, people: tuple[float, float], noise: tuple[float, float]) -> dict[str, float]:
    """Return noise's multiplier and people's over it with its interval, from both with their standard errors."""
    low, high = quotient_interval(*people, *noise)
    values = {"simulated": noise[0], "ratio": people[0] / noise[0], "ratio_low": low, "ratio_high": high}
    return {f"{prefix}{name}": value for name, value in values.items()}


def _multiplier(table: pd.DataFrame, formula: RatingFormula) -> ErrorCost:
    design = predicted(table, formula)[:, None]
    return fit(column(table, "luck_adjusted_result"), column(table, "match_length"), design)


def _instrumented(table: pd.DataFrame, formula: RatingFormula, instrument: Floats) -> ErrorCost | None:
    """Return the multiplier by an instrument; None where there is none that fits."""
    result, lengths = column(table, "luck_adjusted_result"), column(table, "match_length")
    try:
        return fit_instrumented(result, lengths, predicted(table, formula), instrument)
    except ConvergenceError:
        return None


def _net_luck(table: pd.DataFrame) -> dict[str, float]:
    number, _ = other_matches(table)
    busiest = number == np.bincount(number.ravel()).argmax()
    luck = both(table, "luck_mwc")
    own = (luck - luck[:, ::-1])[busiest]
    if len(own) < LEAST:
        return {}
    mean, _, low, high = interval_of_mean(own)
    return {"net_luck": mean, "net_luck_low": low, "net_luck_high": high}


def _expected(reference: Mapping[int, ErrorCost], lengths: Floats) -> tuple[float, float]:
    """Average the simulated multipliers over a group's lengths, each by the nearest length there is, with its error."""
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
    sites = pairs["dialect"].fillna("")
    for site in sorted(sites.unique()):
        yield f"site {site or 'unknown'}", (sites == site).to_numpy()
    folders = pairs["file"].str.split("/").str[0]
    if folders.nunique() > 1:
        for folder in sorted(folders.unique()):
            yield f"files of {folder}", (folders == folder).to_numpy()
    if pairs.empty:
        return
    number, others = other_matches(pairs)
    if (others > 0).any():
        mean = long_run_rates(number, both(pairs, "chequer_error_emg"), both(pairs, "unforced_moves")).mean(axis=1)
        if np.ptp(mean) > 0:
            cut = np.quantile(mean, [1 / 3, 2 / 3])
            yield "the stronger third of pairs", mean <= cut[0]
            yield "the middle third of pairs", (mean > cut[0]) & (mean <= cut[1])
            yield "the weaker third of pairs", mean > cut[1]
    counts = np.bincount(number.ravel())
    if counts.max() > len(pairs) / 4:
        with_one = (number == counts.argmax()).any(axis=1)
        yield "with the busiest player", with_one
        yield "without the busiest player", ~with_one
