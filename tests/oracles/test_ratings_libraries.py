"""The same ratings by other libraries: choix, evalica (Bradley and Terry), elote (Elo), whr."""

import math

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
import whr
from elote import EloCompetitor

from bgleague import elo, logistic
from bgleague.history import DRIFT, posterior, regression
from bgleague.settings import ELO_SLOPE

NAMES = [f"p{i}" for i in range(8)]


def made_games(draws: float, number: int = 1500) -> pd.DataFrame:
    random = np.random.default_rng(11)
    first = random.integers(8, size=number)
    second = (first + random.integers(1, 8, size=number)) % 8
    chance = 1 / (1 + 10 ** ((second - first) * 60 / 400))
    score = np.where(random.random(number) < draws, 0.5, (random.random(number) < chance) * 1.0)
    names = np.array(NAMES)
    about = {"first": names[first], "second": names[second], "first_score": score, "count": 1}
    return pd.DataFrame(about | {"row": range(1, number + 1)})


def centred(fit: logistic.LogisticFit) -> np.ndarray:
    value = np.array([fit.scores[name] for name in NAMES]) * fit.slope
    return np.asarray(value - value.mean())


def test_choix_finds_the_same_scores() -> None:
    games = made_games(draws=0.0)
    data = []
    for a, b, score in games[["first", "second", "first_score"]].itertuples(index=False):
        winner, loser = (a, b) if score == 1 else (b, a)
        data.append((NAMES.index(winner), NAMES.index(loser)))
    theirs = choix.ilsr_pairwise(8, data, tol=1e-12, max_iter=1000)
    ours = centred(logistic.fit(games, bias=False))
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-7)


def test_evalica_finds_the_same_scores_with_draws() -> None:
    games = made_games(draws=0.2)
    words = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    winner = games["first_score"].map(words)
    sides = [games[name].tolist() for name in ("first", "second")]
    half = {"tie_weight": 0.5}  # a tie is half a win for each
    found = evalica.bradley_terry(*sides, winner.tolist(), **half, tolerance=1e-13, limit=100_000)
    theirs = np.log(found.scores[NAMES].to_numpy())
    ours = centred(logistic.fit(games, bias=False))
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_elote_rates_game_by_game_alike() -> None:
    games = made_games(draws=0.1, number=400)
    table, _, _ = elo.rate_in_orders(games)
    players = {name: EloCompetitor(initial_rating=1300) for name in NAMES}
    effective = dict.fromkeys(NAMES, 14)
    for first, second, score in games[["first", "second", "first_score"]].itertuples(index=False):
        for name in (first, second):
            effective[name] += 1
            players[name]._k_factor = 800 / effective[name]
        if score == 0.5:
            players[first].tied(players[second])
        elif score == 1:
            players[first].beat(players[second])
        else:
            players[second].beat(players[first])
    theirs = {name: player.rating for name, player in players.items()}
    assert table.set_index("player")["rating"].to_dict() == pytest.approx(theirs, abs=1e-6)
    assert table.set_index("player")["effective_games"].to_dict() == effective


def test_whole_history_ratings_are_nearly_those_of_whr() -> None:
    """Its prior, two drawn games, has at 0 the curvature of a normal prior of spread root 2."""
    random = np.random.default_rng(5)
    names = np.array(list("abcdef"))
    first = random.integers(6, size=200)
    second = (first + random.integers(1, 6, size=200)) % 6
    days = np.sort(random.integers(0, 500, 200))
    games = pd.DataFrame({"first": names[first], "second": names[second], "count": 1})
    games["first_score"] = random.choice([1.0, 0.0, 0.5], 200)
    dates = pd.Timestamp("1969-06-01") + pd.to_timedelta(days, unit="D")
    games["date"] = dates.strftime("%Y-%m-%d")
    spread = math.sqrt(2)
    model = whr.Base(config={"w2": (DRIFT * spread / ELO_SLOPE) ** 2 / 365.25})
    letters = games["first_score"].map({1.0: "B", 0.0: "W", 0.5: "D"})
    rows = zip(names[first], names[second], letters, days, strict=True)
    model.create_games([[a, b, letter, int(day), 0.0] for a, b, letter, day in rows])
    model.iterate(500)
    strength, _, _ = posterior(regression(games), spread)
    theirs = [point for name in names for point in model.ratings_for_player(str(name))]
    apart = strength / ELO_SLOPE - np.array([rating for _, rating, _ in theirs])
    assert np.ptp(apart) < 3
