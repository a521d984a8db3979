"""Pairs of people's matches and rates of other matches, by hand."""

import numpy as np
import pytest

import simulated_people
from study.people.match_pairs import credibility, pairs, rates_elsewhere


def test_pairs_need_luck_and_an_end() -> None:
    table = simulated_people.collection(np.random.default_rng(1), matches=20)
    assert len(pairs(table, ["unforced_moves"])) == 20
    table.loc[table["file"] == "00003.mat", "luck_adjusted_result"] = np.nan
    table.loc[table["file"] == "00004.mat", "match_length"] = 0
    assert len(pairs(table, ["unforced_moves"])) == 18


def test_credibility_by_hand() -> None:
    """Two players with two matches of ten decisions: within and between on paper."""
    player = np.array([0, 0, 1, 1])
    errors, decisions = np.array([1.0, 3.0, 6.0, 8.0]), np.full(4, 10.0)
    # Rates 0.1, 0.3 and 0.6, 0.8: within per decision = 10 (4 x 0.1^2) / 2 = 0.2; means 0.2 and
    # 0.7. Between = (20 (0.25^2 x 2) - 0.2) / (40 - 800 / 40) = (2.5 - 0.2) / 20 = 0.115.
    mean, k, within = credibility(player, errors, decisions)
    assert within == pytest.approx(0.2)
    assert k == pytest.approx(0.2 / 0.115)
    assert mean == pytest.approx(0.45)


def test_a_match_is_not_predicted_from_itself() -> None:
    number = np.array([[0, 1], [0, 1], [0, 2]])
    errors = np.array([[1.0, 2.0], [1.0, 2.0], [9.0, 5.0]])
    decisions = np.full((3, 2), 10.0)
    before = rates_elsewhere(number, errors, decisions)
    errors[2, 0] = 1.0
    after = rates_elsewhere(number, errors, decisions)
    # Only through the mean and k, not through the player's own sum.
    mean, k, _ = credibility(number.ravel(), errors.ravel(), decisions.ravel())
    assert after[2, 0] == pytest.approx((2.0 + k * mean) / (20.0 + k))
    assert before[0, 0] > after[0, 0]


def test_a_player_of_one_match_has_the_mean_where_rates_do_not_vary() -> None:
    """Then k is 0, and nothing is known of the rate beyond the mean."""
    number = np.array([[0, 1], [0, 1], [0, 2]])
    errors = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 5.0]])
    rates = rates_elsewhere(number, errors, np.full((3, 2), 10.0))
    mean = (0.1 + 0.2 + 0.5) / 3
    assert rates == pytest.approx(np.array([[0.1, 0.2], [0.1, 0.2], [0.1, mean]]))
