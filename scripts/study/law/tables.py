"""The tables of the law and the formula of an engine, from the frozen matches of its studies."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from bgmatch.records import Json, Record
from bgrating.engine.nets import one_nets
from bgrating.play.matches import read_checked
from bgrating.rating.chances import fit_chances
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula, read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.table_files import write_all
from study.formula.cells import cells, common_coefficient, less_luck
from study.law import CUBES, LIMIT, STUDIES, TESTED, depth
from study.law.fit import (
    Fitted,
    Points,
    both_losses,
    extended,
    fit,
    formula,
    of_blunderers,
    of_length,
    points_of,
    predicted_by,
    smooth_variances,
)

COVERAGE_STUDIES = 200
SEED = 20061
BOUNDS = (0.97, 1.03)
# Whose luck coefficients the rule of the sixth test takes: those fitted to a cell's other matches.
LUCK_OF_RULE = "of each cell"


def coefficients(fitted: Fitted) -> pd.DataFrame:
    """Return the terms of the law (recommended), and of fits with further terms
    (law/coefficients).
    """
    fits = {
        "law": fitted,
        "law, errors of blunderers apart": extended(fitted, of_blunderers(fitted.inside)),
        "law, b a line in 1/N": extended(fitted, of_length(fitted.inside)),
    }
    parts = []
    for model, found in fits.items():
        error = np.sqrt(np.diag(found.covariance))
        half = quantile(CONFIDENCE, found.pairs - 1) * error
        part = {
            "model": model,
            "recommended": found is fitted,
            "term": found.terms,
            "estimate": found.estimate,
            "std_error": error,
            "ci_low": found.estimate - half,
            "ci_high": found.estimate + half,
            "confidence": CONFIDENCE,
            "chi_square": found.chi_square,
            "chi_square_dof": len(found.inside) - len(found.terms),
            "n_pairs": found.pairs,
            "n_points": len(found.inside),
            "n_matches": int(found.inside.matches.sum()),
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)[list(columns("law/coefficients"))]


def slopes(matches: pd.DataFrame, before: Mapping[str, Record]) -> pd.DataFrame:
    """Return the slopes of measured on predicted differences in the sixth test (law/slopes), from
    its matches.

    The rule of docs/preregistration-pairs.md judges all cells, with luck coefficients of each cell.
    Beside it stand the frozen form, two other ways to take luck off, and the cells by length and by
    kind of error.
    """
    law = dict(zip(before["law"]["terms"], before["law"]["estimate"], strict=True))
    about: Json = {
        "study": TESTED,
        "part": "all",
        "form": "law",
        "fitted_to": "fixed before",
        "luck": LUCK_OF_RULE,
    }
    tested = points_of({TESTED: matches})
    variance = smooth_variances(tested, law) / tested.matches
    predicted = predicted_by(law, tested)
    frozen = frozen_form(tested, *before["frozen"]["estimate"][:4])
    rows = [
        about | slope(tested, predicted, variance),
        about | {"form": "frozen form"} | slope(tested, frozen, variance),
    ]
    for row in rows:
        row["verdict"] = verdict(row["slope_low"], row["slope_high"])
    for luck, coefficient in (
        ("one for all cells", common_coefficient(cells(matches))),
        ("gnubg's", 1.0),
    ):
        other = points_of({TESTED: matches}, partial(less_luck, coefficient=coefficient))
        own_variance = smooth_variances(other, law) / other.matches
        rows.append(about | {"luck": luck} | slope(other, predicted_by(law, other), own_variance))
    for part, here in parts_of(tested).items():
        rows.append(
            about | {"part": part} | slope(tested.select(here), predicted[here], variance[here])
        )
    return pd.DataFrame(rows, columns=columns("law/slopes"))


def parts_of(points: Points) -> dict[str, NDArray[np.bool_]]:
    """Return the cells by kind of error and by length."""
    blunders = np.array(["blunders" in name for name in points.pair])
    lengths = {f"{length:g} points": points.length == length for length in np.unique(points.length)}
    return {"with blunders": blunders, "noise alone": ~blunders} | lengths


def frozen_form(points: Points, const: float, inverse: float, b: float, root: float) -> Floats:
    """Return the predictions of the form that shipped before.

    A2 divided by 1 + root × sqrt(N / 7).
    """
    chequer, cube = (points.rates[:, :2] - points.rates[:, 2:]).T
    a2 = (const + inverse / points.length) / (1 + root * np.sqrt(points.length / 7))
    return np.asarray(a2 * chequer + b * cube)


def slope(points: Points, predicted: Floats, variance: Floats) -> Json:
    """Return the slope of measured on predicted differences (rating points), with pairs as
    clusters.

    `variance` is that of each cell's deviation.
    """
    found = fit_chances(
        points.chance,
        points.length,
        predicted[:, None],
        np.sqrt(variance),
        np.ones(1),
        clusters=points.clusters,
    )
    value = float(found.params[0])
    error = float(found.bse[0])
    pairs = len(np.unique(points.pair))
    half = error * quantile(CONFIDENCE, pairs - 1)
    return {
        "n_pairs": pairs,
        "n_points": len(points),
        "n_matches": int(points.matches.sum()),
        "slope": value,
        "std_error": error,
        "slope_low": value - half,
        "slope_high": value + half,
        "confidence": CONFIDENCE,
    }


def verdict(low: float, high: float) -> str:
    """Return the verdict of docs/preregistration-pairs.md on an interval of the slope."""
    if BOUNDS[0] <= low and high <= BOUNDS[1]:
        return "confirmed"
    if high < BOUNDS[0] or low > BOUNDS[1]:
        return "open"
    return "undecided"


def coverage(measured: Points, fitted: Fitted, tau: float, studies: int, seed: int) -> pd.DataFrame:
    """Return how often 90 % intervals cover the truth if the law is true and players scatter by tau
    (law/coverage).

    Every simulated study draws the matches of each cell anew, with replacement, so deviations keep
    their skew. The measured rates of a cell are the true ones.
    """
    rng = np.random.default_rng(seed)
    clusters = measured.clusters
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


def tables(
    matches: Mapping[str, pd.DataFrame], before: Mapping[str, Record], nets: str
) -> tuple[dict[str, pd.DataFrame], RatingFormula]:
    """Return the tables of `study.law.TABLES` and the formula, from the matches of studies by name.

    `before` has the coefficients that were fixed before the sixth test. Raises UndeterminedError if
    the matches do not determine the law.
    """
    points = points_of({name: matches[name] for name in STUDIES if name in matches})
    fitted = fit(points)
    engine_formula = formula(points, fitted, nets)
    is_inside = (np.abs(fitted.predicted(points)) < LIMIT) & (points.cubes <= CUBES)
    made = {
        "coefficients": coefficients(fitted),
        "slopes": (
            slopes(matches[TESTED], before)
            if TESTED in matches and before
            else pd.DataFrame(columns=columns("law/slopes"))
        ),
        "coverage": coverage(
            points.select(is_inside), fitted, engine_formula.facts["tau"], COVERAGE_STUDIES, SEED
        ),
        "depth": depth.factors(matches),
    }
    return made, engine_formula


def make(
    matches: Iterable[Path],
    nets: str,
    results: Path,
    others: Iterable[Path] = (),
    fixed: Path | None = None,
) -> None:
    """Write the tables of the law and the formula of an engine.

    `matches`: files of matches, one per study, with their provenance. `results`: the folder of
    these nets. Its formula.json is replaced in one step at the end. `others`: formulas of other
    nets. `fixed`: the file BEFORE, if there is one. Raises UndeterminedError, and NetsError for
    matches that other nets judged.
    """
    facts = {path: read_provenance(path) for path in matches}
    studies = {fact["study"]: fact for fact in facts.values()}
    one_nets({name: fact["engine"] for name, fact in studies.items()}, nets)
    before = json.loads(fixed.read_text(encoding="utf-8")) if fixed else {}
    made, engine_formula = tables(
        {fact["study"]: read_checked(path) for path, fact in facts.items()}, before, nets
    )
    with one_provenance(results / "law" / "law_tables.provenance.json"):
        write_all(made, results / "law", "law", studies=studies, nets=nets)
    # Few pairs of one kind do not show the scatter of players, so all engines use the largest
    # scatter of any.
    shipped = engine_formula.facts | {"tau_of": nets, "own_tau": engine_formula.facts["tau"]}
    for path in others:
        other = read_formula(path).facts
        if other["own_tau"] > shipped["tau"]:
            shipped |= {
                "tau_of": other["nets"],
                "tau": other["own_tau"],
                "tau_interval": other["tau_interval"],
            }
    replace(engine_formula, facts=shipped).write(
        results / "formula.json", studies=studies, nets=nets
    )
