"""Check the law from other sides.

Drawn matches against real ones by length, and other estimators, domains and weights.

`python benchmarks/law_checks.py NETS` writes law/drawn.csv and law/sensitivity.csv of an engine, in
a few minutes.

Drawn matches: in each cell of the domain the chance is the law's, its pair scatters by tau, and
each match is won or lost. The share of matches that the predicted favourite wins is compared with
the real share at each length. Real results are those as played, not luck-adjusted, so luck's
analysis has no part in this check.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from bgrating.engine.nets import committed_results
from bgrating.play.matches import read_checked
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws, quantile
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from study.formula.cells import PointMatches, cells
from study.law import CUBES, LIMIT, STUDIES, TESTED
from study.law.fit import (
    Fitted,
    Points,
    fit,
    law_scatter,
    points_of,
    predicted_by,
    smooth_variances,
)
from study.law.tables import slope

DRAWS, SEED = 1000, 20281


def matches_of(nets: str) -> dict[str, pd.DataFrame]:
    """Return the frozen matches of the law's studies by name."""
    found = {}
    for study in STUDIES:
        parts = sorted((committed_results(nets) / study / "frozen").glob("*.parquet"))
        if parts:
            found[study] = pd.concat([read_checked(part) for part in parts], ignore_index=True)
    return found


def drawn(
    matches: Mapping[str, pd.DataFrame], points: Points, fitted: Fitted, tau: float
) -> pd.DataFrame:
    """Return the favourites' share of matches won by length.

    Real, and in drawn studies (law/drawn).
    """
    actual = np.array(
        [cell.results.actual.mean() + 0.5 for table in matches.values() for cell in cells(table)]
    )
    predicted = fitted.predicted(points)
    inside = (np.abs(predicted) < LIMIT) & (points.cubes <= CUBES)
    points, predicted, actual = points.select(inside), predicted[inside], actual[inside]
    is_weaker = predicted > 0
    share = np.where(is_weaker, 1 - actual, actual)
    rng = np.random.default_rng(SEED)
    pairs = points.clusters
    scatter = 1 + tau * rng.standard_normal((DRAWS, pairs.max() + 1))[:, pairs]
    # Rounded, since the draws of binomial numbers depend on every digit, and the last ones depend
    # on the machine.
    chance = np.round(win_probability(-np.abs(predicted) * scatter, points.length), 6)
    # Whole numbers of matches, so that a draw that equals the real one is never below it by a
    # rounding error.
    counts = points.matches.astype(int)
    won = np.rint(share * counts).astype(int)
    drawn_won = rng.binomial(counts, chance)
    rows = []
    for length in np.unique(points.length):
        here = points.length == length
        total = counts[here].sum()
        real = won[here].sum()
        of_draws = drawn_won[:, here].sum(axis=1)
        low, high = interval_of_draws(of_draws / total)
        rows.append(
            {
                "match_length": int(length),
                "n_pairs": len(np.unique(points.pair[here])),
                "n_matches": int(total),
                "real": float(real / total),
                "drawn": float(of_draws.mean() / total),
                "drawn_low": float(low),
                "drawn_high": float(high),
                "confidence": CONFIDENCE,
                "place": float((of_draws < real).mean()),
            }
        )
    return pd.DataFrame(rows, columns=columns("law/drawn"))


def by_estimator(
    matches: Mapping[str, pd.DataFrame], points: Points, of: Callable[[PointMatches], Floats]
) -> Points:
    """Return the points with chances, and their covariances, from other results of each match
    (`of`: less one half).
    """
    chances, covariances = [], []
    every = [cell for table in matches.values() for cell in cells(table)]
    for cell, influences in zip(every, points.influences, strict=True):
        results = of(cell)
        chances.append(results.mean() + 0.5)
        others = np.column_stack([results - results.mean(), influences[:, 1:]])
        covariances.append(np.cov(others, rowvar=False))
    return replace(points, chance=np.array(chances), covariance=np.array(covariances))


def alike(points: Points) -> Points:
    """Return the points with the mean covariance of all cells, so that weights are the numbers of
    matches alone.
    """
    mean = np.average(points.covariance, axis=0, weights=points.matches)
    return replace(points, covariance=np.repeat(mean[None], len(points), axis=0))


def sensitivity(matches: Mapping[str, pd.DataFrame], points: Points) -> pd.DataFrame:
    """Return b and the slope of TESTED on the law without it, by estimator, domain and weights
    (law/sensitivity).
    """
    ways = {
        "as it ships": (points, LIMIT, CUBES),
        "gnubg's luck-adjusted results": (
            by_estimator(matches, points, _luck_adjusted),
            LIMIT,
            CUBES,
        ),
        "results as played": (by_estimator(matches, points, _as_played), LIMIT, CUBES),
        "differences below 300 points": (points, 300.0, CUBES),
        "cube errors up to 10 milli-EMG": (points, LIMIT, 0.010),
        "all cells": (points, np.inf, np.inf),
        "equal weights of matches": (alike(points), LIMIT, CUBES),
    }
    return pd.DataFrame(
        [{"way": name} | _of_way(*way) for name, way in ways.items()],
        columns=columns("law/sensitivity"),
    )


def _luck_adjusted(cell: PointMatches) -> Floats:
    return cell.results.luck_adjusted


def _as_played(cell: PointMatches) -> Floats:
    return cell.results.actual


def _of_way(points: Points, limit: float, cubes: float) -> dict[str, float]:
    fitted = fit(points, limit, cubes)
    place = fitted.terms.index("b_const")
    error = float(np.sqrt(fitted.covariance[place, place]))
    half = quantile(CONFIDENCE, fitted.pairs - 1) * error
    b = float(fitted.estimate[place])
    found = {
        "b": b,
        "b_low": b - half,
        "b_high": b + half,
        "n_pairs": fitted.pairs,
        "confidence": CONFIDENCE,
    }
    is_tested = points.study == TESTED
    if not is_tested.any():
        return found
    without = fit(points.select(~is_tested), limit, cubes)
    tested = points.select(is_tested)
    predicted = predicted_by(without.values, tested)
    here = (np.abs(predicted) < limit) & (tested.cubes <= cubes)
    variance = smooth_variances(tested.select(here), without.values) / tested.matches[here]
    row = slope(tested.select(here), predicted[here], variance)
    return found | {name: row[name] for name in ("slope", "slope_low", "slope_high")}


def made(nets: str) -> dict[str, pd.DataFrame]:
    """Return the tables of an engine by name."""
    matches = matches_of(nets)
    points = points_of(matches)
    law = fit(points)
    return {
        "drawn": drawn(matches, points, law, law_scatter(law)[0]),
        "sensitivity": sensitivity(matches, points),
    }


if __name__ == "__main__":
    (nets,) = sys.argv[1:]
    for table, rows in made(nets).items():
        write_table(
            rows, committed_results(nets) / "law" / f"{table}.csv", f"law/{table}", nets=nets
        )
        print(rows.to_string())
