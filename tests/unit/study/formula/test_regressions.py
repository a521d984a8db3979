"""Errors by player against other routes to them."""

from dataclasses import replace

import numpy as np
import pytest

import simulated
from bgrating.rating.fibs import win_probability
from study.formula.catalogue import joint, read_off
from study.formula.points import BILINEAR, observations, points
from study.formula.regressions import UndeterminedError, by_cluster, fit_chances, fit_chances_by_player

RNG = np.random.default_rng(31)
X = RNG.normal(size=(24, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=24)
CLUSTERS = np.repeat(list("abcdefgh"), 3)


def test_it_is_the_jackknife_over_clusters():
    whole = np.linalg.lstsq(X, Y)[0]
    without = [np.linalg.lstsq(X[c != CLUSTERS], Y[c != CLUSTERS])[0] - whole for c in np.unique(CLUSTERS)]
    expected = 7 / 8 * sum(np.outer(shift, shift) for shift in without)
    np.testing.assert_allclose(by_cluster(X, Y - X @ whole, CLUSTERS), expected, rtol=1e-9)


def test_a_cluster_that_carries_a_coefficient_is_named():
    x = X.copy()
    x[:, 2] = 0
    x[:3, 2] = [1.0, 2.0, 3.0]
    with pytest.raises(UndeterminedError, match="without a the other design points"):
        by_cluster(x, Y, CLUSTERS)


@pytest.fixture(scope="module")
def seen():
    table = points(simulated.study(np.random.default_rng(32), lengths=(3, 5, 7), matches=60))
    return observations(table[table["method"] == "control-variate"], BILINEAR)


def test_errors_by_player_are_the_scatter_of_estimates_where_players_misfit(seen):
    truth = simulated.Truth()
    answers = []
    for seed in range(80):
        by = dict(zip(np.unique(seen.pairs), np.random.default_rng(seed).normal(0, 15, 16), strict=True))
        rating = [
            truth.rating_difference(n, *x) + by[pair]
            for n, x, pair in zip(seen.match_length, seen.predictors, seen.pairs, strict=True)
        ]
        sharp = replace(seen, p=win_probability(rating, seen.match_length), p_se=np.full(len(seen), 0.003))
        plain, wide = (read_off(joint(sharp, BILINEAR, fit), 5) for fit in (fit_chances, fit_chances_by_player))
        answers.append((plain.estimate, plain.std_error, wide.std_error))
    estimates, plain, by_player = (np.array(part) for part in zip(*answers, strict=True))
    spread = estimates.std(axis=0)
    assert (plain.mean(axis=0) < 0.75 * spread).all()
    np.testing.assert_allclose(by_player.mean(axis=0), spread, rtol=0.3)


def test_too_few_pairs_of_players_are_refused(seen):
    few = seen.select(np.isin(seen.pairs, np.unique(seen.pairs)[:4]))
    with pytest.raises(UndeterminedError, match="4 pairs of players are too few"):
        joint(few, BILINEAR, fit_chances_by_player)
