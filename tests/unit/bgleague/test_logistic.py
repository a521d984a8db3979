"""Logistic ratings: anchors, intervals, what the games cannot tell, matrices."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from statsmodels.tools.numdiff import approx_hess

from bgleague import logistic
from bgleague.logistic import components, separated
from bgleague.settings import RatingsError
from corpus import cases

SLOPE = math.log(3) / 200


def tally(*rows: tuple[str, str, int, int, int]) -> pd.DataFrame:
    rows_of_scores = [
        (a, b, score, n)
        for a, b, *counts in rows
        for score, n in zip((1.0, 0.0, 0.5), counts, strict=True)
        if n
    ]
    table = pd.DataFrame(rows_of_scores, columns=["first", "second", "first_score", "count"])
    return table.assign(row=range(1, len(table) + 1))


FOUR = tally(
    ("a", "b", 30, 20, 4),
    ("b", "a", 28, 25, 3),
    ("b", "c", 33, 12, 1),
    ("c", "d", 25, 22, 6),
    ("d", "a", 9, 40, 2),
    ("a", "d", 44, 11, 0),
    ("c", "b", 20, 19, 5),
)


def negative_log_likelihood(games: pd.DataFrame, names: list[str]):  # type: ignore[no-untyped-def]
    first = np.array([names.index(name) for name in games["first"]])
    second = np.array([names.index(name) for name in games["second"]])
    score, count = games["first_score"].to_numpy(), games["count"].to_numpy()

    def value(scores: np.ndarray, bias: float, slope: float) -> float:
        eta = slope * (bias + scores[first] - scores[second])
        return float((count * (np.logaddexp(0, eta) - score * eta)).sum())

    return value


def test_the_cross_entropy_of_two_players_by_hand() -> None:
    """Ann wins 3 of 4, so her chance is 3/4: the mean of -ln P over the games."""
    statistics = logistic.fit(tally(("ann", "bob", 3, 1, 0)), bias=False).statistics
    assert statistics["cross_entropy"] == pytest.approx(-(3 * math.log(0.75) + math.log(0.25)) / 4)


def test_the_deviance_of_two_seats_by_hand() -> None:
    """Ann wins 5 of 8: 2.5 of 4 are expected in each seat, and she won 3 and 2."""
    statistics = logistic.fit(
        tally(("ann", "bob", 3, 1, 0), ("bob", "ann", 2, 2, 0)), bias=False
    ).statistics
    pairs = [(3, 2.5), (1, 1.5), (2, 1.5), (2, 2.5)]
    by_hand = 2 * sum(won * math.log(won / expected) for won, expected in pairs)
    assert statistics["deviance"] == pytest.approx(by_hand)


def test_counts_of_very_different_size_are_fitted() -> None:
    """Each player's upsets are as many as expected."""
    games = tally(("a", "b", 10**5, 1, 0), ("b", "c", 10**5, 0, 0), ("c", "a", 1, 0, 0))
    scores = logistic.fit(games, bias=False).scores
    wins = {("a", "b"): 1e5, ("b", "a"): 1, ("b", "c"): 1e5, ("c", "a"): 1}
    surprise = {
        (winner, loser): won * expit(SLOPE * (scores[loser] - scores[winner]))
        for (winner, loser), won in wins.items()
    }
    for name in "abc":
        gained, lost = (
            sum(value for pair, value in surprise.items() if pair[seat] == name) for seat in (0, 1)
        )
        assert gained == pytest.approx(lost, rel=1e-6)


def test_several_anchors_fit_the_scale_and_errors_follow_by_the_delta_method() -> None:
    anchors = {"a": 2000.0, "d": 1000.0}
    fit = logistic.fit(FOUR, anchors)
    loss = negative_log_likelihood(FOUR, ["a", "b", "c", "d"])

    def scaled_loss(x: np.ndarray) -> float:
        return loss(np.array([2000.0, x[0] * 1000, x[1] * 1000, 1000.0]), x[2] * 100, x[3] / 1000)

    exact = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 9999}
    best = minimize(scaled_loss, [1.5, 1.5, 0.1, 1.0], method="Nelder-Mead", options=exact)
    estimates = [fit.scores["b"], fit.scores["c"], fit.statistics["bias"]]
    assert estimates == pytest.approx(list(best.x[:3] * [1000, 1000, 100]), abs=0.05)
    assert fit.slope == pytest.approx(best.x[3] / 1000, rel=1e-4)
    # In these coordinates the curvature gives the errors straight; the fit's own are another's by
    # the delta method.
    error = np.sqrt(np.diag(np.linalg.inv(approx_hess(best.x, scaled_loss)))) * [
        1000,
        1000,
        100,
        1 / 1000,
    ]
    std_error = fit.players.set_index("player")["std_error"]
    estimates = [std_error["b"], std_error["c"], fit.statistics["bias_std_error"]]
    assert estimates == pytest.approx(list(error[:3]), rel=1e-3)
    assert fit.statistics["scale_std_error"] == pytest.approx(
        math.log(3) / fit.slope**2 * error[3], rel=1e-3
    )
    assert std_error["a"] == std_error["d"] == 0


def test_errors_of_distances_do_not_depend_on_the_anchor() -> None:
    """An error against an anchor is a distance's; the covariance without anchors agrees."""
    free, anchored = logistic.fit(FOUR), logistic.fit(FOUR, {"d": 0.0})
    cov = free.covariance
    distance = math.sqrt(cov.loc["a", "a"] + cov.loc["d", "d"] - 2 * cov.loc["a", "d"])
    assert anchored.players.set_index("player").loc["a", "std_error"] == pytest.approx(distance)


@pytest.mark.slow
def test_intervals_cover_known_scores() -> None:
    """Nine of ten intervals hold the true distance: 120 tables of four players, with draws."""
    random = np.random.default_rng(20)
    true, bias = np.array([1700.0, 1550, 1450, 1300]), 40.0
    names = list("abcd")
    covered, trials = 0, 120
    for _ in range(trials):
        rows = []
        for i, j in permutations(range(4), 2):
            won = int(random.binomial(40, expit(SLOPE * (bias + true[i] - true[j]))))
            rows.append((names[i], names[j], won, 40 - won, 0))
        players = logistic.fit(tally(*rows)).players.set_index("player").loc[names]
        covered += int(((players["ci_low"] <= true) & (true <= players["ci_high"])).sum())
    # 480 intervals; the four of a table go together, so count them as 120 independent ones.
    assert covered / (4 * trials) == pytest.approx(0.9, abs=3 * math.sqrt(0.9 * 0.1 / trials))


def test_a_bias_that_scores_explain_too_is_left_out_or_refused() -> None:
    star = tally(("x", "e", 10, 30, 0), ("y", "e", 15, 25, 0))
    listed = tally(
        ("a", "b", 9, 1, 0), ("b", "c", 8, 2, 0), ("a", "c", 9, 3, 0), ("c", "b", 1, 0, 0)
    )
    statistics = logistic.fit(listed).statistics
    assert not statistics["bias_fitted"], (
        "the pair that met in both orders has one outcome in one of them"
    )
    few = pd.concat([listed, tally(("b", "c", 0, 1, 0), ("c", "b", 0, 1, 0))], ignore_index=True)
    assert "too few are of pairs" in logistic.fit(few).statistics["bias_note"], (
        "22 of 35 games are of pairs in one order"
    )
    assert logistic.fit(few, bias=True).statistics["bias_fitted"]
    fit = logistic.fit(star)
    assert not fit.statistics["bias_fitted"]
    assert "no two players met in both orders" in fit.statistics["bias_note"]
    assert fit.scores["x"] - fit.scores["e"] == pytest.approx(200 * math.log(10 / 30, 3))
    with pytest.raises(RatingsError, match=r"bias=on: .*Use bias=off"):
        logistic.fit(star, bias=True)


def test_a_player_who_wins_or_loses_everything_is_flagged_and_hardly_moves_others() -> None:
    added = pd.concat(
        [FOUR, tally(("z", "a", 9, 0, 0), ("b", "z", 0, 7, 0), ("c", "w", 12, 0, 0))],
        ignore_index=True,
    )
    plain, fit = logistic.fit(FOUR), logistic.fit(added)
    players = fit.players.set_index("player")
    assert players["separated"].to_dict() == {name: name in "wz" for name in players.index}
    assert fit.statistics["separated"] == ["w", "z"]
    assert "penalised" in fit.statistics["method"]
    assert players.loc["z", "status"].startswith("separated")
    assert (players["score"].idxmax(), players["score"].idxmin()) == ("z", "w")
    assert np.isfinite(players[["score", "std_error"]].to_numpy()).all()
    before, after = ([one.scores[name] for name in "abcd"] for one in (plain, fit))
    assert np.diff(after) == pytest.approx(np.diff(before), abs=6)


def test_the_penalty_of_a_separated_player_by_hand() -> None:
    """Nine wins and two half games of either kind against one player: the odds of 9.5 to 0.5."""
    games = tally(
        ("a", "b", 20, 20, 0), ("b", "a", 20, 20, 0), ("z", "a", 5, 0, 0), ("a", "z", 0, 4, 0)
    )
    fit = logistic.fit(games, bias=False)
    # a and b are held at their distance by 80 games; the virtual opponent stands midway between
    # them.
    loss = negative_log_likelihood(games, ["a", "b", "z"])

    def penalised(x: np.ndarray) -> float:
        above = SLOPE * (x[1] - x[0] / 2)
        return loss(np.array([x[0], 0.0, x[1]]), 0.0, SLOPE) + np.logaddexp(0, above) - 0.5 * above

    best = minimize(penalised, [0.0, 100.0], method="BFGS", tol=1e-12)
    assert [fit.scores[name] - fit.scores["b"] for name in "az"] == pytest.approx(
        list(best.x), abs=0.05
    )


def test_no_bias_is_fitted_where_a_first_mover_always_wins() -> None:
    games = tally(("a", "b", 10, 0, 0), ("b", "a", 10, 0, 0))
    fit = logistic.fit(games)
    assert "nothing bounds the bias" in fit.statistics["bias_note"]
    assert fit.statistics["bias"] == pytest.approx(0, abs=1e-9)
    assert fit.scores["a"] == pytest.approx(fit.scores["b"])
    with pytest.raises(RatingsError, match=r"nothing bounds the bias\. Use bias=off"):
        logistic.fit(games, bias=True)


def test_players_that_nothing_links_are_flagged_and_the_rest_is_rated() -> None:
    games = pd.concat([FOUR, tally(("x", "y", 5, 3, 0), ("y", "x", 2, 2, 0))], ignore_index=True)
    fit = logistic.fit(games)
    players = fit.players.set_index("player")
    assert fit.statistics["not_linked"] == ["x", "y"]
    assert players.loc[["x", "y"], "score"].isna().all()
    assert set(players.loc[["x", "y"], "component"]) == {1}
    assert set(fit.scores) == set("abcd")
    assert fit.scores == pytest.approx(logistic.fit(FOUR).scores)
    # An anchor says which group is rated.
    anchored = logistic.fit(games, {"x": 0.0})
    assert set(anchored.scores) == {"x", "y"}
    assert anchored.players.set_index("player").loc["a", "component"] == 1
    # Anchors in both groups link them.
    assert set(logistic.fit(games, {"x": 0.0, "a": 500.0, "d": 100.0}).scores) == set("abcdxy")


@pytest.mark.parametrize(("anchors", "message"), cases("sentences.anchors"))
def test_contradictory_anchors_are_refused(anchors: dict[str, float], message: str) -> None:
    with pytest.raises(RatingsError, match=message):
        logistic.fit(FOUR, anchors)


def test_components_and_separation_of_small_graphs() -> None:
    games = tally(
        ("a", "b", 1, 0, 0), ("b", "c", 1, 0, 0), ("c", "b", 1, 0, 0), ("x", "y", 0, 0, 1)
    )
    assert components(games, list("abcxy")).tolist() == [0, 0, 0, 1, 1]
    assert separated(games[games["first"] != "x"], list("abc")).tolist() == [True, False, False]
    assert separated(tally(("x", "y", 0, 0, 1)), ["x", "y"]).tolist() == [False, False]
