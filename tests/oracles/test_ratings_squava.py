"""Squava (B. Ediger, 2024): totals, published runs and odds, and other libraries' figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgleague import elo, logistic
from bgleague.eloworld import p_champion, transition
from bgleague.pair_counts import PairCounts, first_mover, meetings, pair_counts
from bgleague.readers import read_games


@pytest.fixture(scope="module")
def games(shared: Path) -> pd.DataFrame:
    return read_games([shared / "ratings" / "squava" / "matchups.tsv"]).games


def published(shared: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(shared / "ratings" / "squava" / f"{name}.tsv", sep="\t")


def test_self_play_is_flagged_and_not_rated(shared: Path) -> None:
    reading = read_games([shared / "ratings" / "squava" / "matchups.tsv"])
    assert reading.games["count"].sum() == 4800
    assert reading.self_play["count"].sum() == 1600
    assert reading.flagged["text"].str[:3].tolist() == ["A A", "G G", "M M", "U U"]


def test_totals_of_both_colours(games: pd.DataFrame) -> None:
    met = meetings(games, list("AGMU"))
    found = {
        f"{pair.player_p}-{pair.player_q}": (pair.p_wins, pair.q_wins) for pair in met.itertuples()
    }
    of_a = {"A-G": (307, 493), "A-M": (651, 149), "A-U": (315, 485)}
    assert found == of_a | {"G-M": (676, 124), "G-U": (337, 463), "M-U": (100, 700)}


def test_wins_moving_first_and_second(games: pd.DataFrame) -> None:
    found = first_mover(games).set_index("player")
    assert found["wins_first"].to_dict() == {"A": 697, "G": 810, "M": 254, "U": 947}
    assert found["wins_second"].to_dict() == {"A": 576, "G": 696, "M": 119, "U": 701}


def test_odds_beside_elo_as_published(games: pd.DataFrame, shared: Path) -> None:
    run = published(shared, "published_elo_runs").set_index("player")["run3"].astype(float)
    found = meetings(games, list("AGMU")).sort_values(["player_p", "player_q"], ignore_index=True)
    found["r_pq"] = found["p_wins"] / found["q_wins"]
    found["d"] = found["player_p"].map(run) - found["player_q"].map(run)
    found["ten_pow_d_400"] = 10 ** (found["d"] / 400)
    printed = published(shared, "published_comparison")
    players = ["player_p", "player_q"]
    assert found[players].to_numpy().tolist() == printed[players].to_numpy().tolist()
    # Some printed values are cut, not rounded: they lie up to 0.01 below.
    assert (found["r_pq"] - printed["r_pq"]).between(-0.005, 0.01).all()
    slip = (printed["player_p"] == "A") & (printed["player_q"] == "M")
    assert found.loc[~slip, "d"].tolist() == printed.loc[~slip, "d"].tolist()
    assert (found["ten_pow_d_400"] - printed["ten_pow_d_400"])[~slip].between(-0.005, 0.01).all()
    # The row A-M prints D = 200; the run it comes from has 1318 - 1108.
    assert found.loc[slip, "d"].item() == 210
    assert found.loc[slip, "ten_pow_d_400"].item() == pytest.approx(3.35, abs=0.005)


def test_means_and_spread_of_drawn_runs(games: pd.DataFrame, shared: Path) -> None:
    _, _, runs = elo.rate_in_orders(games, orders=elo.drawn(games, 4000, 400, seed=20240628))
    mean = {"A": 1321.0, "G": 1376.0, "M": 1092.0, "U": 1411.0}
    spread = {"A": 20.5, "G": 20.1, "M": 20.8, "U": 20.8}
    # Four standard errors of 4000 runs, on their side and ours, and half of the last printed digit.
    three = published(shared, "published_elo_runs").set_index("player")
    for name in "AGMU":
        error = 4 * 2**0.5 * spread[name]
        assert runs[name].mean() == pytest.approx(mean[name], abs=0.5 + error / 4000**0.5)
        assert runs[name].std() == pytest.approx(spread[name], abs=0.05 + error / 8000**0.5)
        for run in ("run1", "run2", "run3"):
            assert abs(three.loc[name, run] - runs[name].mean()) < 2 * runs[name].std()


def test_elo_game_by_game_as_elote_rated_it(shared: Path) -> None:
    path = shared / "ratings" / "squava" / "elote_trajectory.tsv"
    theirs = pd.read_csv(path, sep="\t")
    table, log, _ = elo.rate_in_orders(read_games([path]).games)
    assert log[elo.LOG[4:]].to_numpy() == pytest.approx(theirs[elo.LOG[4:]].to_numpy(), abs=1e-6)
    assert (log["first_score"] == 0.5).any()
    final = {"A": 1336.143, "G": 1360.876, "M": 1073.672, "U": 1404.449}
    assert table.set_index("player")["rating"].to_dict() == pytest.approx(final, abs=0.0005)


@pytest.mark.parametrize(
    ("bias", "scores"),
    [
        (True, {"A": 264.6532, "G": 326.7620, "U": 365.6928, "M": 0.0}),
        (False, {"A": 258.3752, "G": 318.7870, "U": 356.6446, "M": 0.0}),
    ],
)
def test_logistic_ratings(games: pd.DataFrame, bias: bool, scores: dict[str, float]) -> None:
    fit = logistic.fit(games, {"M": 0.0}, bias=bias)
    assert fit.scores == pytest.approx(scores, abs=1e-3)
    assert fit.statistics["bias"] == pytest.approx(63.8974 if bias else 0.0, abs=1e-3)


def test_the_champion(games: pd.DataFrame) -> None:
    found = p_champion(pair_counts(games, list("AGMU")))
    assert found == pytest.approx([0.22970557, 0.31826427, 0.05589747, 0.39613269], abs=1e-8)


def test_the_champion_with_draws_holds_the_title_in_the_long_run() -> None:
    random = np.random.default_rng(3)
    counts = random.integers(1, 30, size=(3, 9, 9)) * (1 - np.eye(9, dtype=int))
    cells = PairCounts(tuple("abcdefghi"), counts)
    after_many_games = np.linalg.matrix_power(transition(cells), 10_000)
    assert after_many_games == pytest.approx(np.tile(p_champion(cells), (9, 1)), abs=1e-10)
