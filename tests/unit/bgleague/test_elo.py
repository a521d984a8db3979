"""Sequential Elo: the rule by hand, starts, repeated runs."""

import numpy as np
import pandas as pd
import pytest

from bgleague import elo
from bgleague.elo import rate_in_orders, summary
from bgleague.settings import EloStart, RatingsError
from unit.bgleague.test_pair_counts import games_of

GAMES = games_of(
    ("a", "b", 1.0), ("b", "c", 0.5), ("c", "a", 0.0), ("a", "b", 0.0), ("c", "b", 1.0)
)


def test_starts_have_their_own_k_so_that_the_changes_differ() -> None:
    starts = {"a": EloStart(1500, 99), "b": EloStart(1100, 0)}
    table, _, _ = elo.rate_in_orders(games_of(("a", "b", 0.0)), starts)
    expected = 1 / (1 + 10 ** (-400 / 400))
    players = table.set_index("player")
    assert players.loc["a", "rating"] == pytest.approx(1500 - 800 / 100 * expected)
    assert players.loc["b", "rating"] == pytest.approx(1100 + 800 / 1 * expected)
    assert players.loc["a", "effective_games"] == 100
    assert players.loc["a", "games"] == 1


def test_a_start_of_negative_games_is_refused() -> None:
    for start in (EloStart(1300, -1), EloStart(float("nan"), 1), EloStart(1300, float("inf"))):
        with pytest.raises(RatingsError, match=r"a starts at .* games; write 0 or more"):
            elo.rate_in_orders(GAMES, {"a": start})


def test_games_given_as_counts_are_shuffled_by_the_seed_alone() -> None:
    tally = games_of(("a", "b", 1.0), ("a", "b", 0.0), ("b", "a", 0.5), count=20)
    rows = elo.in_order(tally, 3).tolist()
    assert sorted(rows) == [0] * 20 + [1] * 20 + [2] * 20
    assert elo.in_order(tally, 3).tolist() == rows
    assert elo.in_order(tally, 4).tolist() != rows
    assert elo.in_order(GAMES, 3).tolist() == [0, 1, 2, 3, 4]


def drawn_runs(games: pd.DataFrame, runs: int, games_per_run: int, seed: int) -> pd.DataFrame:
    return rate_in_orders(games, orders=elo.drawn(games, runs, games_per_run, seed))[2]


def test_runs_repeat_and_do_not_depend_on_how_many_there_are() -> None:
    few, more = drawn_runs(GAMES, 3, 50, seed=5), drawn_runs(GAMES, 6, 50, seed=5)
    assert more.head(3).equals(few)
    assert not drawn_runs(GAMES, 3, 50, seed=6).equals(few)
    spread = summary(more)
    assert spread.index.tolist() == ["a", "b", "c"]
    assert (spread["ci_low"] <= spread["runs_mean"]).all()
    assert (spread["runs_mean"] <= spread["ci_high"]).all()


def test_pairs_are_drawn_as_often_as_they_played() -> None:
    tally = pd.concat(
        [games_of(("a", "b", 1.0), count=900), games_of(("c", "d", 1.0), count=100)],
        ignore_index=True,
    )
    # With all games won by the first, how far a player rose tells how many games were drawn for his
    # pair.
    played = drawn_runs(tally, 40, 200, seed=1).mean()
    assert played["a"] > played["c"] + 30


def robin(players: int) -> pd.DataFrame:
    rows = [
        (f"p{a:02d}", f"p{b:02d}", (a * b) % 3 / 2)
        for a in range(players)
        for b in range(players)
        if a != b
    ]
    return games_of(*[rows[index] for index in np.random.default_rng(1).permutation(len(rows))])


@pytest.mark.parametrize(
    "games", [GAMES, robin(40), robin(5).assign(count=2)], ids=["few", "many", "counts"]
)
def test_drawn_runs_are_what_the_drawn_games_give_one_by_one(games: pd.DataFrame) -> None:
    count = 2500
    runs = drawn_runs(games, 2, count, seed=5)
    ends = np.cumsum(games["count"] / games["count"].sum()).to_numpy()
    for run, child in enumerate(np.random.SeedSequence(5).spawn(2)):
        indices = np.searchsorted(ends, np.random.default_rng(child).random(count), side="right")
        drawn = games.iloc[indices if games["count"].max() > 1 else np.sort(indices)].reset_index(
            drop=True
        )
        table = rate_in_orders(drawn.assign(count=1))[0].set_index("player")["rating"]
        np.testing.assert_allclose(runs.loc[run], table[runs.columns], rtol=1e-12)
