"""Which statistic of a match tells simulated players apart."""

import numpy as np
import pytest

from study.people.likelihood import PLAYS, fitted_exponents, information, logit, power


@pytest.mark.parametrize("model", [logit, power])
def test_the_chances_of_all_plays_add_up_to_one(model):
    kept = np.array([0.0, 0.01, 0.03, 0.2, np.inf, np.inf])
    lost = np.array([[made, *kept] for made in kept[:4]])
    assert np.exp(-model(lost, 0.05, 0.7)).sum() == pytest.approx(1, abs=1e-5)


def test_a_likelihood_of_the_true_model_is_no_worse_than_the_mean_error():
    rng, sides = np.random.default_rng(3), []
    for player, scale in (("a", 0.03), ("b", 0.05), ("c", 0.08)):
        for _ in range(40):
            kept = np.sort(rng.gamma(1.0, 0.06, (60, PLAYS - 1)), axis=1)
            kept -= kept[:, :1]
            best = np.argmax(-kept / scale + rng.gumbel(size=kept.shape), axis=1)
            sides.append((player, np.column_stack([kept[np.arange(60), best], kept])))
    found = information(sides, fitted_exponents(sides), by_player=False).set_index("statistic")["information"]
    assert found["mean error"] == 1
    assert found["logit, exponent 1"] > 1
    assert found["share of errors"] < 0.8
