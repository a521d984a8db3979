"""Connect four (R. Bernard, 2023): 24,570 games of 1,011 players, and the published fit."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgleague import logistic
from bgleague.games import fused
from bgleague.pair_counts import target, totals
from bgleague.readers import read_games

STEPS = [0, 1000, 2000, 5000, *range(10_000, 200_001, 10_000)]


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "ratings" / "connect4"


@pytest.fixture(scope="module")
def games(data: Path) -> pd.DataFrame:
    return fused(read_games([data / "games.log"]).games, STEPS)[0]


@pytest.fixture(scope="module")
def fit(games: pd.DataFrame) -> logistic.LogisticFit:
    return logistic.fit(games, {"random": 0.0})


def matrix(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", index_col="player")


def test_fused_players_and_games(data: Path, games: pd.DataFrame) -> None:
    _, dropped = fused(read_games([data / "games.log"]).games, STEPS)
    assert dropped == 517
    assert games["count"].sum() == 24_053
    published = json.loads((data / "published_scores.json").read_text())
    assert set(games["first"]) | set(games["second"]) == set(published)
    assert len(published) == 126


def test_totals(data: Path, games: pd.DataFrame, fit: logistic.LogisticFit) -> None:
    published = pd.read_csv(data / "published_totals.tsv", sep="\t").set_index("player")
    found = totals(games).set_index("player").loc[published.index]
    assert found["wins"].tolist() == published["wins"].tolist()
    assert found["games"].tolist() == published["games"].tolist()
    ours = pd.Series(fit.scores)[published.index]
    assert (ours - published["score_rounded"]).abs().max() <= 0.51


def test_scores_bias_and_scale(data: Path, fit: logistic.LogisticFit) -> None:
    published = json.loads((data / "published_scores.json").read_text())
    assert fit.scores == pytest.approx(published, abs=0.0003)
    assert fit.statistics["bias"] == pytest.approx(214.2287, abs=0.0001)
    assert fit.statistics["scale"] == pytest.approx(200.000, abs=1e-9)
    assert fit.statistics["separated"] == []
    assert list(fit.scores.values()) == sorted(fit.scores.values(), reverse=True)


def test_cross_entropy(games: pd.DataFrame, fit: logistic.LogisticFit) -> None:
    """Stated is the binomial family's, whose coefficient of a draw is 4 / pi; else 0.4033."""
    assert fit.statistics["cross_entropy"] == pytest.approx(0.389572879, abs=1e-9)
    draws = int(games.loc[games["first_score"] == 0.5, "count"].sum())
    plain = 0.389572879 + draws / 24_053 * np.log(4 / np.pi)
    assert fit.statistics["binary_cross_entropy"] == pytest.approx(plain, abs=1e-9)


def test_predictions(data: Path, fit: logistic.LogisticFit) -> None:
    published = matrix(data / "published_pred.tsv")
    found = logistic.predictions(fit, list(published.index))
    assert np.abs(found.to_numpy() - published.to_numpy()).max() < 5e-6 + 1e-9
    assert list(published.columns) == list(published.index)


def test_targets(data: Path, games: pd.DataFrame) -> None:
    published = matrix(data / "published_target.tsv")
    found = target(games, sorted(set(games["first"]) | set(games["second"])))
    found = found.loc[published.index, published.columns]
    assert found.round(5).map("{:.5f}".format).equals(published.map("{:.5f}".format))
    assert found.isna().to_numpy().sum() > 8
