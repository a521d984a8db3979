"""Populations with a known truth, studies drawn from them, and how coverage is counted."""

import numpy as np
import pytest

import simulated
from bgrating.rating.fibs import win_probability
from study.formula.cells import UnusableMatchesError
from study.population import populations, tilted

PLAYER = simulated.Player("noise-0.02+noise-0.4", 0.02, 0.4, 0.0125, 0.11)


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(14)
    matches = simulated.study(rng, lengths=(5,), matches=500, players=[PLAYER])
    key = (5, PLAYER.name, "expert")
    return matches, populations(matches, {key: 150.0}, ("epm", "epc"))[0]


def test_a_population_has_the_truth_asked_for(made):
    matches, one = made
    own, w = one.matches, one.weights
    assert w @ own["actual_result"] + 0.5 == pytest.approx(float(win_probability(150.0, 5)), abs=1e-5)
    assert w @ own["player_luck_mwc"] == pytest.approx(0, abs=1e-5)
    pooled = (w @ own["player_cube_error_emg"]) / (w @ own["player_close_cube_decisions"])
    plain = matches["player_cube_error_emg"].sum() / matches["player_close_cube_decisions"].sum()
    assert pooled == pytest.approx(plain, rel=1e-4)
    assert w.sum() == pytest.approx(1)


def test_a_truth_out_of_reach_is_refused(made):
    with pytest.raises(UnusableMatchesError, match=r"5 points, noise-0\.02"):
        populations(made[0], {(5, PLAYER.name, "expert"): 3000.0}, ("epm", "epc"))
    with pytest.raises(UnusableMatchesError, match="30 matches are too few for a population"):
        populations(made[0].head(30), {(5, PLAYER.name, "expert"): 150.0}, ("epm",))
    with pytest.raises(UnusableMatchesError, match="here: its matches cannot be weighted"):
        tilted(np.array([[1.0], [2.0], [3.0]]), "here")
