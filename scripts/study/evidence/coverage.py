"""Coverage: how often 90 % intervals cover the true value, over simulated studies whose truth is known.

Two worlds. `exact`: the formula holds at every design point. `misfit`: every player of every study lies off it by a
random amount, the same at all match lengths (normal, `MISFIT` rating points), about what the recommended formula leaves
unexplained in the real study; the truth of a coefficient is then that of the formula round which the players scatter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy import stats

from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.nearest import ConvergenceError
from bgrating.rating.rates import COUNTS
from bgrating.rating.shapes import BILINEAR, EpcDefinition, form_of
from bgrating.tables.dictionary import columns
from study.evidence.simulation import METHODS, Studies, observations_of
from study.formula.catalogue import KINDS, evaluate
from study.formula.recommended import KIND, METHOD
from study.formula.regressions import Fit

DEFAULT = (KIND, METHOD)
RECOMMENDED, OWN = "recommended", "EPC"  # the formula that is the truth: the recommended one, or the study's own
# Every fit whose coverage is counted: kind of the catalogue and estimator of the chance.
FITS = (
    DEFAULT,
    ("probability", "control-variate"),
    ("joint-probability", "control-variate"),
    ("joint-wls", "control-variate"),
    ("wls", "control-variate"),
    ("joint-probability", "luck-adjusted"),
    ("ols", "luck-adjusted"),
    ("ols-hc3", "luck-adjusted"),
    ("joint-probability", "actual"),
)
# Those that are counted where players scatter round the formula too: the defaults and the published method.
FITS_OF_MISFIT = (*FITS[:3], ("ols", "luck-adjusted"))
LOW, HIGH = 0.88, 0.92  # what is asked of a default
MISFIT = 8.0  # rating points
COLUMNS = columns("statistics/coverage")


def coefficient_coverage(
    studies: Sequence[Studies],
    truth: RatingFormula,
    world: str,
    fits: Sequence[tuple[str, str]],
    name: str = RECOMMENDED,
) -> pd.DataFrame:
    """Fit every simulated study in the ways of `fits` and count (COLUMNS); `truth` is the formula they came from."""
    form, epc = form_of(truth.terms), cast(EpcDefinition, truth.epc_definition)
    rates: list[str] = ["epm", COUNTS[epc].rate]
    number = len(studies[0].p[METHOD])
    rows = []
    for kind, method in fits:
        own = form if KINDS[kind].joint or form.at_one_length else BILINEAR
        found: dict[tuple[int | None, str], list[tuple[float, float, float, float]]] = {}
        for study in range(number):
            seen = observations_of(studies, study, method, rates)
            try:
                answers = evaluate(KINDS[kind], own, seen)
            except ConvergenceError:
                continue
            for length, fit in answers.items():
                if isinstance(fit, Fit):
                    low, high = fit.interval()
                    for i, term in enumerate(fit.terms):
                        found.setdefault((length, term), []).append(
                            (float(fit.estimate[i]), float(low[i]), float(high[i]), float(fit.std_error[i]))
                        )
        for (length, term), answers_of_term in found.items():
            value = dict(zip(truth.terms, truth.estimate, strict=True)).get(term, 0.0)
            if length is not None:
                value = truth.coefficient(term, length)[0]
            rows.append(
                {
                    "formula": name, "world": world, "quantity": "coefficient", "kind": kind, "method": method,
                    "match_length": length, "term": term,
                    "default": (name, kind, method) == (RECOMMENDED, *DEFAULT),
                    **counted(np.array(answers_of_term), float(value)),
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).astype({"match_length": "Int64"})


def rating_coverage(studies: Sequence[Studies], world: str) -> pd.DataFrame:
    """Count how often the interval of a design point's own R holds the truth, by estimator, over all points.

    An end that does not exist (the chance reaches 0 or 1) counts as no bound.
    """
    rows = []
    for method in METHODS:
        for length in sorted({one.population.match_length for one in studies}):
            held = []
            for one in (s for s in studies if s.population.match_length == length):
                half = quantile(CONFIDENCE, one.dof[method]) * one.p_se[method]
                low, high = (rating_difference(one.p[method] + sign * half, length) for sign in (1, -1))
                value = rating_difference(one.p[method], length)
                known = np.isfinite(one.p_se[method]) & (one.p_se[method] > 0)
                held.append(
                    np.column_stack(
                        [
                            value - one.population.rating_difference,
                            np.where(np.isnan(low), -np.inf, low) - one.population.rating_difference,
                            np.where(np.isnan(high), np.inf, high) - one.population.rating_difference,
                            np.full(len(value), np.nan),
                        ]
                    )[known]
                )
            rows.append(
                {
                    "formula": "", "world": world, "quantity": "rating difference", "kind": "one design point",
                    "method": method, "match_length": length, "term": "R", "default": method == METHOD,
                    **counted(np.concatenate(held), 0.0),
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).astype({"match_length": "Int64"})


def counted(answers: Floats, truth: float) -> dict[str, Any]:
    """Count how often intervals (rows of estimate, low, high, standard error) cover the true value.

    `coverage_low` and `coverage_high` are the 95 % interval of the share itself (Wilson).
    """
    value, low, high, error = answers.T
    covered, n = int(((low <= truth) & (truth <= high)).sum()), len(answers)
    ends = stats.binomtest(covered, n).proportion_ci(0.95, "wilson")
    finite = value[np.isfinite(value)]
    return {
        "studies": n, "covered": covered, "coverage": covered / n, "coverage_low": ends.low, "coverage_high": ends.high,
        "bias": float(finite.mean()) - truth, "spread": float(finite.std(ddof=1)),
        "mean_std_error": float(np.mean(error)), "truth": truth, "wanted_low": LOW, "wanted_high": HIGH,
    }  # fmt: skip


def scattered(studies: Sequence[Studies], points: float, rng: np.random.Generator) -> list[Studies]:
    """Move every player of every study off the formula by a random number of rating points (normal, `points`).

    A player is moved alike at every match length. The chance moves with the truth; its spread stays as it was, since a
    few points hardly change it.
    """
    players = dict.fromkeys((one.population.player, one.population.opponent) for one in studies)
    by = {pair: rng.normal(0.0, points, len(studies[0].p[METHOD])) for pair in players}
    return [_moved(one, by[one.population.player, one.population.opponent]) for one in studies]


def _moved(one: Studies, by: Floats) -> Studies:
    length, truth = one.population.match_length, one.population.rating_difference
    shift = win_probability(truth + by, length) - win_probability(truth, length)
    return replace(one, p={method: p + shift for method, p in one.p.items()})


def outside(table: pd.DataFrame) -> Iterator[str]:
    """Name the defaults whose coverage is not what is asked for."""
    for row in table[table["default"]].to_dict("records"):
        if not row["wanted_low"] <= row["coverage"] <= row["wanted_high"]:
            yield (
                f"{row['world']}, {row['quantity']} {row['term']}, {row['kind']}, {row['match_length']}: "
                f"{100 * row['coverage']:.1f} %"
            )
