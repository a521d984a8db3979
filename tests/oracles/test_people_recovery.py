"""Simulated people of known strength: how often the 90 % intervals of the check on people hold the truth.

Bounds on single figures come from the binomial distribution, at one false alarm in ten thousand a side; all together
must lie within 88 to 92 %. How people are simulated: tests/simulated_people.py.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simulated_people
from bgrating.rating import prediction
from bgrating.rating.choose import choose
from bgrating.rating.choose import compared_formulas as formulas
from bgrating.rating.compared import PUBLISHED
from bgrating.rating.error_cost import fit_matches, quotient_interval
from bgrating.rating.fibs import win_probability
from bgrating.rating.pairs import column, pairs
from study.people import calibration, strength, subgroups
from study.people.simulated_reference import TERMS

NETS = "1.07.001"
COLLECTIONS = 200
OFFSET = 2050.0
Z = stats.norm.ppf(0.95)


def inside(low, truth, high):
    return bool(low <= truth <= high)


def no_simulation(study, match_length):
    return pd.DataFrame()


def study(seed):
    """Return, for one collection, whether each interval holds the truth."""
    chosen = choose("published", NETS)
    matches, truth = simulated_people.collection(np.random.default_rng(seed))
    together = pairs(matches)
    strengths = strength.strengths(matches, chosen, OFFSET)
    found = {}
    fitted, error, _, count = calibration.site_offsets(strengths, OFFSET)["site"]
    half = stats.t.ppf(0.95, count - 1) * error
    found["offset"] = inside(fitted - half, truth.offset, fitted + half)
    lines = calibration.lines(strengths).set_index(["players", "line", "corrected_for"])
    for line, corrected in (
        ("estimate on recorded", "noise of recorded ratings"),
        ("recorded on estimate", "noise of estimates"),
    ):
        row = lines.loc[("all", line, corrected)]
        found[f"slope, {line}"] = inside(row["ci_low"], 1.0, row["ci_high"])
    fit = fit_matches(together, "today", chosen.formula)
    for place, term in enumerate(TERMS):
        _, _, low, high = fit.interval(place)
        found[f"exchange, {term}"] = inside(low, 1.0, high)
    predicted = prediction.predictions(together, {PUBLISHED: formulas(chosen, NETS)[PUBLISHED]})
    slopes = prediction.slopes(together, predicted).set_index(["subset", "predictor", "results"])
    for results in ("won", "luck-adjusted"):
        row = slopes.loc[("all matches", PUBLISHED, results)]
        found[f"prediction, {results}"] = inside(row["ci_low"], 1.0, row["ci_high"])
    fit = subgroups.whom(together, {PUBLISHED: formulas(chosen, NETS)[PUBLISHED]}, no_simulation)
    row = fit.set_index("group").loc["all matches"]
    found["instrumented"] = inside(row["instrumented_low"], 1.0, row["instrumented_high"])
    own = strengths.set_index("player")
    off = (own["rating"] + truth.offset - OFFSET - truth.rating[own.index]) / own["rating_se"]
    shrunk = (own["shrunk_rating"] + truth.offset - OFFSET - truth.rating[own.index]) / own["shrunk_se"]
    return found, (np.abs(off) <= Z).to_numpy(), (np.abs(shrunk) <= Z).to_numpy()


@pytest.fixture(scope="module")
def recovered():
    studies = [study(seed) for seed in range(COLLECTIONS)]
    table = pd.DataFrame([one[0] for one in studies])
    players, shrunk = (np.concatenate([one[place] for one in studies]) for place in (1, 2))
    print(table.mean().round(3).to_string(), "\nratings", players.mean().round(3), "shrunken", shrunk.mean().round(3))
    return table, players, shrunk


def test_all_intervals_together_hold_the_truth_in_88_to_92_percent(recovered):
    table, players, shrunk = recovered
    assert 0.88 <= table.to_numpy().mean() <= 0.92
    assert 0.88 <= players.mean() <= 0.92
    assert 0.88 <= shrunk.mean() <= 0.92


def test_each_interval_covers_as_often_as_it_says(recovered):
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], COLLECTIONS, 0.9)
    counts = recovered[0].sum()
    assert counts[(counts < low) | (counts > high)].to_dict() == {}


def test_without_the_correction_for_noise_the_slope_is_too_small():
    slopes = []
    for seed in range(20):
        matches, _ = simulated_people.collection(np.random.default_rng(seed))
        lines = calibration.lines(strength.strengths(matches, choose("published", NETS), OFFSET))
        slopes.append(lines[lines["corrected_for"] == "nothing"].groupby("line")["slope"].first())
    mean = pd.DataFrame(slopes).mean()
    assert mean["recorded on estimate"] < 0.9
    assert mean["estimate on recorded"] < 0.95


def test_fieller_intervals_of_a_quotient_cover():
    rng = np.random.default_rng(5)
    above, below = rng.normal(1.2, 0.2, 4000), rng.normal(1.5, 0.15, 4000)
    held = [inside(low, 0.8, high) for low, high in (
        quotient_interval(a, 0.2, b, 0.15) for a, b in zip(above, below, strict=True)
    )]  # fmt: skip
    assert 0.88 <= np.mean(held) <= 0.92


def test_gains_over_a_coin_cover_the_expected_gain():
    """With known chances the expected gain in log loss is ln 2 less the entropy."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(400):
        matches, _ = simulated_people.collection(rng, matches=120)
        together = pairs(matches)
        difference = rng.normal(0, 200, len(together))
        chance = win_probability(difference, column(together, "match_length"))
        together["actual_result"] = (rng.random(len(together)) < chance) - 0.5
        together["luck_adjusted_result"] = together["actual_result"]
        predicted = pd.DataFrame({"truth": difference, prediction.RECORDED: np.nan, "others": 0})
        rows = prediction.scores(together, predicted, "truth")
        row = rows[(rows["predictor"] == "truth") & (rows["measure"] == "log loss")].iloc[0]
        entropy = -(chance * np.log(chance) + (1 - chance) * np.log1p(-chance)).mean()
        held.append(inside(row["gain_low"], np.log(2) - entropy, row["gain_high"]))
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 400, 0.9)
    assert low <= sum(held) <= high
