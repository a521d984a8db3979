"""Errors by player against other routes to them."""

import numpy as np
import pytest

import simulated_studies as simulated
from bgrating.rating.fibs_formula import win_probability
from study.formula.catalogue import KINDS, read_off
from study.formula.design_points import points
from study.formula.regressions import BILINEAR, UndeterminedError, by_cluster, fit

RNG = np.random.default_rng(31)
X = RNG.normal(size=(24, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=24)
CLUSTERS = np.repeat(list("abcdefgh"), 3)
PLAIN, BY_PLAYER = KINDS["joint-probability"], KINDS["joint-probability-clustered"]


def test_errors_by_player_are_the_jackknife_over_clusters():
    whole = np.linalg.lstsq(X, Y)[0]
    kept = [cluster != CLUSTERS for cluster in np.unique(CLUSTERS)]
    without = [np.linalg.lstsq(X[rows], Y[rows])[0] - whole for rows in kept]
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
    return table[table["method"] == "control-variate"]


def test_errors_by_player_are_the_scatter_of_estimates_where_players_misfit(seen):
    truth, names = simulated.Truth(), seen["player"].unique()
    rows = seen[["match_length", "epm", "epc"]].itertuples(index=False)
    true = [truth.rating_difference(*row) for row in rows]
    answers = []
    for seed in range(40):
        drawn = np.random.default_rng(seed).normal(0, 15, 16)
        off = seen["player"].map(dict(zip(names, drawn, strict=True)))
        sharp = seen.assign(p_win=win_probability(true + off, seen["match_length"]), p_win_se=0.003)
        fits = [fit(kind, sharp, BILINEAR, "today") for kind in (PLAIN, BY_PLAYER)]
        plain, wide = (read_off(one, 5) for one in fits)
        answers.append((plain.estimate, plain.std_error, wide.std_error))
    estimates, plain, by_player = (np.array(part) for part in zip(*answers, strict=True))
    spread = estimates.std(axis=0)
    assert (plain.mean(axis=0) < 0.75 * spread).all()
    np.testing.assert_allclose(by_player.mean(axis=0), spread, rtol=0.3)


def test_too_few_pairs_of_players_are_refused(seen):
    few = seen[seen["player"].isin(seen["player"].unique()[[1, 5, 10, 15]])]
    sentence = r"by player need at least 5 pairs of players, not 4$"
    with pytest.raises(UndeterminedError, match=sentence):
        fit(BY_PLAYER, few, BILINEAR, "today")
