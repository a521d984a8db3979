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
    length = row["match_length"]
    return (TRUTH.values() if pd.isna(length) else TRUTH.at(length))[row["term"]]


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
        for kind, method in FITS:
            measured_so = reduced[reduced["method"] == method]
            answers = evaluate(KINDS[kind], BILINEAR, measured_so, "today")
            for length, answer in answers.items():
                results.append(FitResult(BILINEAR, kind, method, "today", length, answer))
    table = judged(coefficients(results))
    groups = table.groupby(["model", "method", "term"])
    shown = groups.agg({"covers": "mean", "error": ["mean", "std"], "std_error": "mean"})
    print(shown.round(3).to_string())
    return table.set_index(["model", "method"]).sort_index(), pd.concat(measured)


def bounds(count, confidence=0.9):
    return stats.binom.ppf([1e-4, 1 - 1e-4], count, confidence)


TERMS = [(None, term) for term in TRUTH.values()]
TERMS += [(length, term) for length in LENGTHS for term in ("a2", "b")]


@pytest.mark.parametrize(("length", "term"), TERMS)
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
    rates = {player.name: (player.epm, player.epc) for player in simulated.sixteen()}
    cells = zip(rows["match_length"], rows["player"], strict=True)
    truth = [TRUTH.rating_difference(length, *rates[name]) for length, name in cells]
    low, high = rows["ci_low"].fillna(-np.inf), rows["ci_high"].fillna(np.inf)
    least, most = bounds(len(rows))
    assert least <= ((low <= truth) & (truth <= high)).sum() <= most


def test_the_published_method_claims_too_much_for_chequer_play(recovered):
    rows = recovered[0].loc[("bilinear-ols", "luck-adjusted")]
    rows = rows[(rows["term"] == "a2") & rows["match_length"].notna()]
    # With honest errors this sum would be about chi-square (the lengths are independent).
    groups = rows.groupby("match_length")
    squares = sum((own["error"] ** 2).sum() / (own["std_error"] ** 2).mean() for _, own in groups)
    assert squares > stats.chi2.ppf(1 - 1e-4, len(rows))


@pytest.mark.parametrize(("model", "method", "term"), cases("values.fits_farther_off"))
def test_control_variates_and_one_fit_over_all_lengths_come_nearer_the_truth(
    recovered, model, method, term
):
    def errors(model, method):
        rows = recovered[0].loc[(model, method)]
        return rows[(rows["term"] == term) & (rows["match_length"] == 5)]["error"].to_numpy()

    more = errors(model, method) ** 2 - errors(*RECOMMENDED) ** 2
    assert stats.ttest_1samp(more, 0, alternative="greater").pvalue < 1e-3
