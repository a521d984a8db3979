"""Check the law from other sides.

Drawn matches stand beside real ones by length. Other estimators, domains, weights and further terms
are tried, and the coverage of intervals is simulated. Rules written before their data
(law_rules.py) and deeper analysis (law_depth.py) have tables too.

`python benchmarks/law_checks.py VERSION` writes the tables into law/ of an engine, in a few
minutes.

Drawn matches have the law's chance in each cell of the domain. Its pair scatters by tau, and each
match is won or lost. The share of matches that the predicted favourite wins is compared with the
real share at each length. Real results are those as played, not luck-adjusted, so luck's analysis
has no part in this check.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.play.match_tables import read_checked
from bgrating.rating.fibs_formula import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws, quantile
from bgrating.rating.result_files import results_of
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from law_depth import DEEPER, factors
from law_rules import clusters_of, judged, slope
from study.formula.cells import PointMatches, cells
from study.law import CUBES, LIMIT, STUDIES
from study.law.fit import (
    Fitted,
    Points,
    both_losses,
    estimate_of,
    fit,
    formula,
    law_scatter,
    points_of,
    predicted_by,
    predictors,
    smooth_variances,
    with_errors,
)
from study.law.tables import coefficients

DRAWS, SEED = 1000, 20281
COVERAGE_STUDIES, COVERAGE_SEED = 200, 20061

TESTED = "pairs"  # the study of the sixth test


def matches_of(engine_version: str) -> dict[str, pd.DataFrame]:
    """Return the frozen matches of the law's studies, and of those at depth, by name."""
    found = {}
    for study in dict.fromkeys((*STUDIES, *DEEPER, *DEEPER.values())):
        parts = sorted((results_of(engine_version) / study / "frozen").glob("*.parquet"))
        if parts:
            found[study] = pd.concat([read_checked(part) for part in parts], ignore_index=True)
    return found


def drawn(
    matches: Mapping[str, pd.DataFrame], points: Points, fitted: Fitted, tau: float
) -> pd.DataFrame:
    """Return the favourites' share of matches won by length, real and drawn (law/drawn)."""
    actual = np.array(
        [cell.results.actual.mean() + 0.5 for table in matches.values() for cell in cells(table)]
    )
    predicted = fitted.predicted(points)
    inside = (np.abs(predicted) < LIMIT) & (points.cubes <= CUBES)
    points, predicted, actual = points.select(inside), predicted[inside], actual[inside]
    is_weaker = predicted > 0
    share = np.where(is_weaker, 1 - actual, actual)
    rng = np.random.default_rng(SEED)
    pairs = clusters_of(points)
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
    coefficients_without = dict(zip(without.terms, without.estimate.tolist(), strict=True))
    predicted = predicted_by(coefficients_without, tested)
    here = (np.abs(predicted) < limit) & (tested.cubes <= cubes)
    variances = smooth_variances(tested.select(here), coefficients_without)
    variance = variances / tested.matches[here]
    row = slope(tested.select(here), predicted[here], variance)
    return found | {name: row[name] for name in ("slope", "slope_low", "slope_high")}


def further(law: Fitted) -> pd.DataFrame:
    """Return the terms of fits with further ones (law/further)."""
    fits = {
        "errors of blunderers apart": extended(law, of_blunderers(law.inside)),
        "b a line in 1/N": extended(law, of_length(law.inside)),
    }
    return pd.concat([coefficients(*fit) for fit in fits.items()], ignore_index=True)


def extended(plain: Fitted, more: Mapping[str, Floats]) -> Fitted:
    """Fit the law with further terms, given by the multipliers of each.

    Domain and weights are those of the law.
    """
    inside = plain.inside
    terms = (*plain.terms, *more)
    design = np.column_stack([predictors(inside, plain.terms), *more.values()])
    start = np.concatenate([plain.estimate, np.zeros(len(more))])
    estimate = estimate_of(inside, design, plain.variance, start)
    return with_errors(inside, terms, design, plain.variance, estimate)


def of_blunderers(points: Points) -> dict[str, Floats]:
    """Return terms for the additional cost of errors of players who blunder.

    The level of such a player leaves a share of the decisions to a level with almost no judgement.
    """
    is_blunderer = np.array(
        [["blunders" in name for name in pair.split(" against ")] for pair in points.pair]
    )
    if not is_blunderer.any():
        return {}
    only = replace(points, rates=points.rates * np.repeat(is_blunderer, 2, axis=1))
    chequer, cube = predictors(only, ("a2_const", "b_const")).T
    return {"a2_blunders": np.where(only.length > 1, chequer, 0.0), "b_blunders": cube}


def of_length(points: Points) -> dict[str, Floats]:
    """Return the term that makes b a line in 1/N."""
    return {"b_inv": predictors(points, ("b_const",))[:, 0] / points.length}


def coverage(measured: Points, fitted: Fitted, tau: float, studies: int, seed: int) -> pd.DataFrame:
    """Return how often 90 % intervals cover the truth if the law is true and players scatter by tau
    (law/coverage).

    Every simulated study draws the matches of each cell anew, with replacement, so deviations keep
    their skew. The measured rates of a cell are the true ones.
    """
    rng = np.random.default_rng(seed)
    clusters = clusters_of(measured)
    predicted = fitted.predicted(measured)
    quantities = [("a2", float(length)) for length in np.unique(measured.length)] + [
        ("b", measured.length.max())
    ]
    truth = formula(measured, fitted, "")
    losses = both_losses(fitted, measured)
    true_values = [truth.coefficient(*quantity)[0] for quantity in quantities]
    is_covered = []
    for _ in range(studies):
        scattered = tau * rng.standard_normal(clusters.max() + 1)[clusters] * losses
        drawn = [cell[rng.integers(len(cell), size=len(cell))] for cell in measured.influences]
        chance, chequer, cube = np.array([cell.mean(axis=0) for cell in drawn]).T
        rates = measured.rates + np.column_stack([chequer, cube, 0 * chequer, 0 * cube])
        refitted = fit(
            replace(
                measured,
                chance=win_probability(predicted + scattered, measured.length) + chance,
                rates=np.maximum(rates, 0.0),
                covariance=np.array([np.cov(cell, rowvar=False) for cell in drawn]),
            )
        )
        found = replace(
            truth,
            estimate=refitted.estimate,
            covariance=refitted.covariance,
            dof=refitted.pairs - 1.0,
        )
        values, errors = np.transpose([found.coefficient(*quantity) for quantity in quantities])
        is_covered.append(np.abs(values - true_values) <= found.half_width(1.0) * errors)
    counts = np.sum(is_covered, axis=0)
    ends = [stats.binomtest(int(count), studies).proportion_ci(0.95, "wilson") for count in counts]
    made = {
        "quantity": ["b" if term == "b" else f"a2({length:g})" for term, length in quantities],
        "tau": tau,
        "coverage": counts / studies,
        "coverage_low": [end.low for end in ends],
        "coverage_high": [end.high for end in ends],
        "studies": studies,
    }
    return pd.DataFrame(made, columns=columns("law/coverage"))


def made(engine_version: str) -> dict[str, pd.DataFrame]:
    """Return the tables of an engine by name."""
    every = matches_of(engine_version)
    matches = {name: every[name] for name in STUDIES if name in every}
    points = points_of(matches)
    law = fit(points)
    tau = law_scatter(law)[0]
    return {
        "drawn": drawn(matches, points, law, tau),
        "sensitivity": sensitivity(matches, points),
        "further": further(law),
        "slopes": judged(engine_version, every),
        "depth": factors(every),
        "coverage": coverage(law.inside, law, tau, COVERAGE_STUDIES, COVERAGE_SEED),
    }


if __name__ == "__main__":
    (engine_version,) = sys.argv[1:]
    for table, rows in made(engine_version).items():
        write_table(
            rows,
            results_of(engine_version) / "law" / f"{table}.csv",
            f"law/{table}",
            nets=engine_version,
        )
        print(rows.to_string())
