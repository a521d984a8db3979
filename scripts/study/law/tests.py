"""Every test of a form on matches that it was not fitted to: by smooth variances, and by those published before.

A design counts whole or not at all. The first two tests judge fitted forms, so the error of their coefficients counts.
The others judge coefficients that were fixed before their matches.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit

from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.tables.dictionary import columns
from study.law import FIFTH_TEST, FITTED, FOURTH_TEST, LEAST_LENGTH, LIMIT, OTHERS, TESTS, THIRD_TEST
from study.law.forms import (
    FORMS,
    Fitted,
    LawForm,
    Outcome,
    Points,
    fit,
    outcome,
    split_halves,
    together,
)

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
PASSED, FAILED = "passes", "does not pass"
LEAST_P, REFUTING_P = 0.05, 0.01
SPLITS, SEED = 20, 20061
SLOPES = (0.95, 1.05)
CONTEST = ("law", "moves", "denominator", "close", "games")
SUMS = (0.0, 0.001, 0.008, 0.015, 0.025, 0.040, 0.070, np.inf)  # of both cube errors, EMG per unforced move
EARLIER = "never fitted"
WHOLE = "Parts I and II"


@dataclass(frozen=True)
class Test:
    """A test: its study, the page it was written down in, with its date, the forms, and what they are fitted to.

    `looked`: whether these forms, fitted so, were chosen before or after a look at the study.
    """

    study: str
    page: str
    date: str
    forms: tuple[str, ...]
    looked: str
    fitted_to: str = WHOLE


WHOLE_THEN = "Part II at 3, 5 and 7 points"  # of 1.08, whole when the first test was
FIXED, ALL_FIXED = "Parts I and II, fixed before", "all studies, fixed before"
WRITTEN_DOWN: tuple[Test, ...] = (
    Test("inside", "preregistration.md", "2026-11-22", ("law", "close", "game", "every"), "before", WHOLE_THEN),
    Test("inside", "preregistration.md", "2026-11-22", ("law", "close", "game", "every"), "after"),
    Test("inside", "preregistration-moves.md", "2026-11-23", ("moves",), "after"),
    Test("inside", "preregistration-people.md", "2026-11-23", ("denominator",), "after"),
    Test("short-long", "preregistration-moves.md", "2026-11-23", ("law", "moves"), "before"),
    Test("short-long", "preregistration-people.md", "2026-11-23", ("denominator",), "after"),
    Test(THIRD_TEST, "preregistration-people.md", "2026-11-23", ("law", "moves", "denominator"), "before", FIXED),
    Test(FOURTH_TEST, "preregistration-frozen-form.md", "2026-11-24", ("law", "frozen"), "before", ALL_FIXED),
    Test(FIFTH_TEST, "preregistration-part1.md", "2026-11-26", ("law", "frozen", "denominator"), "before", ALL_FIXED),
)


def passes(outcome: Outcome) -> bool:
    """Return whether the interval of the slope lies within the bounds (docs/preregistration-people.md)."""
    return SLOPES[0] <= outcome.slope_low and outcome.slope_high <= SLOPES[1]


def verdict(outcome: Outcome) -> str:
    """Return the verdict that docs/preregistration.md defines: confirmed, refuted or undecided."""
    if outcome.p_value >= LEAST_P and passes(outcome):
        return CONFIRMED
    if outcome.p_value < REFUTING_P or outcome.slope_high < SLOPES[0] or outcome.slope_low > SLOPES[1]:
        return REFUTED
    return UNDECIDED


def base(points: Mapping[str, Points]) -> Points:
    """Return what the tested forms are fitted to: Parts I and II at LEAST_LENGTH points and more."""
    every = together(points[name] for name in FITTED if name in points)
    return every.select(every.length >= LEAST_LENGTH)


def fixed_coefficients(path: Path) -> dict[str, tuple[Floats, Floats]]:
    held = json.loads(path.read_text(encoding="utf-8"))
    return {name: (np.array(form["estimate"]), np.array(form["covariance"])) for name, form in held.items()}


def tests(
    points: Mapping[str, Points], own: Mapping[str, Points], fixed: Mapping[str, Mapping[str, tuple[Floats, Floats]]]
) -> pd.DataFrame:
    """Return every test that has been played whole (law/tests), by three kinds of variances.

    `points` have smooth variances, `own` each cell's own. The first two tests were published with a third kind: as if
    rates came from other matches. `fixed` are the coefficients that were written down before tests, by study and form.
    """
    rows = []
    for test in WRITTEN_DOWN:
        for name in test.forms if test.study in points else ():
            form, before = FORMS[name], fixed[test.study] if test.fitted_to in (FIXED, ALL_FIXED) else {}
            judged: dict[str, Outcome] = {}
            for kind, cells in (("own_", own), ("", points)):
                fits = before or {key: _fitted(cells, test, FORMS[key]) for key in {name, "law"}}
                judged[kind] = outcome(cells[test.study], form, *fits[name], fixed=bool(before))
            if not before:
                then = _fitted({study: cells.as_if_rates_were_exact() for study, cells in own.items()}, test, form)
                judged["old_"] = outcome(own[test.study].as_if_apart(), form, *then, fixed=False)
            rows.append(
                {
                    "study": test.study, "form": name, "words": form.words, "written_down": test.page,
                    "date": test.date, "looked": test.looked, "fitted_to": test.fitted_to,
                    "n_left_out": len(points[test.study]) - judged[""].n_points,
                    **{f"{kind}{key}": value for kind, found in judged.items() for key, value in vars(found).items()},
                    **{f"{kind}verdict": _judgement(found, bool(before)) for kind, found in judged.items()},
                    **(_log_loss(points[test.study], form, fits[name][0], fits["law"][0]) if name != "law" else {}),
                    "confidence": CONFIDENCE,
                }
            )  # fmt: skip
    return pd.DataFrame(rows).reindex(columns=columns("law/tests"))


def _judgement(found: Outcome, fixed: bool) -> str:
    return (PASSED if passes(found) else FAILED) if fixed else verdict(found)


def _fitted(points: Mapping[str, Points], test: Test, form: LawForm) -> tuple[Floats, Floats]:
    fitted_to = base(points)
    if test.fitted_to == WHOLE_THEN:
        fitted_to = fitted_to.select((fitted_to.study == "part2") & np.isin(fitted_to.length, (3, 5, 7)))
    fitted = fit(fitted_to, form)
    return fitted.estimate, fitted.covariance


def _log_loss(points: Points, form: LawForm, coefficients: Floats, of_law: Floats) -> dict[str, float]:
    """Return a form's log loss per match less the law's (1/1000 nat), where both predict below LIMIT.

    The interval leaves out one pair of players at a time.
    """
    forms = ((form, coefficients), (FORMS["law"], of_law))
    predicted = [form.difference(points.rates, points.length, values) for form, values in forms]
    inside = np.maximum(*predicted) < LIMIT
    odds = [logit(win_probability(difference, points.length)[inside]) for difference in predicted]
    chance, pair = points.chance[inside], points.pair[inside]
    loss = np.subtract(*[np.logaddexp(0.0, value) - chance * value for value in odds]) * 1000
    without = [np.average(loss[pair != name], weights=points.matches[inside][pair != name]) for name in np.unique(pair)]
    value = float(np.average(loss, weights=points.matches[inside]))
    half = quantile(CONFIDENCE, len(without) - 1) * delete_one_error(np.array(without))
    return {"log_loss": value, "log_loss_low": value - half, "log_loss_high": value + half}


def halves(matches: Mapping[str, pd.DataFrame], points: Mapping[str, Points], fitted: Fitted) -> pd.DataFrame:
    """Return the split-half check of the variances by study, for cells below LIMIT (law/split_halves); 1 is right."""
    rng, rows = np.random.default_rng(SEED), []
    for study, table in matches.items():
        inside = points[study].select(fitted.predicted(points[study]) < LIMIT)
        keys = {f"{length:g} {pair}" for length, pair in zip(inside.length, inside.pair, strict=True)}
        named = table["match_length"].astype(str) + " " + table["player"] + " against " + table["opponent"]
        here = table[named.isin(keys) & (table["match_length"] >= LEAST_LENGTH)]
        rows.append((study, len(here), split_halves({study: here}, fitted, SPLITS, rng).mean()))
    return pd.DataFrame(rows, columns=columns("law/split_halves"))


def by_cubes(points: Mapping[str, Points], fitted: Fitted) -> pd.DataFrame:
    """Return the slope by the sum of both players' cube errors, of cells that were fitted or not (law/cubes)."""
    earlier = [points[name] for name in (*TESTS, *OTHERS) if name in points and name != THIRD_TEST]
    sets = {WHOLE: fitted.inside, **({EARLIER: together(earlier)} if earlier else {})}
    if THIRD_TEST in points:
        sets[THIRD_TEST] = points[THIRD_TEST]
    rows: list[dict[str, Any]] = []
    for (name, cells), (low, high) in product(sets.items(), pairwise(SUMS)):
        above = cells.both_cubes > low if low else cells.both_cubes >= 0
        here = above & (cells.both_cubes <= high) & (fitted.predicted(cells) < LIMIT)
        if here.any():
            tested = outcome(cells.select(here), fitted.form, fitted.estimate, fitted.covariance, fixed=False)
            rows.append({"cells": name, "sum_low": low, "sum_high": high, **vars(tested), "confidence": CONFIDENCE})
    return pd.DataFrame(rows, columns=columns("law/cubes"))


def contest(points: Mapping[str, Points]) -> pd.DataFrame:
    """Judge the forms of CONTEST, fitted to Parts I and II, on all that they were not fitted to (law/contest)."""
    fitted_to, rows = base(points), []
    unfitted = [points[study] for study in (*TESTS, *OTHERS) if study in points]
    for name in CONTEST:
        form, fitted = FORMS[name], fit(fitted_to, FORMS[name])
        about = {"form": name, "words": form.words, "coefficients": len(form.terms), "confidence": CONFIDENCE}
        rows.append(
            {**about, "cells": "fitted", "chi_square": fitted.chi_square, "n_points": len(fitted.inside),
             "n_matches": int(fitted.inside.matches.sum())}
        )  # fmt: skip
        if unfitted:
            every = together(unfitted)
            long = every.select(every.length >= LEAST_LENGTH)
            judged = outcome(long, form, fitted.estimate, fitted.covariance, fixed=False)
            rows.append({**about, "cells": "all unfitted", **vars(judged)})
    return pd.DataFrame(rows).reindex(columns=columns("law/contest"))
