"""The tables of the law and the one formula of an engine, from the frozen matches of its studies.

Cells weigh by smooth variances. docs/preregistration-frozen-form.md has the rule: its test chooses between the law and
the frozen form, which holds the sum of both cubes at people's. The denominator form depends on the opponent, so it
never rates a person.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from bgrating.engine import levels
from bgrating.engine.nets import one_nets
from bgrating.play import designs
from bgrating.play.matches import read_checked
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import COUNTS
from bgrating.rating.terms import ROOT
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import read_provenance
from study.formula.regressions import UndeterminedError
from study.law import (
    CUBES,
    FIFTH_TEST,
    FITTED,
    FOURTH_TEST,
    LEAST_LENGTH,
    LIMIT,
    OTHERS,
    PEOPLES_CUBES,
    PLAYED_LATER,
    STUDIES,
    TESTS,
    THIRD_TEST,
    between,
    depth,
)
from study.law.between import FROZEN_FORM, LAW, NEITHER
from study.law.forms import (
    FORMS,
    Fitted,
    Points,
    cells_of,
    fit,
    outcome,
    points_of,
    points_of_cells,
    resampled,
    smooth,
    together,
)
from study.law.tests import PASSED, SEED, WHOLE, base, by_cubes, contest, halves, tests

LENGTHS = range(1, 26)
COVERAGE_STUDIES = 500
DOMAIN = "all inside the domain"  # what the formula of an engine is fitted to


def shipped(fourth: pd.DataFrame, tested: pd.DataFrame) -> tuple[str, float]:
    """Return the form that rates players, and the slope that its intervals must allow for (1: none).

    docs/preregistration-frozen-form.md has the rule, docs/preregistration-part1.md what the fifth test adds to it.
    `fourth` is law/between, `tested` law/tests. Nets without the fourth test take the form that it chose for others;
    without any it is the law.
    """
    if fourth.empty:
        return LAW, 1.0
    first = fourth.iloc[0]
    one_won = first["verdict"] in (LAW, FROZEN_FORM)
    form = first["verdict"] if one_won else LAW
    if first["verdict"] == NEITHER and first["position"] > 1 / 2:
        form = FROZEN_FORM
    judged = tested[tested["study"].isin([FOURTH_TEST, FIFTH_TEST]) & (tested["form"] == form)]
    slopes = judged.loc[judged["verdict"] != PASSED, "slope"].tolist()
    if not (slopes or one_won):
        slopes = [float(first[f"slope_{form}"])]
    return form, max(slopes, key=lambda slope: abs(1 - slope), default=1.0)


def widened(fitted: Fitted, slope: float) -> Fitted:
    """Return a fit whose coefficients' variances gain the square of (1 - slope) times the coefficient.

    The slope is one for all coefficients, so what it adds is fully correlated.
    """
    off = (1 - slope) * fitted.estimate
    return replace(fitted, covariance=fitted.covariance + np.outer(off, off))


def fit_to_ship(every: Points, form: str) -> Fitted:
    """Fit the law inside the domain, or for the frozen form the denominator to all cells."""
    if form == LAW:
        return fit(every.select(every.both_cubes <= CUBES), FORMS[LAW])
    return fit(every, FORMS["denominator"])


def rated(fitted: Fitted, facts: Mapping[str, Any] | None = None) -> RatingFormula:
    """Return what rates a player: the fit; of the denominator, with the sum of both cubes held at people's."""
    names = {"c_root": f"a2_{ROOT}"}
    scale = np.array([PEOPLES_CUBES if term in names else 1.0 for term in fitted.form.terms])
    inside = fitted.inside.select(fitted.inside.both_cubes <= CUBES)
    sides = inside.rates[:, :2] - inside.rates[:, inside.rates.shape[1] // 2 :][:, :2]
    return RatingFormula(
        terms=tuple(names.get(term, term) for term in fitted.form.terms),
        estimate=fitted.estimate * scale,
        covariance=fitted.covariance * np.outer(scale, scale),
        dof=float(fitted.dof),
        confidence=CONFIDENCE,
        epc_definition="moves",
        match_lengths=tuple(sorted({int(length) for length in inside.length})),
        ranges={rate: (float(sides[:, i].min()), float(sides[:, i].max())) for i, rate in enumerate(("epm", "epc"))},
        facts=dict(facts or {}),
    )


def formula(points: Mapping[str, Points], fourth: pd.DataFrame, tested: pd.DataFrame, nets: str) -> RatingFormula:
    """Return the formula of an engine from the design points of its studies. Raises UndeterminedError."""
    every = together(points[name] for name in STUDIES if name in points)
    form, slope = shipped(fourth, tested)
    fitted = widened(fit_to_ship(every, form), slope)
    inside, chi_square, dof = fitted.inside, fitted.chi_square, fitted.dof
    at_most = f"together are at most {1000 * CUBES:.0f} milli-EMG per unforced move"
    words = {
        LAW: f"the law, fitted where it predicts less than {LIMIT:.0f} points and both players' cube errors {at_most}",
        FROZEN_FORM: f"fitted where it predicts less than {LIMIT:.0f} points; the sum of both players' cube errors is "
        f"held at {1000 * PEOPLES_CUBES:.1f} milli-EMG per unforced move",
    }
    return rated(
        fitted,
        {
            "study": "law", "studies": sorted({str(name) for name in inside.study}), "nets": nets,
            "limit": LIMIT, "cube_limit": CUBES,
            "form": form, "fourth_test": "" if fourth.empty else str(fourth["verdict"].iloc[0]),
            "allowed_slope": slope, "count": COUNTS["moves"].words, "words": words[form],
            "n_points": len(inside), "n_outside": len(every) - len(inside), "n_matches": int(inside.matches.sum()),
            "goodness_of_fit": {
                "chi_square": chi_square, "dof": dof, "p_value": float(special.chdtrc(dof, chi_square)),
            },
        },
    )  # fmt: skip


def lengths(formula: RatingFormula) -> pd.DataFrame:
    """Return a2 and b at every match length of LENGTHS, and what the figure is based on (law/lengths)."""
    rows = [
        {
            "match_length": length, "term": term, **formula.at(term, length), "confidence": formula.confidence,
            "based_on": formula.basis(length),
        }
        for term in formula.coefficients
        for length in LENGTHS
        if term == "a2" or length > 1  # a match to 1 point has no cube
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns("law/lengths"))


def coefficients(points: Mapping[str, Points]) -> pd.DataFrame:
    """Return the coefficients of three forms fitted to Parts I and II, and of two to more (law/coefficients)."""
    every = together(points[name] for name in STUDIES if name in points)
    fits = [(name, WHOLE, fit(base(points), FORMS[name])) for name in ("law", "moves", "denominator")]
    fits.append(("denominator", "all studies", fit(every, FORMS["denominator"])))
    fits.append(("line", DOMAIN, fit(every.select(every.both_cubes <= CUBES), FORMS["line"])))
    rows: list[dict[str, Any]] = []
    for name, where, fitted in fits:
        half = quantile(CONFIDENCE) * fitted.std_error
        rows += [
            {
                "form": name, "fitted_to": where, "term": term, "estimate": value, "std_error": error,
                "ci_low": value - wide, "ci_high": value + wide, "chi_square": fitted.chi_square,
                "chi_square_dof": fitted.dof, "n_points": len(fitted.inside),
                "n_matches": int(fitted.inside.matches.sum()),
            }
            for term, value, error, wide in zip(fitted.form.terms, fitted.estimate, fitted.std_error, half, strict=True)
        ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns("law/coefficients"))


def coverage(matches: Mapping[str, pd.DataFrame], form: str, slope: float, studies: int, seed: int) -> pd.DataFrame:
    """Count how often intervals contain the truth, if the law is true and if the denominator is (law/coverage).

    Every simulated study draws the matches of each cell anew, with replacement. Cells have their measured rates as true
    ones, and the chances of the true form. The form that ships is fitted as it is, with own and with smooth variances.
    If the denominator is true, the truth of a coefficient is what two players with people's cube errors differ by.
    `slope` is that of the true form over the cells of the third test; its truth is 1.
    """
    cells, rng = cells_of({name: matches[name] for name in STUDIES if name in matches}), np.random.default_rng(seed)
    measured = points_of_cells(cells)
    measured = smooth(measured).weigh(measured)
    truths = {LAW: fit_to_ship(measured, LAW), "denominator": fit_to_ship(measured, FROZEN_FORM)}
    asked = [*(("a2", float(n)) for n in np.unique(measured.length)), ("b", float(max(measured.length)))]
    draws: dict[tuple[str, str, str, float], list[tuple[float, float]]] = {}
    for _ in range(studies):
        drawn = resampled(cells, rng)
        for world, true in truths.items():
            shift = win_probability(true.predicted(measured), measured.length) - measured.chance
            own = replace(drawn, chance=drawn.chance + shift)
            even = smooth(own).weigh(own)
            for weights, seen in (("own", own), ("smooth", even)):
                refitted = rated(widened(fit_to_ship(seen, form), slope))
                for term, length in asked:
                    found, truth = refitted.at(term, length), rated(true).at(term, length)["estimate"]
                    key = (world, weights, term if term == "b" else f"a2({length:g})", truth)
                    draws.setdefault(key, []).append((found["estimate"], found["ci_high"] - found["estimate"]))
                if (third := seen.study == THIRD_TEST).any():
                    test = outcome(seen.select(third), true.form, true.estimate, true.covariance)
                    draws.setdefault((world, weights, "slope", 1.0), []).append(
                        (test.slope, test.slope_high - test.slope)
                    )
    rows = []
    for (world, weights, name, truth), values in draws.items():
        estimate, half = np.array(values).T
        held = np.abs(estimate - truth) <= half
        ends = stats.binomtest(int(held.sum()), studies).proportion_ci(0.95, "wilson")
        about = (
            world, weights, name, held.mean(), ends.low, ends.high, truth, estimate.mean() - truth,
            estimate.std(ddof=1), half.mean(), studies,
        )  # fmt: skip
        rows.append(dict(zip(columns("law/coverage"), about, strict=True)))
    return pd.DataFrame(rows, columns=columns("law/coverage"))


def engines(
    coefficients_here: pd.DataFrame, others: Mapping[str, pd.DataFrame], nets: str, lengths_shown: Sequence[int]
) -> pd.DataFrame:
    """Set the formula's coefficients beside those of other nets (law/engines), from their tables `lengths`.

    The studies are independent, so the variances of the logarithms add up. Coefficients count as different where the
    interval of their ratio leaves out 1.
    """
    z, rows = quantile(CONFIDENCE), []
    for other, table in others.items():
        both = coefficients_here.merge(table, on=["term", "match_length"], suffixes=("", "_other"))
        both = both[both["match_length"].isin(lengths_shown)]
        both = both[(both["term"] == "a2") | (both["match_length"] == max(lengths_shown))]
        for row in both.to_dict("records"):
            ratio = row["estimate"] / row["estimate_other"]
            error = np.hypot(row["std_error"] / row["estimate"], row["std_error_other"] / row["estimate_other"])
            low, high = ratio * np.exp(-z * error), ratio * np.exp(z * error)
            rows.append(
                {
                    "term": row["term"], "match_length": row["match_length"] if row["term"] == "a2" else None,
                    "nets": nets, "estimate": row["estimate"], "other_nets": other,
                    "other_estimate": row["estimate_other"], "ratio": ratio, "ratio_low": low, "ratio_high": high,
                    "differs": not low <= 1 <= high, "confidence": CONFIDENCE,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("law/engines")).astype({"match_length": "Int64"})


def tables(
    matches: Mapping[str, pd.DataFrame],
    fixed: Mapping[str, Mapping[str, tuple[Floats, Floats]]],
    others: Mapping[str, pd.DataFrame],
    others_test: pd.DataFrame,
    nets: str,
) -> tuple[dict[str, pd.DataFrame], RatingFormula]:
    """Return the tables of `study.law.TABLES` and the formula, from the matches of studies by name.

    `fixed` are the coefficients that were written down before tests, by study and form, `others` the tables `lengths`
    of other nets by nets, `others_test` the fourth test of other nets (law/between), if any played it. Raises
    UndeterminedError where the studies do not determine the law.
    """
    held = later_apart(played_whole(matches), nets)
    if not any(name in held for name in FITTED):
        raise UndeterminedError("no study of the law has been played")
    own = {name: points_of({name: table}) for name, table in held.items()}
    weights = smooth(together(own[name] for name in STUDIES if name in own))
    points = {name: weights.weigh(of_study) for name, of_study in own.items()}
    law, tested = fit(base(points), FORMS["law"]), tests(points, own, fixed)
    fourth = pd.DataFrame(columns=columns("law/between"))
    if FOURTH_TEST in points:
        fourth = between.positions(points[FOURTH_TEST], fixed[FOURTH_TEST])
    engine_formula = formula(points, fourth if len(fourth) else others_test, tested, nets)
    at_lengths = lengths(engine_formula)
    made = {
        "tests": tested,
        "between": fourth,
        "split_halves": halves({name: held[name] for name in (*FITTED, *TESTS) if name in held}, points, law),
        "cubes": by_cubes(points, law),
        "contest": contest(points),
        "coefficients": coefficients(points),
        "lengths": at_lengths,
        "coverage": coverage(
            held, engine_formula.facts["form"], engine_formula.facts["allowed_slope"], COVERAGE_STUDIES, SEED
        ),
        "engines": engines(at_lengths, others, nets, [n for n in engine_formula.match_lengths if n >= LEAST_LENGTH]),
        "depth": depth.factors(matches),
    }
    return made, engine_formula


def read_matches(paths: Iterable[str], nets: str) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """Return the matches of studies by name from their tables, and the provenance of each.

    Raises NetsError where they were not all judged by these nets.
    """
    tables, facts = {}, {}
    for path in map(Path, paths):
        fact = read_provenance(path)
        tables[fact["study"]], facts[fact["study"]] = path, fact
    one_nets({name: fact["engine"] for name, fact in facts.items()}, nets)
    return {name: read_checked(table) for name, table in tables.items()}, facts


def played_whole(matches: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return what of the studies of the law has been played whole: by match length, the last two tests only altogether.

    Of the tournament of levels the matches of players who search no deeper than the judge.
    """
    held = {}
    for name in dict.fromkeys([*STUDIES, *OTHERS]):
        if name not in matches:
            continue
        table = matches[name]
        if name in designs.studies():
            design, played = designs.design(name), table.groupby("match_length").size()
            planned = {n: sum(point.matches for point in design.points_of(n)) for n in design.match_lengths()}
            lengths_played = [n for n, count in planned.items() if played.get(n, 0) == count]
            if name in (THIRD_TEST, FOURTH_TEST) and len(lengths_played) < len(planned):
                continue
            table = table[table["match_length"].isin(lengths_played)]
        else:
            shallow = {player for player in {*table["player"], *table["opponent"]} if _plies(str(player)) == 0}
            table = table[table["player"].isin(shallow) & table["opponent"].isin(shallow)]
        if len(table):
            held[name] = table.reset_index(drop=True)
    return held


def later_apart(held: Mapping[str, pd.DataFrame], nets: str) -> dict[str, pd.DataFrame]:
    """Return the studies with what was played after the tests as a study of its own, FIFTH_TEST."""
    study, longest = PLAYED_LATER.get(nets, ("", 0))
    if study not in held:
        return dict(held)
    late = held[study]["match_length"] > longest
    parts = {study: held[study][~late].reset_index(drop=True), FIFTH_TEST: held[study][late].reset_index(drop=True)}
    return {**held, **{name: part for name, part in parts.items() if len(part)}}


def _plies(name: str) -> int:
    player = levels.player(name)
    return max(player.chequerplay.plies, player.cubedecision.plies)
