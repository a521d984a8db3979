"""Whole-history ratings: the posterior by other means, coverage, edges, joint draws."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import dblquad
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit
from scipy.stats import norm

from bgleague import history
from bgleague.history import (
    DRIFT,
    averaged,
    latest,
    likely_spreads,
    posterior,
    problem,
    regression,
    usual_length,
)
from bgleague.pairs import first_chances, head_to_head
from bgleague.settings import ELO_SLOPE, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs_formula import win_probability


def dated(*rows: tuple[str, str, float, str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["first", "second", "first_score", "date"])
    return table.assign(count=1, row=range(1, len(table) + 1))


FEW = dated(
    ("a", "b", 1.0, "2025-01-01"),
    ("a", "b", 1.0, "2025-01-01"),
    ("b", "a", 1.0, "2025-06-01"),
    ("b", "c", 1.0, "2025-06-01"),
    ("a", "c", 0.0, "2025-12-01"),
)


def to_rate(games: pd.DataFrame, *, seats: bool = False) -> GamesToRate:
    return GamesToRate(games, games.head(0), games.head(0), seats=seats)


def rate(games: pd.DataFrame) -> MethodRatings:
    return history.rate(RatingsSettings(), to_rate(games))


def test_one_game_of_two_players_by_hand() -> None:
    """Ann beats Bob: strengths s and -s of a normal prior of spread 1: 1 - P(2 s) = s; curvature w
    = P(2 s) P(-2 s).

    Against the mean, the variance of s is that of half the difference: 1 / (1 + 2 w) / 2.
    """
    strength = brentq(lambda s: expit(-2 * s) - s, 0, 5)
    curvature = expit(2 * strength) * expit(-2 * strength)
    results = regression(dated(("ann", "bob", 1.0, "2026-01-01")))
    found, variance, covariance = posterior(results, 1.0)
    assert found == pytest.approx([strength, -strength], abs=1e-9)
    assert variance == pytest.approx([0.5 / (1 + 2 * curvature)] * 2)
    assert covariance == pytest.approx(np.array([[1, -1], [-1, 1]]) * variance[0])


def test_ratings_are_the_mode_of_the_posterior_by_another_optimiser() -> None:
    """Bradley and Terry, a normal first day, Wiener's process between days (Coulom 2008)."""
    spread, nine = 0.8, FEW.assign(length=[9.0, 1.0, 9.0, 4.0, np.nan])
    results = regression(nine)
    strength, _, _ = posterior(results, spread)
    nodes = results.nodes.itertuples(index=False, name=None)
    index = {node: number for number, node in enumerate(nodes)}
    weights = np.sqrt(nine["length"].fillna(usual_length(nine)) / usual_length(nine))

    def loss(x: np.ndarray) -> float:
        total = 0.0
        for row, weight in zip(FEW.to_dict("records"), weights, strict=True):
            first, second = (index[row[seat], row["date"]] for seat in ("first", "second"))
            log_odds = weight * (x[first] - x[second])
            total += np.logaddexp(0, -log_odds if row["first_score"] == 1 else log_odds)
        for name, days in results.nodes.groupby("player"):
            places = [index[name, day] for day in days["date"]]
            gaps = pd.to_datetime(days["date"]).diff().dt.days[1:]
            drift = 2 * (DRIFT * spread) ** 2 / 365.25 * gaps
            total += x[places[0]] ** 2 / (2 * spread**2) + (np.diff(x[places]) ** 2 / drift).sum()
        return float(total)

    best = minimize(loss, np.zeros(len(strength)), method="BFGS", options={"gtol": 1e-9}).x
    last = [index[node] for node in results.nodes.groupby("player")["date"].last().items()]
    assert strength == pytest.approx(best - best[last].mean(), abs=1e-5)


@pytest.mark.slow
def test_the_spread_maximises_the_likelihood_integrated_over_strengths() -> None:
    """Two players, 9 wins to 3: quadrature of the likelihood; the prior is the product's."""
    games = dated(("ann", "bob", 1.0, "2026-01-01"), ("ann", "bob", 0.0, "2026-01-01"))
    games["count"] = [9, 3]

    def minus_log(spread: float) -> float:
        def density(a: float, b: float) -> float:
            chance = expit(a - b)
            prior = norm.pdf(a, scale=spread) * norm.pdf(b, scale=spread)
            return float(chance**9 * (1 - chance) ** 3 * prior)

        most = 6 * spread
        whole, _ = dblquad(density, -most, most, -most, most, epsabs=1e-9)
        usual = np.log(10) * np.sqrt(7) / 2000 * 90
        return -float(np.log(whole)) + 0.5 * (np.log(spread / usual) / 0.5) ** 2

    spreads = np.exp(np.linspace(-2, 0.5, 26))
    best = spreads[np.argmin([minus_log(spread) for spread in spreads])]
    spreads_found, weights = likely_spreads(regression(games), 0.0)
    assert spreads_found[2] == pytest.approx(best, rel=0.15)
    exact = np.array([np.exp(-minus_log(spread)) for spread in spreads_found])
    assert weights == pytest.approx(exact / exact.sum(), abs=0.02)


def test_there_is_one_whole_history_rating_and_its_scale_is_that_of_the_lengths() -> None:
    """D of Elo has odds of 10^(D/400); of FIBS, in matches to N points, 10^(D sqrt(N)/2000)."""
    nine = FEW.assign(length=9.0)
    plain, fibs = rate(FEW), rate(nine)
    scaled = fibs.ratings.set_index("player")
    last = fibs.files["history.csv"].drop_duplicates("player", keep="last").set_index("player")
    assert last["rating"].to_dict() == pytest.approx(scaled["rating"].to_dict())
    assert scaled["rating"].mean() == pytest.approx(1500)
    assert (plain.slope, plain.metadata["match_length"]) == (pytest.approx(ELO_SLOPE), None)
    apart = scaled.loc["c", "rating"] - scaled.loc["a", "rating"]
    assert float(expit(-fibs.slope * apart)) == pytest.approx(float(win_probability(apart, 9)))
    pairs = head_to_head(nine, fibs, ["a", "b", "c"]).set_index(["player_p", "player_q"])
    pairs = pairs.loc[("a", "c")]
    covariance = fibs.covariance
    sd = np.sqrt(covariance.loc["a", "a"] + covariance.loc["c", "c"] - 2 * covariance.loc["a", "c"])
    assert pairs["p_better"] == pytest.approx(norm.cdf(-apart / sd))
    ends = logit([pairs["chance_ci_low"], pairs["chance_ci_high"]])
    assert ends.mean() == pytest.approx(-fibs.slope * apart)
    assert np.diff(ends) / 2 == pytest.approx(norm.ppf(0.95) * fibs.slope * sd)
    normal = np.random.default_rng(1).normal(-fibs.slope * apart, fibs.slope * sd, 400_000)
    assert pairs["chance"] == pytest.approx(expit(normal).mean(), abs=2e-3)
    roots_1_and_3 = FEW.assign(length=[1.0, 9.0, 1.0, 9.0, np.nan])
    assert usual_length(roots_1_and_3) == pytest.approx(4.0)


def test_the_chance_of_being_first_is_that_of_draws_together() -> None:
    """Two players: the stronger is first. Three of a list: the chances have the sum 1."""
    two = rate(FEW[FEW["second"] != "c"].query("first != 'c'").assign(length=7.0))
    chances = first_chances(two, ["a", "b"], seed=1)
    pair = head_to_head(FEW, two, ["a", "b"]).iloc[0]
    assert chances["a"] == pytest.approx(pair["p_better"], abs=0.02)
    three = first_chances(rate(FEW), ["a", "b", "c"], seed=1)
    assert three.sum() == pytest.approx(1)
    assert first_chances(rate(FEW), ["a", "b", "c"], seed=1).equals(three)


def edge(*results: tuple[str, str, float], length: float = 7.0) -> pd.DataFrame:
    games = pd.DataFrame(results, columns=["first", "second", "first_score"])
    return games.assign(count=1, row=range(1, len(games) + 1), length=length)


UNBEATEN = [("ann", name, 1.0) for name in ("bob", "cid", "dot")] * 4
UNBEATEN += [("bob", "cid", 1.0), ("cid", "dot", 1.0)]


@pytest.mark.parametrize("length", [1.0, 7.0, np.nan])
@pytest.mark.parametrize(
    "results",
    [[("ann", "bob", 1.0)], [("ann", "bob", 0.5)] * 6, UNBEATEN, [("ann", "bob", 1.0)] * 40],
    ids=["one result", "ties only", "an unbeaten player", "forty to nothing"],
)
def test_edges_give_finite_and_wide_intervals(
    results: list[tuple[str, str, float]], length: float
) -> None:
    """The usual spread is 90 FIBS points, or 48 Elo points without lengths (7 points)."""
    ratings = rate(edge(*results, length=length))
    table = ratings.ratings.set_index("player")
    usual = 48 if np.isnan(length) else 90
    half = ((table["ci_high"] - table["ci_low"]) / 2).to_numpy()
    assert np.isfinite(table.to_numpy()[:, 1:].astype(float)).all()
    assert (half > 0.4 * usual).all()
    assert ratings.metadata["spread"] > 0.4 * usual
    if results[0][2] == 0.5:
        assert table["rating"].to_numpy() == pytest.approx([1500, 1500])
    else:
        assert table["rating"].idxmax() == "ann"
        assert first_chances(ratings, list(table.index), 1)["ann"] > 0.5


def test_many_days_are_rated_with_the_other_players_taken_as_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = regression(FEW)
    exact, variance, covariance = averaged(results, np.array([0.4, 0.6]), np.array([0.5, 0.5]))
    assert covariance is not None
    monkeypatch.setattr(history, "MOST_EXACT", 4)
    strength, narrower, nothing = averaged(results, np.array([0.4, 0.6]), np.array([0.5, 0.5]))
    assert nothing is None
    assert strength == pytest.approx(exact, abs=1e-8)
    assert narrower.shape == variance.shape


def test_too_many_days_are_rated_by_month_or_by_year(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three players have seven days of play in as many months, and one year each."""
    monkeypatch.setattr(history, "MOST_EXACT", 4)
    table = rate(FEW).files["history.csv"]
    assert table[["player", "date"]].to_numpy().tolist() == [[name, "2025-12-01"] for name in "abc"]
    assert rate(FEW).covariance is not None


def test_intervals_cover_the_truth_of_clubs() -> None:
    """Twelve clubs of 24 players, spread 95 points, 12 matches to 7 points: 90 % expected."""
    random = np.random.default_rng(7)
    inside = []
    for _ in range(12):
        true = random.normal(0, 95, 24)
        names = np.array([f"p{number:02d}" for number in range(24)])
        orders = np.array([random.permutation(24) for _ in range(12)])
        first, second = orders[:, ::2].ravel(), orders[:, 1::2].ravel()
        won = random.random(len(first)) < win_probability(true[second] - true[first], 7)
        games = edge(*zip(names[first], names[second], won.astype(float), strict=True))
        table = rate(games).ratings.set_index("player").loc[names]
        level = true - true.mean() + 1500
        inside.append(((table["ci_low"] <= level) & (level <= table["ci_high"])).mean())
    assert np.mean(inside) >= 0.85


def test_scores_that_are_no_result_and_games_without_a_date() -> None:
    quarters = to_rate(FEW.assign(first_score=0.25))
    assert "wins, draws and losses only" in problem(RatingsSettings(), quarters)
    undated = FEW.drop(columns="date")
    assert "dates" in problem(RatingsSettings(), to_rate(undated, seats=True))
    assert rate(undated).files["history.csv"]["date"].tolist() == [""] * 3
    many = pd.concat([FEW] * 3 + [dated(("a", "z", 1.0, ""))], ignore_index=True)
    assert set(latest(rate(many).files["history.csv"])["player"]) == {"a", "b", "c"}
    few = rate(pd.concat([FEW, dated(("a", "z", 1.0, ""))], ignore_index=True))
    assert few.notes == ["17% of the games have no date: whole-history ratings use no date"]
    assert set(few.files["history.csv"]["player"]) == {"a", "b", "c", "z"}


def test_independent_errors_take_no_matrix_of_all_players() -> None:
    names = [f"p{number}" for number in range(5_000)]
    ratings = pd.DataFrame({"player": names, "rating": 1500.0, "ci_low": 1450.0, "ci_high": 1550.0})
    games = pd.DataFrame({"first": names[:-1], "second": names[1:], "first_score": 1.0})
    games = games.assign(count=1, row=1)
    tracemalloc.start()
    try:
        pairs = head_to_head(games, MethodRatings({}, ratings, {}, slope=0.003), names)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(pairs) == len(games)
    assert most < 8 * len(names) ** 2 / 4, "a quarter of such a matrix"
