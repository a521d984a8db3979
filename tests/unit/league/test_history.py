"""Whole-history ratings: the posterior's mode by another optimiser, intervals that cover, and pairs drawn together."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from bgrating.league.history import DRIFT, history, latest, with_month_ago
from bgrating.league.settings import RatingsError


def dated(rows: list[tuple[str, str, float, str]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["first", "second", "first_score", "date"])
    return table.assign(count=1, row=range(1, len(table) + 1))


FEW = dated(
    [
        ("a", "b", 1.0, "2025-01-01"),
        ("a", "b", 1.0, "2025-01-01"),
        ("b", "a", 1.0, "2025-06-01"),
        ("b", "c", 1.0, "2025-06-01"),
        ("a", "c", 0.0, "2025-12-01"),
    ]
)


def test_the_rating_of_a_month_ago_is_that_of_the_games_until_then() -> None:
    """Two days of the curve of all games differ by a few points only: later results move its earlier days too."""
    ratings = with_month_ago(latest(history(FEW)), FEW).set_index("player")
    before = latest(history(FEW.head(4))).set_index("player")["rating"]
    assert ratings["month_ago"].to_dict() == pytest.approx(before.to_dict())
    assert ratings.loc["c", "rating"] - ratings.loc["c", "month_ago"] > 30
    assert with_month_ago(latest(history(FEW.head(2))), FEW.head(2))["month_ago"].isna().all()


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


def test_scores_that_are_no_result_and_games_without_a_date() -> None:
    with pytest.raises(RatingsError, match="wins, draws and losses only"):
        history(FEW.assign(first_score=0.25))
    some = history(pd.concat([FEW, dated([("a", "z", 1.0, "")])], ignore_index=True))
    assert set(some["player"]) == {"a", "b", "c"}


@pytest.mark.slow
def test_chance_makes_changes_of_a_month_as_large_as_the_model_says() -> None:
    """Strengths that drift as the model has it: the changes in their own standard deviations have a spread of one."""
    apart: list[float] = []
    for seed in range(3):
        random, count, players = np.random.default_rng(seed), 500, 20
        names = np.array([f"p{number:02d}" for number in range(players)])
        steps = random.normal(0, DRIFT / np.sqrt(365.25), (366, players))
        strength = random.normal(0, 120, players) + np.cumsum(steps, axis=0)
        days, first = np.sort(random.integers(0, 365, count)), random.integers(players, size=count)
        second = (first + random.integers(1, players, size=count)) % players
        won = random.random(count) < 1 / (1 + 10 ** (-(strength[days, first] - strength[days, second]) / 400))
        dates = (pd.Timestamp("2025-01-01") + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d")
        games = pd.DataFrame({"first": names[first], "second": names[second], "first_score": won.astype(float)})
        games = games.assign(count=1, row=1, date=dates)
        rated = with_month_ago(latest(history(games)), games)
        rated = rated[rated["month_sd"] > 0]
        apart += ((rated["rating"] - rated["month_ago"]) / rated["month_sd"]).tolist()
    assert len(apart) > 50
    assert 0.75 < np.std(apart) < 1.25
