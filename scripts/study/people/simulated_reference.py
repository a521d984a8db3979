"""People beside simulated matches: the same fit of single matches, and what it hides where the truth is known.

A match's own error rates are noisy, its errors and its luck go together, and who falls behind meets other positions: so
a fit of single matches finds other coefficients than one of players' long-run rates. Simulated players meet often
enough for both fits. Their ratio is the factor by which single matches mislead there; people's coefficients from single
matches over it are what people's long-run rates would give, as far as people are like noise in this.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.error_cost import CLOSE, LEAST, fit_matches, fit_players, quotient_interval
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.pairs import Simulated, both, column, rate
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from study.people.sources import SIMULATED

TERMS = ("a2", "b")
PEOPLE, ALL_LENGTHS = "people", 0


def fits(people: pd.DataFrame, published: RatingFormula, simulated: Simulated) -> pd.DataFrame:
    """Fit people and simulated matches alike (people/fits).

    `estimate` is a multiple of the published a2(N), and of the published b(N) where EPC is meant (`unit`
    `published`); with other counts of cube errors the coefficient of the cube is points per EMG (`unit` `points`).
    `match_length` is 0 for all lengths together. `fit` is `matches` (single ones) or `players` (pairs of players, which
    only simulated ones are often enough). `source` is `people`, a study, or a study with `, as good as people`: its
    players whose error rates are within those of 19 of 20 people's matches.
    """
    rows = [
        row
        for source, length, kind, table in _tables(people, simulated)
        for row in _rows(source, length, kind, table, published)
    ]
    return pd.DataFrame(rows, columns=columns("people/fits"))


def _tables(people: pd.DataFrame, simulated: Simulated) -> Iterator[tuple[str, int, str, pd.DataFrame]]:
    yield PEOPLE, ALL_LENGTHS, "matches", people
    for length in sorted(people["match_length"].unique()):
        yield PEOPLE, int(length), "matches", people[people["match_length"] == length]
    for study, length, table in _simulated(simulated):
        for source, chosen in ((study, table), (f"{study}, as good as people", as_good_as(table, people))):
            yield source, length, "matches", chosen
            yield source, length, "players", chosen


def _simulated(simulated: Simulated) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield the simulated matches that there are: study, match length, table."""
    for study, lengths in SIMULATED.items():
        for length in lengths:
            if len(table := simulated(study, length)):
                yield study, length, table


def as_good_as(table: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Return the simulated matches of players whose error rates people reach: up to the 95th percentile of matches."""
    if people.empty or table.empty:
        return table.head(0)
    pair = [table["player"], table["opponent"]]
    reached = np.ones(len(table), dtype=bool)
    for errors, count in (("chequer_error_emg", "unforced_moves"), ("cube_error_emg", "close_cube_decisions")):
        most = float(np.quantile(rate(both(people, errors), both(people, count)), 0.95))
        above, below = (table[f"player_{name}"].groupby(pair).transform("sum") for name in (errors, count))
        reached &= (above / below <= most).to_numpy()
    return table[reached]


def _rows(
    source: str, length: int, kind: str, table: pd.DataFrame, published: RatingFormula
) -> Iterator[dict[str, Any]]:
    players = len(pd.concat([table["player"], table["opponent"]]).unique()) if len(table) else 0
    if len(table) < LEAST or (kind == "players" and players < 4):
        return
    for name, count in COUNTS.items():
        found = (fit_matches if kind == "matches" else fit_players)(table, name, published)
        for place, term in enumerate(TERMS):
            value, error, low, high = found.interval(place)
            yield {
                "source": source, "match_length": length, "cube_rate": count.rate, "fit": kind, "term": term,
                "unit": "published" if name in CLOSE or term == "a2" else "points", "estimate": value,
                "std_error": error, "ci_low": low, "ci_high": high, "confidence": CONFIDENCE,
                "n_matches": len(table), "n_players": players,
            }  # fmt: skip


def factors(table: pd.DataFrame) -> pd.DataFrame:
    """Set people beside simulated matches of the same length (people/factors), from the table of `fits`.

    `ratio` is people's coefficient over the simulated one, both from single matches, with the interval of a ratio by
    Fieller's theorem; `factor` is single matches over players in the simulation, `implied` people over that factor.
    A row with match length 0 averages over lengths, weighted with people's precision at each.
    """
    key = ["cube_rate", "match_length", "term"]
    own_rows = table[(table["source"] == PEOPLE) & (table["match_length"] != ALL_LENGTHS)]
    people = {tuple(row[name] for name in key): row for row in own_rows.to_dict("records")}
    rows = []
    for place, own in table[table["source"] != PEOPLE].groupby(["source", *key], sort=False):
        by_fit = {row["fit"]: row for row in own.to_dict("records")}
        if place[1:] in people and "matches" in by_fit:
            rows.append(_factor(people[place[1:]], by_fit["matches"], by_fit.get("players")))
    found = pd.DataFrame(rows, columns=columns("people/factors"))
    return pd.concat([found, _averages(found)], ignore_index=True) if len(found) else found


def _factor(people: Mapping[Any, Any], single: Mapping[Any, Any], long_run: Mapping[Any, Any] | None) -> dict[str, Any]:
    value = people["estimate"]
    low, high = quotient_interval(value, people["std_error"], single["estimate"], single["std_error"])
    factor = math.nan if long_run is None else single["estimate"] / long_run["estimate"]
    half = (people["ci_high"] - people["ci_low"]) / 2
    return {
        **{name: single[name] for name in ("cube_rate", "match_length", "source", "term")}, "people": value,
        "people_se": people["std_error"], "simulated": single["estimate"], "simulated_se": single["std_error"],
        "ratio": value / single["estimate"], "ratio_low": low, "ratio_high": high, "factor": factor,
        "implied": value / factor, "implied_low": (value - half) / factor, "implied_high": (value + half) / factor,
        "confidence": CONFIDENCE, "n_matches": people["n_matches"], "n_simulated": single["n_matches"],
    }  # fmt: skip


def _averages(found: pd.DataFrame) -> pd.DataFrame:
    """Average ratios and implied coefficients over match lengths, weighted with the precision of people's ratios."""
    rows = []
    z = quantile(CONFIDENCE)
    for (source, cube, term), own in found.groupby(["source", "cube_rate", "term"], sort=False):
        if len(own) < 2:
            continue
        error_of = np.hypot(column(own, "people_se"), column(own, "ratio") * column(own, "simulated_se"))
        weight = (column(own, "simulated") / error_of) ** 2
        precision = (2 * z / (column(own, "implied_high") - column(own, "implied_low"))) ** 2
        rows.append(
            {
                "cube_rate": cube, "match_length": ALL_LENGTHS, "source": source, "term": term,
                **_average(own, "ratio", weight), "factor": float(np.average(own["factor"], weights=weight)),
                **_average(own, "implied", precision), "confidence": CONFIDENCE,
                "n_matches": own["n_matches"].sum(), "n_simulated": own["n_simulated"].sum(),
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/factors"))


def _average(rows: pd.DataFrame, name: str, precision: Any) -> dict[str, float]:
    """Return the mean of a column, rows weighted with their precision, and the ends of its interval."""
    value = float(np.average(rows[name], weights=precision))
    half = quantile(CONFIDENCE) * math.sqrt(1 / float(precision.sum()))
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def identity(people: pd.DataFrame, simulated: Simulated) -> pd.DataFrame:
    """Say how far a match's luck-adjusted result is no more than what its errors cost by gnubg's own count (MWC).

    One row for people and one for each set of simulated matches (people/identity).
    """
    rows = []
    for source, length, table in ((PEOPLE, ALL_LENGTHS, people), *_simulated(simulated)):
        if len(table) < LEAST:
            continue
        errors = both(table, "chequer_error_mwc") + both(table, "cube_error_mwc")
        cost, result = errors[:, 1] - errors[:, 0], column(table, "luck_adjusted_result")
        off = result - cost
        together = float(np.corrcoef(result, cost)[0, 1]) if np.ptp(cost) > 0 else math.nan
        rows.append((source, length, together, float(off.mean()), float(off.std(ddof=1)), len(table)))
    return pd.DataFrame(rows, columns=columns("people/identity"))
