"""The tables of the law and the one formula of an engine, from the frozen matches of its studies.

Cells weigh by smooth variances. docs/preregistration-people.md has the rule: the simplest form that passes the third
test; if none does, the law with wider intervals. The denominator form depends on the opponent, so it never rates a
person.
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
from bgrating.rating.choose import by_level
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import COUNTS
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import read_provenance
from study.formula.regressions import UndeterminedError
from study.law import (
    CUBES,
    FITTED,
    FOURTH_TEST,
    LEAST_LENGTH,
    LIMIT,
    OTHERS,
    PEOPLES_CUBES,
    STUDIES,
    TESTS,
    THIRD_TEST,
    depth,
)
from study.law.forms import (
    FORMS,
    RIVALS,
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
from study.law.tests import PASSED, SEED, WHOLE, base, by_cubes, cells, contest, halves, tests

LENGTHS = range(1, 26)
COVERAGE_STUDIES = 500
DOMAIN = "all inside the domain"  # what the formula of an engine is fitted to


def inside_domain(points: Mapping[str, Points]) -> Points:
    """Return the design points of STUDIES whose cube errors are inside the domain; the fit keeps those below LIMIT."""
    every = together(points[name] for name in STUDIES if name in points)
    return every.select(every.both_cubes <= CUBES)


def allowed_slope(third_test: pd.DataFrame) -> float:
    """Return the slope that the law's intervals must allow for, by the rows of the third test.

    It is 1 if the law or the denominator alone passes, or without the test. It is the law's slope if no form passes.
    Raises UndeterminedError where the simplest form that passes is one that the product cannot rate by.
    """
    passed = [name for name in FORMS if name in set(third_test.loc[third_test["verdict"] == PASSED, "form"])]
    if passed[:1] == ["moves"]:
        raise UndeterminedError("the law passed only with chequer errors per match, which the product cannot rate by")
    if passed or third_test.empty:
        return 1.0
    return float(third_test.loc[third_test["form"] == "law", "slope"].iloc[0])


def widened(fitted: Fitted, slope: float) -> Fitted:
    """Return a fit whose coefficients' variances gain the square of (1 - slope) times the coefficient.

    The slope is one for all coefficients, so what it adds is fully correlated.
    """
    off = (1 - slope) * fitted.estimate
    return replace(fitted, covariance=fitted.covariance + np.outer(off, off))


def formula(points: Mapping[str, Points], third_test: pd.DataFrame, nets: str) -> RatingFormula:
    """Return the formula of an engine from the design points of its studies. Raises UndeterminedError."""
    every = inside_domain(points)
    slope = allowed_slope(third_test)
    fitted = widened(fit(every, FORMS["law"]), slope)
    inside = fitted.inside
    sides = inside.rates[:, :2] - inside.rates[:, inside.rates.shape[1] // 2 :][:, :2]
    spans = {rate: (float(sides[:, i].min()), float(sides[:, i].max())) for i, rate in enumerate(("epm", "epc"))}
    chi_square, dof = fitted.chi_square, fitted.dof
    return RatingFormula(
        terms=fitted.form.terms,
        estimate=fitted.estimate,
        covariance=fitted.covariance,
        dof=float(dof),
        confidence=CONFIDENCE,
        epc_definition="moves",
        match_lengths=tuple(sorted({int(length) for length in inside.length})),
        ranges=spans,
        facts={
            "study": "law", "studies": sorted({str(name) for name in inside.study}), "nets": nets,
            "limit": LIMIT, "cube_limit": CUBES,
            "form": "law", "third_test": "" if third_test.empty else str(third_test["verdict"].iloc[0]),
            "allowed_slope": slope, "count": COUNTS["moves"].words,
            "words": f"the law, fitted where it predicts less than {LIMIT:.0f} points and both players' cube errors "
            f"together are at most {1000 * CUBES:.0f} milli-EMG per unforced move",
            "n_points": len(inside), "n_outside": len(together(points[study] for study in STUDIES if study in points))
            - len(inside), "n_matches": int(inside.matches.sum()),
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
    """Return the coefficients of every form fitted to Parts I and II, and of two to more (law/coefficients)."""
    every = together(points[name] for name in STUDIES if name in points)
    fits = [(name, WHOLE, fit(base(points), form)) for name, form in FORMS.items()]
    fits.append(("denominator", "all studies", fit(every, FORMS["denominator"])))
    fits.append(("line", DOMAIN, fit(inside_domain(points), RIVALS["line"])))
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


def coverage(matches: Mapping[str, pd.DataFrame], slope: float, studies: int, seed: int) -> pd.DataFrame:
    """Count how often intervals contain the truth, if the law is true and if the denominator is (law/coverage).

    Every simulated study draws the matches of each cell anew, with replacement. Cells have their measured rates as true
    ones, and the chances of the true form. The law is fitted inside its domain, with own and with smooth variances. If
    the denominator is true, the truth of a coefficient is what two players with people's cube errors differ by. `slope`
    is that of the true form over the cells of the third test; its truth is 1.
    """
    cells, rng = cells_of({name: matches[name] for name in STUDIES if name in matches}), np.random.default_rng(seed)
    measured = points_of_cells(cells)
    measured = smooth(measured).weigh(measured)
    inside = measured.select(measured.both_cubes <= CUBES)
    truths = {name: fit(inside, FORMS[name]) for name in ("law", "denominator")}
    asked = [*(("a2", float(n)) for n in np.unique(inside.length)), ("b", float(max(inside.length)))]
    draws: dict[tuple[str, str, str, float], list[tuple[float, float]]] = {}
    for _ in range(studies):
        drawn = resampled(cells, rng)
        for world, true in truths.items():
            shift = win_probability(true.predicted(measured), measured.length) - measured.chance
            own = replace(drawn, chance=drawn.chance + shift)
            variances = smooth(own)
            even = variances.weigh(own)
            by_even = fit(even.select(even.both_cubes <= CUBES), FORMS["law"])
            for weights, seen, law in (("own", own, variances.law), ("smooth", even, by_even)):
                refitted = widened(law, slope)
                times = quantile(CONFIDENCE, float(refitted.dof))
                for term, length in asked:
                    v, name = _row(refitted, term, length), term if term == "b" else f"a2({length:g})"
                    found = float(v @ refitted.estimate), times * float(np.sqrt(v @ refitted.covariance @ v))
                    draws.setdefault((world, weights, name, _truth(true, term, length)), []).append(found)
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


def _row(fitted: Fitted, term: str, length: float) -> Floats:
    terms = fitted.form.terms
    if term == "b":
        wanted = {"b_const": 1.0}
    elif length == 1:
        wanted = {"a2_one": 1.0}
    else:
        wanted = {"a2_const": 1.0, "a2_inv": 1 / length}
    return np.array([wanted.get(name, 0.0) for name in terms])


def _truth(true: Fitted, term: str, length: float) -> float:
    worth = 1.0
    if "c_root" in true.form.terms and term == "a2" and length > 1:
        c = float(true.estimate[true.form.terms.index("c_root")])
        worth = 1 + c * np.sqrt(length / 7) * PEOPLES_CUBES
    return float(_row(true, term, length) @ true.estimate) / worth


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
    nets: str,
) -> tuple[dict[str, pd.DataFrame], RatingFormula]:
    """Return the tables of `study.law.TABLES` and the formula, from the matches of studies by name.

    `fixed` are the coefficients that were written down before tests, by study and form, `others` the tables `lengths`
    of other nets by nets. Raises UndeterminedError where the studies do not determine the law.
    """
    held = played_whole(matches)
    if not any(name in held for name in FITTED):
        raise UndeterminedError("no study of the law has been played")
    own = {name: points_of({name: table}) for name, table in held.items()}
    weights = smooth(together(own[name] for name in STUDIES if name in own))
    points = {name: weights.weigh(of_study) for name, of_study in own.items()}
    law, tested = fit(base(points), FORMS["law"]), tests(points, own, fixed)
    engine_formula = formula(points, tested[tested["study"] == THIRD_TEST], nets)
    factors, at_lengths = depth.factors(matches), lengths(engine_formula)
    made = {
        "tests": tested,
        "split_halves": halves({name: held[name] for name in (*FITTED, *TESTS) if name in held}, points, law),
        "cubes": by_cubes(points, law),
        "points": cells(points, law),
        "contest": contest(points),
        "coefficients": coefficients(points),
        "lengths": at_lengths,
        "coverage": coverage(held, engine_formula.facts["allowed_slope"], COVERAGE_STUDIES, SEED),
        "engines": engines(at_lengths, others, nets, [n for n in engine_formula.match_lengths if n >= LEAST_LENGTH]),
        "depth": factors,
        "depth_checks": depth.checks(matches, engine_formula, by_level(factors)),
    }
    return {name: table if len(table.columns) else pd.DataFrame(columns=columns(f"law/{name}"))
            for name, table in made.items()}, engine_formula  # fmt: skip


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


def _plies(name: str) -> int:
    player = levels.player(name)
    return max(player.chequerplay.plies, player.cubedecision.plies)
