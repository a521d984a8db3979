"""People beside simulated matches: the same fit of single matches, and what it hides where the truth is known.

A match's own error rates are noisy, its errors and its luck go together, and who falls behind meets other positions: so
a fit of single matches finds other coefficients than one of players' long-run rates. Simulated players meet often
enough for both fits. Their ratio is the factor by which single matches mislead there; people's coefficients from single
matches over it are what people's long-run rates would give, as far as people are like noise in this.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bgrating.dictionary import columns
from bgrating.formula.formula import RatingFormula
from bgrating.formula.intervals import quantile
from bgrating.formula.rates import COUNTS
from bgrating.people.error_cost import CONFIDENCE, LEAST, fit_matches, fit_players
from bgrating.people.pairs import Simulated, column, rate
from bgrating.people.sources import SIMULATED

TERMS = ("a2", "b")
PEOPLE, ALL_LENGTHS = "people", 0
FIT_COLUMNS = columns("people/fits")
FACTOR_COLUMNS = columns("people/factors")
IDENTITY_COLUMNS = columns("people/identity")


def fits(people: pd.DataFrame, published: RatingFormula, simulated: Simulated) -> pd.DataFrame:
    """Fit people and simulated matches alike (FIT_COLUMNS).

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
    return pd.DataFrame(rows, columns=FIT_COLUMNS)


def _tables(people: pd.DataFrame, simulated: Simulated) -> Iterator[tuple[str, int, str, pd.DataFrame]]:
    yield PEOPLE, ALL_LENGTHS, "matches", people
    for length, table in people.groupby("match_length"):
        yield PEOPLE, int(str(length).partition(".")[0]), "matches", table
    for study, lengths in SIMULATED.items():
        for length in lengths:
            table = simulated(study, length)
            if not len(table):
                continue
            for source, chosen in ((study, table), (f"{study}, as good as people", as_good_as(table, people))):
                yield source, length, "matches", chosen
                yield source, length, "players", chosen


def as_good_as(table: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Return the simulated matches of players whose error rates people reach: up to the 95th percentile of matches."""
    if people.empty or table.empty:
        return table.head(0)
    most = []
    for name, count in (("chequer_error_emg", "unforced_moves"), ("cube_error_emg", "close_cube_decisions")):
        each = [
            rate(column(people, f"{side}_{name}"), column(people, f"{side}_{count}")) for side in ("player", "opponent")
        ]
        most.append((name, count, float(np.quantile(np.concatenate(each), 0.95))))
    sums = table.groupby(["player", "opponent"])[[f"player_{n}" for names in most for n in names[:2]]].sum()
    fits_in = np.ones(len(sums), dtype=bool)
    for name, count, limit in most:
        fits_in &= (sums[f"player_{name}"] / sums[f"player_{count}"]).to_numpy() <= limit
    kept = sums.index[fits_in]
    return table[table.set_index(["player", "opponent"]).index.isin(kept)]


def _rows(
    source: str, length: int, kind: str, table: pd.DataFrame, published: RatingFormula
) -> Iterator[dict[str, Any]]:
    players = len(pd.concat([table["player"], table["opponent"]]).unique()) if len(table) else 0
    if len(table) < LEAST or (kind == "players" and players < 4):
        return
    for cube, count in COUNTS.items():
        unit = None if cube in ("today", "2003") else 1.0
        found = (fit_matches if kind == "matches" else fit_players)(table, cube, published, unit)
        for place, term in enumerate(TERMS):
            value, error, low, high = found.interval(place)
            yield {
                "source": source, "match_length": length, "cube_rate": count.rate, "fit": kind, "term": term,
                "unit": "published" if unit is None or term == "a2" else "points", "estimate": value,
                "std_error": error, "ci_low": low, "ci_high": high, "confidence": CONFIDENCE,
                "n_matches": len(table), "n_players": players,
            }  # fmt: skip


def factors(table: pd.DataFrame) -> pd.DataFrame:
    """Set people beside simulated matches of the same length (FACTOR_COLUMNS), from the table of `fits`.

    `ratio` is people's coefficient over the simulated one, both from single matches, with the interval of a ratio by
    Fieller's theorem; `factor` is single matches over players in the simulation, `implied` people over that factor.
    A row with match length 0 averages over lengths, weighted with people's precision at each.
    """
    rows: list[dict[str, Any]] = []
    key = ["cube_rate", "match_length", "term"]
    own_rows = table[(table["source"] == PEOPLE) & (table["match_length"] != ALL_LENGTHS)]
    people = {tuple(row[name] for name in key): row for row in own_rows.to_dict("records")}
    others = table[table["source"] != PEOPLE]
    for (source, cube, length, term), own in others.groupby(
        ["source", "cube_rate", "match_length", "term"], sort=False
    ):
        place = (cube, length, term)
        by_fit = {row["fit"]: row for row in own.to_dict("records")}
        if place not in people or "matches" not in by_fit:
            continue
        rows.append(_factor(str(source), str(cube), int(str(length)), str(term), people[place], by_fit))
    found = pd.DataFrame(rows, columns=FACTOR_COLUMNS)
    return pd.concat([found, _averages(found)], ignore_index=True) if len(found) else found


def _factor(
    source: str, cube: str, length: int, term: str, mine: dict[Any, Any], by_fit: dict[Any, dict[Any, Any]]
) -> dict[str, Any]:
    single = by_fit["matches"]
    low, high = quotient_interval(mine["estimate"], mine["std_error"], single["estimate"], single["std_error"])
    long_run = by_fit.get("players")
    factor = math.nan if long_run is None else single["estimate"] / long_run["estimate"]
    half = (mine["ci_high"] - mine["ci_low"]) / 2
    return {
        "cube_rate": cube, "match_length": length, "source": source, "term": term, "people": mine["estimate"],
        "people_se": mine["std_error"], "simulated": single["estimate"], "simulated_se": single["std_error"],
        "ratio": mine["estimate"] / single["estimate"], "ratio_low": low, "ratio_high": high, "factor": factor,
        "implied": mine["estimate"] / factor, "implied_low": (mine["estimate"] - half) / factor,
        "implied_high": (mine["estimate"] + half) / factor, "confidence": CONFIDENCE,
        "n_matches": mine["n_matches"], "n_simulated": single["n_matches"],
    }  # fmt: skip


def _averages(found: pd.DataFrame) -> pd.DataFrame:
    """Average ratios and implied coefficients over match lengths, weighted with the precision of people's ratios."""
    rows = []
    z = quantile(CONFIDENCE)
    for (source, cube, term), own in found.groupby(["source", "cube_rate", "term"], sort=False):
        if len(own) < 2:
            continue
        spread_of = column(own, "people_se"), column(own, "ratio") * column(own, "simulated_se")
        weight = (column(own, "simulated") / np.hypot(*spread_of)) ** 2
        ratio, error = float(np.average(own["ratio"], weights=weight)), math.sqrt(1 / float(weight.sum()))
        spread = (own["implied_high"] - own["implied_low"]).to_numpy(np.float64) / 2 / z
        implied_weight = 1 / spread**2
        implied, implied_error = (
            float(np.average(own["implied"], weights=implied_weight)),
            math.sqrt(1 / implied_weight.sum()),
        )
        rows.append(
            {
                "cube_rate": cube, "match_length": ALL_LENGTHS, "source": source, "term": term, "ratio": ratio,
                "ratio_low": ratio - z * error, "ratio_high": ratio + z * error,
                "factor": float(np.average(own["factor"], weights=weight)), "implied": implied,
                "implied_low": implied - z * implied_error, "implied_high": implied + z * implied_error,
                "confidence": CONFIDENCE, "n_matches": own["n_matches"].sum(), "n_simulated": own["n_simulated"].sum(),
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=FACTOR_COLUMNS)


def quotient_interval(above: float, above_se: float, below: float, below_se: float) -> tuple[float, float]:
    """Return the interval of a quotient of independent estimates; NaN where the lower one may be nothing.

    Source: Fieller, Journal of the Royal Statistical Society B 16 (1954) 175, with the normal distribution.
    """
    z2 = quantile(CONFIDENCE) ** 2
    a, b, c = below**2 - z2 * below_se**2, above * below, above**2 - z2 * above_se**2
    if a <= 0:
        return math.nan, math.nan
    root = math.sqrt(max(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a


def identity(people: pd.DataFrame, simulated: Simulated) -> pd.DataFrame:
    """Say how far a match's luck-adjusted result is no more than what its errors cost by gnubg's own count (MWC).

    One row for people and one for each set of simulated matches (IDENTITY_COLUMNS): correlation, mean and standard
    deviation of the difference, number of matches.
    """
    rows = [{"source": PEOPLE, "match_length": ALL_LENGTHS, **error_identity(people)}] if len(people) >= LEAST else []
    for study, lengths in SIMULATED.items():
        for length in lengths:
            table = simulated(study, length)
            if len(table) >= LEAST:
                rows.append({"source": study, "match_length": length, **error_identity(table)})
    return pd.DataFrame(rows, columns=IDENTITY_COLUMNS)


def error_identity(pairs: pd.DataFrame) -> dict[str, float]:
    """Compare luck-adjusted results with the MWC that gnubg counts for the errors of both players."""
    own, other = (
        column(pairs, f"{side}_chequer_error_mwc") + column(pairs, f"{side}_cube_error_mwc")
        for side in ("player", "opponent")
    )
    cost = other - own
    result = column(pairs, "luck_adjusted_result")
    off = result - cost
    return {
        "correlation": float(np.corrcoef(result, cost)[0, 1]) if np.ptp(cost) > 0 else math.nan,
        "mean": float(off.mean()),
        "sd": float(off.std(ddof=1)),
        "n_matches": len(pairs),
    }
