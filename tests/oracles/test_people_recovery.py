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
from bgrating.rating.chances import fit_results
from bgrating.rating.choose import choose
from bgrating.rating.choose import compared_formulas as formulas
from bgrating.rating.fibs import win_probability
from bgrating.rating.pairs import column, pairs
from study.people import scale

pytestmark = pytest.mark.nightly
NETS = "1.07.001"
COLLECTIONS = 100


def inside(low, truth, high):
    return bool(low <= truth <= high)


def study(seed):
    """Return, for one collection, whether each interval holds the truth."""
    chosen = choose("published", NETS)
    matches, _ = simulated_people.collection(np.random.default_rng(seed))
    together = pairs(matches)
    found = {}
    lengths = column(together, "match_length")
    worth = np.column_stack([chosen.formula.coefficient(name, lengths)[0] for name in ("a2", "b")])
    design = simulated_people.rate_differences(together) * worth
    cost = fit_results(column(together, "luck_adjusted_result"), lengths, design)
    for place, term in enumerate(("chequer play", "cube")):
        low, high = cost.conf_int(0.1)[place]
        found[f"exchange, {term}"] = inside(low, 1.0, high)
    published = {"published": formulas(chosen, NETS)["published"]}
    slopes = prediction.slopes(together, prediction.predictions(together, published))
    slopes = slopes.set_index(["predictor", "results"])
    for results in ("won", "luck-adjusted"):
        row = slopes.loc[("published", results)]
        found[f"prediction, {results}"] = inside(row["ci_low"], 1.0, row["ci_high"])
    return found


@pytest.fixture(scope="module")
def recovered():
    studies = [study(seed) for seed in range(COLLECTIONS)]
    table = pd.DataFrame(studies)
    print(table.mean().round(3).to_string())
    return table


def test_all_intervals_together_hold_the_truth_in_88_to_92_percent(recovered):
    assert 0.88 <= recovered.to_numpy().mean() <= 0.92


def test_each_interval_covers_as_often_as_it_says(recovered):
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], COLLECTIONS, 0.9)
    counts = recovered.sum()
    assert counts[(counts < low) | (counts > high)].to_dict() == {}


def test_the_factor_is_found_where_errors_cost_what_the_formula_gives():
    """The likelihood has normal losses and errors; those of these collections are none of that."""
    formula = choose("published", NETS).formula
    values, held = [], 0
    for seed in range(30):
        matches, _ = simulated_people.collection(np.random.default_rng(seed))
        fitted = scale.Likelihood(scale.Meetings.of(pairs(matches), formula))
        row = scale.row_of(fitted)
        values.append(row["estimate"])
        held += inside(row["ci_low"], 1.0, row["ci_high"])
    print("F", np.mean(values).round(3), "+-", np.std(values).round(3), "held", held)
    assert abs(np.mean(values) - 1) < 0.03 + 3 * np.std(values) / np.sqrt(30)
    assert held >= stats.binom.ppf(1e-4, 30, 0.9)


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
        predicted = pd.DataFrame({"truth": difference})
        rows = prediction.scores(together, predicted, "truth")
        row = rows[(rows["predictor"] == "truth") & (rows["measure"] == "log loss")].iloc[0]
        entropy = -(chance * np.log(chance) + (1 - chance) * np.log1p(-chance)).mean()
        held.append(inside(row["gain_low"], np.log(2) - entropy, row["gain_high"]))
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 400, 0.9)
    assert low <= sum(held) <= high
