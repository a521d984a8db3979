"""The tests of forms: what was written down is what is computed, and the rule gives the form that it says."""

import numpy as np
import pytest

from bgrating.rating.fibs import win_probability
from study.law.forms import FORMS, RATES_OF_A_SIDE, Outcome, Points
from study.law.tests import _log_loss, verdict


def outcome(p_value: float, low: float, high: float) -> Outcome:
    return Outcome(10, 1000, 10.0, p_value, (low + high) / 2, low, high, 0.01)


@pytest.mark.parametrize(
    ("p_value", "low", "high", "said"),
    [
        (0.3, 0.96, 1.04, "confirmed"),
        (0.05, 0.95, 1.05, "confirmed"),
        (0.04, 0.96, 1.04, "undecided"),
        (0.3, 0.94, 1.04, "undecided"),
        (0.009, 0.96, 1.04, "refuted"),
        (0.3, 0.80, 0.94, "refuted"),
        (0.3, 1.051, 1.2, "refuted"),
    ],
)
def test_the_verdict_is_the_one_written_down(p_value: float, low: float, high: float, said: str) -> None:
    assert verdict(outcome(p_value, low, high)) == said


def test_log_loss_is_counted_match_by_match_and_only_where_both_forms_hold() -> None:
    form, law, other = FORMS["law"], np.array([11_000.0, 19_000.0, 9_700.0]), np.array([9_000.0, 19_000.0, 9_700.0])
    rates = np.zeros((4, 2 * len(RATES_OF_A_SIDE)))
    rates[:, 0] = (0.005, 0.01, 0.02, 0.09)  # the last is predicted beyond the limit
    length, matches = np.full(4, 7.0), np.array([100, 200, 300, 400])
    pair, covariance = np.array(["a", "b", "c", "d"]), np.zeros((4, rates.shape[1] + 1, rates.shape[1] + 1))
    chance = np.array([0.47, 0.4, 0.35, 0.2])
    made = _log_loss(Points(pair, pair, length, matches, chance, rates, covariance), form, other, law)
    sums = []
    for values in (other, law):
        predicted = win_probability(form.difference(rates, length, values), length)
        lost = -(chance * np.log(predicted) + (1 - chance) * np.log(1 - predicted))
        sums.append((lost * matches)[:3].sum() / 600)
    assert made["log_loss"] == pytest.approx(1000 * (sums[0] - sums[1]))
    assert made["log_loss_low"] < made["log_loss"] < made["log_loss_high"]
