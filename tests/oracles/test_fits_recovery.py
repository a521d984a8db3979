"""Simulated recovery: studies with a known formula, fitted, and how often intervals hold the truth.

Bounds come from the binomial distribution of the count, at one false alarm in ten thousand a side,
and from the standard error of a mean; none was tuned. `pytest -s` prints the table of all methods.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simulated_studies as simulated
from corpus import cases
from study.formula.catalogue import KINDS, FitResult, coefficients, evaluate
from study.formula.design_points import points
from study.formula.regressions import BILINEAR

pytestmark = pytest.mark.nightly
TRUTH = simulated.Truth()
STUDIES = 100
LENGTHS = (3, 5, 7)
FITS = [
    ("joint-probability", "control-variate"),
    ("joint-probability", "luck-adjusted"),
    ("probability", "control-variate"),
    ("ols", "luck-adjusted"),
]
RECOMMENDED = ("bilinear-joint-probability", "control-variate")


def truth_of(row):
    return (
        TRUTH.values()[row["term"]]
        if pd.isna(row["match_length"])
        else TRUTH.at(row["match_length"])[row["term"]]
    )


def judged(table):
    truth = table.apply(truth_of, axis=1)
    covers = (table["ci_low"] <= truth) & (truth <= table["ci_high"])
    return table.assign(truth=truth, covers=covers, error=table["estimate"] - truth)


@pytest.fixture(scope="module")
def recovered():
    rng = np.random.default_rng(20030807)
    results = []
    measured = []
    for _ in range(STUDIES):
        reduced = points(simulated.study(rng, lengths=LENGTHS, matches=60))
        measured.append(reduced)
        by_method = dict(list(reduced.groupby("method")))
        results += [
            FitResult(BILINEAR, kind, method, "today", length, answer)
            for kind, method in FITS
            for length, answer in evaluate(
                KINDS[kind], BILINEAR, by_method[method], "today"
            ).items()
        ]
    table = judged(coefficients(results))
    shown = table.groupby(["model", "method", "term"]).agg(
        coverage=("covers", "mean"),
        bias=("error", "mean"),
        spread=("error", "std"),
        claimed=("std_error", "mean"),
    )
    print(shown.round(3).to_string())
    return table.set_index(["model", "method"]).sort_index(), pd.concat(measured)


def bounds(count, confidence=0.9):
    return stats.binom.ppf([1e-4, 1 - 1e-4], count, confidence)


@pytest.mark.parametrize(
    ("length", "term"),
    [(None, term) for term in TRUTH.values()]
    + [(n, term) for n in LENGTHS for term in ("a2", "b")],
)
def test_recommended_intervals_cover_as_often_as_they_say(recovered, length, term):
    rows = recovered[0].loc[RECOMMENDED]
    here = rows["match_length"].isna() if length is None else rows["match_length"] == length
    covered = rows[here & (rows["term"] == term)]["covers"]
    assert len(covered) == STUDIES
    low, high = bounds(STUDIES)
    assert low <= covered.sum() <= high


@pytest.mark.parametrize("method", ["luck-adjusted", "control-variate"])
def test_intervals_of_a_rating_difference_cover_as_often_as_they_say(recovered, method):
    rows = recovered[1]
    rows = rows[rows["method"] == method]
    by_name = {player.name: player for player in simulated.sixteen()}
    truth = [
        TRUTH.rating_difference(n, by_name[name].epm, by_name[name].epc)
        for n, name in zip(rows["match_length"], rows["player"], strict=True)
    ]
    low, high = rows["ci_low"].fillna(-np.inf), rows["ci_high"].fillna(np.inf)
    least, most = bounds(len(rows))
    assert least <= ((low <= truth) & (truth <= high)).sum() <= most


def test_the_published_method_claims_too_much_for_chequer_play(recovered):
    rows = recovered[0].loc[("bilinear-ols", "luck-adjusted")]
    rows = rows[(rows["term"] == "a2") & rows["match_length"].notna()]
    # With honest errors this sum would have about the chi-square distribution (the lengths are
    # independent).
    squares = sum(
        (own["error"] ** 2).sum() / (own["std_error"] ** 2).mean()
        for _, own in rows.groupby("match_length")
    )
    assert squares > stats.chi2.ppf(1 - 1e-4, len(rows))


@pytest.mark.parametrize(("model", "method", "term"), cases("values.fits_farther_off"))
def test_control_variates_and_one_fit_over_all_lengths_come_nearer_the_truth(
    recovered, model, method, term
):
    def errors(model, method):
        rows = recovered[0].loc[(model, method)]
        return rows[(rows["term"] == term) & (rows["match_length"] == 5)]["error"].to_numpy()

    nearer = stats.ttest_1samp(
        errors(model, method) ** 2 - errors(*RECOMMENDED) ** 2, 0, alternative="greater"
    )
    assert nearer.pvalue < 1e-3
