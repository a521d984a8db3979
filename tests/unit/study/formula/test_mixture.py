"""Mixtures of matches with luck, with errors alone and only played."""

import numpy as np
import pytest

from study.formula.estimators import Results, control_variate
from study.formula.mixture import Matches, MixtureError, mixed, moments, variance

NONE, NO_LUCK = np.empty(0), np.empty((0, 2))


def world(rng, n):
    """Matches: the result is the chance less errors plus luck plus a rest; means 0.3, 0, 0, 0.15, 0.05."""
    luck = rng.normal(0, 0.2, (n, 2))
    errors = np.column_stack([rng.gamma(3, 0.05, n), rng.gamma(1, 0.05, n)])
    result = 0.3 - 0.5 - (errors - [0.15, 0.05]).sum(axis=1) + luck @ [0.9, -0.8] + rng.normal(0, 0.06, n)
    return result, luck, errors


def test_luck_alone_is_the_control_variate():
    result, luck, _ = world(np.random.default_rng(1), 4000)
    none = np.zeros((4000, 2))
    got = mixed(Matches(result, luck, none, NONE, NO_LUCK, NONE))
    same = control_variate(Results(result, result, luck[:, 0], luck[:, 1]))
    assert got.p == pytest.approx(same.p, abs=2e-5)
    assert got.se == pytest.approx(same.se, rel=2e-3)
    assert got.dof == same.dof == 3997


def test_luck_and_plain_matches_are_weighted_with_their_variances():
    seen = moments(*world(np.random.default_rng(2), 3000))
    result, luck, errors = world(np.random.default_rng(2), 3000)
    without = moments(result, luck, errors[:, :0])
    of_luck, of_plain = variance(without, {"luck": 100}), variance(without, {"plain": 400})
    assert variance(without, {"luck": 100, "plain": 400}) == pytest.approx(1 / (1 / of_luck + 1 / of_plain))
    assert of_plain == pytest.approx(without.covariance[0, 0] / 400)
    # Errors that are known of luckless matches too can only help.
    assert variance(seen, {"luck": 100, "errors": 400}) < variance(seen, {"luck": 100, "plain": 400})


def test_double_sampling_by_hand():
    """Cochran: S2 (1 - r2) / n1 + r2 S2 / (n1 + n2), when luck and the second results say nothing.

    A rest of the result so large in the second part that it carries no weight cannot be had; instead the luck takes all
    but the errors away, and the second part's results are so noisy through luck that they hardly count.
    """
    rng = np.random.default_rng(3)
    n = 200_000
    luck, error, rest = rng.normal(0, 30, (n, 2)), rng.normal(0, 1, n), rng.normal(0, 0.5, n)
    seen = moments(luck @ [1.0, -1.0] + error + rest, luck, error[:, None])
    got = variance(seen, {"luck": 100, "errors": 900})
    assert got == pytest.approx(0.25 / 100 + 1.0 / 1000, rel=0.02)


def test_estimates_are_unbiased_and_scatter_as_they_say():
    rng = np.random.default_rng(4)
    estimates, errors, held = [], [], 0
    for _ in range(400):
        a, b, c = world(rng, 120), world(rng, 600), world(rng, 900)
        got = mixed(Matches(a[0], a[1], a[2], b[0], b[2], c[0]))
        estimates.append(got.p)
        errors.append(got.se)
        held += abs(got.p - 0.3) < 1.65 * got.se
    assert abs(np.mean(estimates) - 0.3) < 3.5 * np.std(estimates) / 20
    assert np.mean(errors) == pytest.approx(np.std(estimates), rel=0.12)
    assert 0.85 <= held / 400 <= 0.95
    seen = moments(*world(rng, 20_000))
    known = np.sqrt(variance(seen, {"luck": 120, "errors": 600, "plain": 900}))
    assert np.std(estimates) == pytest.approx(known, rel=0.12)


def test_only_played_is_the_share_won():
    got = mixed(Matches(NONE, NO_LUCK, NO_LUCK, NONE, NO_LUCK, np.array([0.5, 0.5, 0.5, -0.5])))
    assert got == (0.75, pytest.approx(0.25), 3)


def test_what_is_missing_is_said():
    with pytest.raises(MixtureError, match="two matches at least"):
        mixed(Matches(NONE, NO_LUCK, NO_LUCK, NONE, NO_LUCK, np.array([0.5])))
    result, luck, errors = world(np.random.default_rng(5), 30)
    with pytest.raises(MixtureError, match="3 matches with luck are too few"):
        mixed(Matches(result[:3], luck[:3], errors[:3], NONE, NO_LUCK, NONE))
    hole = np.array([0.1, np.nan])
    with pytest.raises(MixtureError, match="part 'errors' has an empty result or error"):
        mixed(Matches(result, luck, errors, hole, errors[:2], NONE))
    luck[4, 1] = np.nan
    with pytest.raises(MixtureError, match="no luck or no errors"):
        moments(result, luck, errors)
    with pytest.raises(MixtureError, match="none were given"):
        variance(moments(*world(np.random.default_rng(5), 30)), {"luck": 0})
