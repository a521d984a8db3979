"""Every table of the law, by name; one that needs what has not been played yet is written empty."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import numpy as np
import pandas as pd

from bgrating.rating.choose import by_level
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played, of_matches
from study.evidence.tables import whole_lengths
from study.formula.regressions import UndeterminedError
from study.law import (
    COVERAGE_SEED,
    COVERAGE_STUDIES,
    FITTED,
    FORMULAS,
    LEAST_LENGTH,
    LIMIT,
    MOVES_TEST,
    STUDIES,
    TEST,
    TESTED_LENGTHS,
    depth,
)
from study.law.formula import coverage, cuts, formulas, law_points, lengths
from study.law.preregistered import (
    COUNTS,
    LAW,
    WRITTEN_DOWN,
    Law,
    at_lengths,
    beside_the_law,
    coefficient_rows,
    fit_inside,
    outcome,
)

ENGINE_COLUMNS = columns("law/engines")


def tables(
    matches: Mapping[str, pd.DataFrame], others: Mapping[str, pd.DataFrame], nets: str
) -> dict[str, pd.DataFrame]:
    """Make every table from the matches of studies by name, and the tables `at_lengths` of other nets by nets.

    `test` goes by docs/preregistration.md; `test_since` does the same with all that has been played since, and what
    docs/preregistration-moves.md says.
    """
    since = [study for name in FITTED if name in matches for study in _whole(name, matches[name])]
    now, laws = _laws(since, COUNTS), _laws(_then(since, nets), WRITTEN_DOWN)
    z = quantile(CONFIDENCE)
    made = {
        "coefficients": pd.DataFrame([row for law in (now | laws).values() for row in coefficient_rows(law, z)]),
        "at_lengths": _joined([at_lengths(law, z) for law in laws.values()]),
        "test": pd.DataFrame(),
        "test_since": pd.DataFrame(),
        "test_points": pd.DataFrame(),
        "engines": pd.DataFrame(columns=ENGINE_COLUMNS),
    }
    if len(made["at_lengths"]):
        made["engines"] = engines(made["at_lengths"], others, nets)
    if tests := [study for name in (TEST, MOVES_TEST) if name in matches for study in _whole(name, matches[name])]:
        made["test_since"] = _joined([_test(study, now)[0].assign(study=study.name) for study in tests])
        if tests[0].name == TEST:
            made["test"], made["test_points"] = _test(tests[0], laws)
    return made


def _test(study: Played, laws: Mapping[str, Law]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the outcome of every law on a study, and its design points; both empty where the law is missing."""
    outcomes = {count: outcome(study, law, CONFIDENCE) for count, law in laws.items()}
    if LAW not in outcomes:
        return pd.DataFrame(), pd.DataFrame()
    return beside_the_law(outcomes, LAW, CONFIDENCE), _joined([table for _, table in outcomes.values()])


def studies_of(matches: Mapping[str, pd.DataFrame]) -> list[Played]:
    """Return the studies that the formula of the law is fitted to, as far as they have been played."""
    held = {name: matches[name] for name in STUDIES if name in matches}
    return [of_matches(name, table) for name, table in held.items()]


def of_all_studies(
    matches: Mapping[str, pd.DataFrame], nets: str
) -> tuple[dict[str, pd.DataFrame], dict[str, RatingFormula]]:
    """Return the tables of FORMULA_TABLES, and the formulas of FORMULAS by name, from STUDIES and those of DEPTH.

    Raises UndeterminedError where they do not determine the law.
    """
    studies = studies_of(matches)
    if not studies:
        raise UndeterminedError("no study of the law has been played")
    inside, outside, alone = formulas(studies, nets)
    factors = depth.factors(matches)
    known = by_level(factors)
    made = {
        "cuts": cuts(law_points(studies)),
        "lengths": lengths(inside, alone),
        "coverage": coverage(law_points(studies), LIMIT, COVERAGE_STUDIES, COVERAGE_SEED),
        "depth": factors,
        "depth_laws": depth.at_depths(inside, known),
        "depth_checks": depth.checks(matches, inside, known),
    }
    return made, dict(zip(FORMULAS, (inside, outside), strict=True))


def _whole(name: str, played: pd.DataFrame) -> list[Played]:
    """Return a study's matches of LEAST_LENGTH and more, of the lengths that have been played whole, or nothing."""
    study = whole_lengths(of_matches(name, played))
    return _kept(study, study.matches["match_length"] >= LEAST_LENGTH)


def _then(studies: Sequence[Played], nets: str) -> list[Played]:
    """Return what of studies the test is fitted to (TESTED_LENGTHS); all of them where nothing was written down."""
    if nets not in TESTED_LENGTHS:
        return list(studies)
    lengths = TESTED_LENGTHS[nets]
    return [
        kept
        for study in studies
        for kept in _kept(study, study.matches["match_length"].isin(lengths.get(study.name, ())))
    ]


def _kept(study: Played, rows: pd.Series) -> list[Played]:
    return [of_matches(study.name, study.matches[rows].reset_index(drop=True))] if rows.any() else []


def _laws(studies: Sequence[Played], counts: Iterable[str]) -> dict[str, Law]:
    found = {}
    for count in counts if studies else ():
        with suppress(UndeterminedError):
            found[count] = fit_inside(studies, count)
    return found


def _joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def engines(own: pd.DataFrame, others: Mapping[str, pd.DataFrame], nets: str) -> pd.DataFrame:
    """Set the law's coefficients beside those of other nets (ENGINE_COLUMNS).

    The studies are independent, so the variances of the logarithms add up. Coefficients count as different where the
    interval of their ratio leaves out 1.
    """
    z = quantile(CONFIDENCE)
    rows = []
    for other, table in others.items():
        both = own[own["count"] == LAW].merge(
            table[table["count"] == LAW], on=["term", "match_length"], suffixes=("", "_other")
        )
        for row in both.to_dict("records"):
            ratio = row["estimate"] / row["estimate_other"]
            error = np.hypot(row["std_error"] / row["estimate"], row["std_error_other"] / row["estimate_other"])
            low, high = ratio * np.exp(-z * error), ratio * np.exp(z * error)
            rows.append(
                {
                    "term": row["term"], "match_length": row["match_length"], "nets": nets,
                    "estimate": row["estimate"], "other_nets": other, "other_estimate": row["estimate_other"],
                    "ratio": ratio, "ratio_low": low, "ratio_high": high, "differs": not low <= 1 <= high,
                    "confidence": CONFIDENCE,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=ENGINE_COLUMNS).astype({"match_length": "Int64"})
