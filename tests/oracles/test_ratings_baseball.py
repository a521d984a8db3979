"""Baseball (Agresti 2002, table 10.11): log-odds, standard errors, home advantage, deviances."""

import math
from pathlib import Path

import pandas as pd
import pytest

from bgleague import logistic
from bgleague.readers import read_games

TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]


@pytest.fixture(scope="module")
def games(shared: Path) -> pd.DataFrame:
    return read_games([shared / "ratings" / "baseball" / "baseball1987.tsv"]).games


def log_odds(fit: logistic.LogisticFit) -> list[float]:
    return [fit.scores[team] * fit.slope for team in TEAMS]


def test_without_home_advantage(games: pd.DataFrame) -> None:
    fit = logistic.fit(games, {"Baltimore": 0.0}, bias=False)
    published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]
    assert log_odds(fit) == pytest.approx(published, abs=5e-5)
    errors = fit.players.set_index("player").loc[TEAMS[:-1], "std_error"] * fit.slope
    assert errors.tolist() == pytest.approx([0.3] * 6, abs=0.05)
    assert fit.statistics["deviance"] == pytest.approx(44.0535, abs=5e-5)
    assert len(games.drop_duplicates(["first", "second"])) - fit.statistics["parameters"] == 36


def test_with_home_advantage(games: pd.DataFrame) -> None:
    fit = logistic.fit(games, {"Baltimore": 0.0}, bias=True)
    assert fit.statistics["bias"] * fit.slope == pytest.approx(0.3023, abs=5e-5)
    strength = [math.exp(value) for value in log_odds(fit)]
    shares = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert [value / sum(strength) for value in strength] == pytest.approx(shares, abs=0.0005)
    assert fit.statistics["deviance"] == pytest.approx(38.6429, abs=5e-5)
    assert len(games.drop_duplicates(["first", "second"])) - fit.statistics["parameters"] == 35
