"""Whole-history ratings: the posterior's mode by another optimiser, intervals that cover, and pairs drawn together."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import expit, logit

from bgleague.history import history, latest, rated, usual_length
from bgleague.pairs import head_to_head
from bgleague.settings import GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.fibs import win_probability


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


def test_there_is_one_whole_history_rating_and_its_scale_is_that_of_the_lengths() -> None:
    """A difference D of Elo has odds of 10^(D/400); on FIBS, in matches to N points, 10^(D sqrt(N)/2000)."""
    nine = FEW.assign(length=9.0)
    plain, fibs = (
        rated(RatingsSettings(), GamesToRate(games, games.head(0), games.head(0), seats=False)) for games in (FEW, nine)
    )
    elo, scaled = (one.ratings.set_index("player") for one in (plain, fibs))
    last = fibs.files["history.csv"].drop_duplicates("player", keep="last").set_index("player")
    assert last["rating"].to_dict() == pytest.approx(scaled["rating"].to_dict())
    apart = elo.loc["a", "rating"] - elo.loc["c", "rating"]
    chance = 1 / (1 + 10 ** (-apart / 400))
    assert float(win_probability(scaled.loc["c", "rating"] - scaled.loc["a", "rating"], 9)) == pytest.approx(chance)
    for one, games in ((plain, FEW), (fibs, nine)):
        pairs = head_to_head(games, one, ["a", "b", "c"]).set_index(["player_p", "player_q"])
        assert pairs.loc[("a", "c"), "chance"] == pytest.approx(chance)
        low, high = pairs.loc[("a", "c"), ["chance_ci_low", "chance_ci_high"]]
        half = one.ratings.set_index("player").eval("ci_high - ci_low") / 2
        assert low < chance < high
        assert (logit(high) - logit(low)) / 2 == pytest.approx(one.slope * np.hypot(half["a"], half["c"]))
    assert usual_length(FEW.assign(length=[1.0, 9.0, 1.0, 9.0, np.nan])) == pytest.approx(4.0)  # roots 1 and 3


def test_one_game_of_two_players_by_hand() -> None:
    """Ann beats Bob: at strengths s and -s a game won, and two drawn against 0: 1 - P(2s) + 1 - 2 P(s) = 0."""
    strength = brentq(lambda s: 2 - expit(2 * s) - 2 * expit(s), 0, 5)
    curvature = expit(2 * strength) * expit(-2 * strength) + 2 * expit(strength) * expit(-strength)
    ratings = history(dated(("ann", "bob", 1.0, "2026-01-01"))).set_index("player")
    unit = 400 / np.log(10)
    assert ratings.loc["ann", "rating"] == pytest.approx(1500 + unit * strength)
    assert ratings.loc["bob", "rating"] == pytest.approx(1500 - unit * strength)
    assert ratings["std_error"].to_numpy() == pytest.approx(unit / np.sqrt(curvature))


@pytest.mark.slow
def test_ratings_are_the_mode_of_coulombs_posterior() -> None:
    """Coulom (2008): Bradley and Terry's likelihood, Wiener's process between days, virtual draws on the first day."""
    drift, unit = 300.0, np.log(10) / 400
    ratings = history(FEW, drift)
    place = {key: number for number, key in enumerate(zip(ratings["player"], ratings["date"], strict=True))}

    def loss(x: np.ndarray) -> float:
        total = 0.0
        for row in FEW.to_dict("records"):
            apart = x[place[row["first"], row["date"]]] - x[place[row["second"], row["date"]]]
            total += np.logaddexp(0, -unit * apart if row["first_score"] == 1 else unit * apart)
        for name, own in ratings.groupby("player"):
            first = x[place[name, own["date"].iloc[0]]]
            total += 2 * 0.5 * (np.logaddexp(0, unit * first) + np.logaddexp(0, -unit * first))
            days = pd.to_datetime(own["date"])
            for one, other, gap in zip(own["date"], own["date"][1:], days.diff().dt.days[1:], strict=False):
                total += (x[place[name, other]] - x[place[name, one]]) ** 2 / (2 * drift**2 / 365.25 * gap)
        return float(total)

    best = minimize(loss, np.zeros(len(ratings)), method="BFGS", options={"gtol": 1e-9})
    apart = best.x - np.array([best.x[place[n, d]] for n, d in latest(ratings)[["player", "date"]].to_numpy()]).mean()
    assert ratings["rating"].to_numpy() - 1500 == pytest.approx(apart, abs=0.5)


def test_intervals_cover_strengths_that_do_not_move() -> None:
    random = np.random.default_rng(3)
    true = random.normal(0, 150, 30)
    names = [f"p{number:02d}" for number in range(30)]
    first = random.integers(30, size=1500)
    second = (first + random.integers(1, 30, size=1500)) % 30
    won = random.random(1500) < 1 / (1 + 10 ** (-(true[first] - true[second]) / 400))
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(random.integers(0, 700, 1500)), unit="D")
    games = pd.DataFrame({"first": np.array(names)[first], "second": np.array(names)[second]})
    games = games.assign(first_score=won.astype(float), count=1, row=1, date=dates.strftime("%Y-%m-%d"))
    ratings = latest(history(games, 10.0)).set_index("player").loc[names]
    level = true - true.mean() + 1500
    inside = (ratings["ci_low"].to_numpy() <= level) & (level <= ratings["ci_high"].to_numpy())
    assert inside.mean() >= 0.75
    assert np.corrcoef(ratings["rating"], true)[0, 1] > 0.9


def test_independent_errors_take_no_matrix_of_all_players() -> None:
    names = [f"p{number}" for number in range(5_000)]
    ratings = pd.DataFrame({"player": names, "rating": 1500.0, "ci_low": 1450.0, "ci_high": 1550.0})
    games = pd.DataFrame({"first": names[:-1], "second": names[1:], "first_score": 1.0, "count": 1, "row": 1})
    tracemalloc.start()
    try:
        met = head_to_head(games, MethodRatings({}, ratings, {}, slope=0.003), names)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(met) == len(games)
    assert most < 8 * len(names) ** 2 / 4, "a quarter of such a matrix"


def test_scores_that_are_no_result_and_games_without_a_date() -> None:
    with pytest.raises(RatingsError, match="wins, draws and losses only"):
        history(FEW.assign(first_score=0.25))
    some = history(pd.concat([FEW, dated(("a", "z", 1.0, ""))], ignore_index=True))
    assert set(some["player"]) == {"a", "b", "c"}
