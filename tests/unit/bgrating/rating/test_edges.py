"""Figures at the edges of their rules, by hand."""

import numpy as np
import pandas as pd
import pytest

from bgrating.rating import population as fields
from bgrating.rating.fibs_formula import rate
from bgrating.rating.population import pooled_scatter, population_of, variances


def players(number: int, matches: int) -> pd.DataFrame:
    """Return players with losses of spread 160, these matches, and a standard error of 10."""
    row = {"own_se": 10.0, "matches": matches, "moves": 100.0 * matches}
    return pd.DataFrame([{"loss": 150.0 + number, **row} for number in range(number)])


def test_an_error_over_one_decision_is_that_error() -> None:
    assert rate(np.array([0.25, 0.5, 3.0]), np.array([1.0, 0.0, 2.0])).tolist() == [0.25, 0.0, 1.5]


def test_a_field_has_players_and_further_matches_enough_exactly_at_its_limits() -> None:
    """20 players with two matches more than the first each: 40 further matches."""
    found = population_of(players(20, 3))
    assert found is not None
    assert (found.players, found.repeats) == (20, 40)
    assert population_of(players(19, 4)) is None
    lacks_one = players(20, 3)
    lacks_one.loc[0, "matches"] = 2
    assert population_of(lacks_one) is None


def test_the_scatter_is_pooled_by_further_matches_without_faultless_players() -> None:
    """Loss 16: root 2, slope 32. Variances (8/32)^2 and (16/32)^2, times moves; weights 1, 3."""
    rows = {"loss": [16.0, 16.0, 0.0, 16.0], "own_se": [8.0, 16.0, 8.0, np.nan]}
    table = pd.DataFrame(rows | {"matches": [2, 4, 3, 1], "moves": [100.0, 200.0, 300.0, 400.0]})
    assert pooled_scatter(table) == pytest.approx((1 * 6.25 + 3 * 50.0) / 4)


def test_a_variance_is_that_of_the_pool_and_of_the_player_by_their_weights() -> None:
    rows = {
        "loss": [16.0, 16.0],
        "own_se": [8.0, np.nan],
        "matches": [3, 1],
        "moves": [100.0, 50.0],
    }
    found, dof = variances(pd.DataFrame(rows), 10.0)
    prior = fields.PRIOR
    assert dof.tolist() == [prior + 2, prior]
    assert found.tolist() == pytest.approx([(prior * 0.1 + 2 * 0.0625) / (prior + 2), 0.2])
