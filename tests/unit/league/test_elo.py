"""Sequential Elo: the rule by hand, starts, the log and going on from it, repeated runs, tables of pairs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.league import elo
from bgrating.league.elo import drawn_runs, rate, summary
from bgrating.league.settings import EloStart, RatingsError
from bgrating.tables.tables import write_table
from unit.league.test_cells import games_of

WRITTEN = 1e-6  # ratings are written to a millionth of a point
GAMES = games_of(("a", "b", 1.0), ("b", "c", 0.5), ("c", "a", 0.0), ("a", "b", 0.0), ("c", "b", 1.0))


def test_starts_have_their_own_k_so_that_the_changes_differ() -> None:
    starts = {"a": EloStart(1500, 99), "b": EloStart(1100, 0)}
    table, _ = elo.rate(games_of(("a", "b", 0.0)), starts)
    expected = 1 / (1 + 10 ** (-400 / 400))
    players = table.set_index("player")
    assert players.loc["a", "rating"] == pytest.approx(1500 - 800 / 100 * expected)
    assert players.loc["b", "rating"] == pytest.approx(1100 + 800 / 1 * expected)
    assert players.loc["a", "effective_games"] == 100
    assert players.loc["a", "games"] == 1


def test_a_log_cut_off_in_the_middle_of_a_line_loses_that_game_and_says_so(tmp_path: Path) -> None:
    table, log = elo.rate(GAMES)
    write_table(log[elo.LOG], tmp_path / "elo_log.csv", "ratings/elo_log")
    text = (tmp_path / "elo_log.csv").read_text()
    for cut in (1, 3, 40):
        before, notes = elo.read_log(text[:-cut])
        assert len(before) == len(GAMES) - 1
        assert ["line 6" in note for note in notes] == [True]
        again, _ = elo.rate(GAMES, before=before)
        assert again["rating"].to_numpy() == pytest.approx(table["rating"].to_numpy(), abs=WRITTEN)


def test_logs_of_other_games_and_what_is_no_log_are_one_error_each(tmp_path: Path) -> None:
    _, log = elo.rate(GAMES)
    with pytest.raises(RatingsError, match="game 1 of the log is not game 1 of the file"):
        elo.rate(
            games_of(("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 0.0), ("a", "b", 0.0), ("c", "b", 1.0)), before=log
        )
    with pytest.raises(RatingsError, match="the log has 5 games, the file only 2"):
        elo.rate(GAMES.head(2), before=log)
    with pytest.raises(RatingsError, match="not a log"):
        elo.read_log("player,rating\n")
    write_table(log[elo.LOG], tmp_path / "elo_log.csv", "ratings/elo_log")
    lines = (tmp_path / "elo_log.csv").read_text().splitlines(keepends=True)
    with pytest.raises(RatingsError, match="without gaps"):
        elo.read_log("".join(lines[:2] + lines[3:]))
    with pytest.raises(RatingsError, match="line 3 of the log has 3 fields"):
        elo.read_log("".join([*lines[:2], "1,b,c\n", *lines[3:]]))
    with pytest.raises(RatingsError, match="not a number"):
        elo.read_log("".join([*lines[:2], lines[2].replace("0.5", "half"), *lines[3:]]))


def test_a_start_of_less_than_no_games_is_one_error() -> None:
    with pytest.raises(RatingsError, match="0 or more"):
        elo.rate(GAMES, {"a": EloStart(1300, -1)})


def test_games_given_as_counts_are_shuffled_by_the_seed_alone() -> None:
    tally = games_of(("a", "b", 1.0), ("a", "b", 0.0), ("b", "a", 0.5), count=20)
    games, of_file = elo.in_order(tally, 3)
    assert not of_file
    assert len(games) == 60
    assert elo.in_order(tally, 3)[0].equals(games)
    assert not elo.in_order(tally, 4)[0].equals(games)
    assert elo.in_order(GAMES, 3)[1]
    assert elo.in_order(GAMES, 3)[0]["row"].tolist() == GAMES["row"].tolist()


def test_runs_repeat_and_do_not_depend_on_how_many_there_are() -> None:
    few, more = drawn_runs(GAMES, 3, 50, seed=5), drawn_runs(GAMES, 6, 50, seed=5)
    assert more.head(3).equals(few)
    assert not drawn_runs(GAMES, 3, 50, seed=6).equals(few)
    spread = summary(more)
    assert spread["player"].tolist() == ["a", "b", "c"]
    assert (spread["ci_low"] <= spread["runs_mean"]).all()
    assert (spread["runs_mean"] <= spread["ci_high"]).all()


def test_pairs_are_drawn_as_often_as_they_played() -> None:
    tally = pd.concat([games_of(("a", "b", 1.0), count=900), games_of(("c", "d", 1.0), count=100)], ignore_index=True)
    # With all games won by the first, how far a player rose tells how many games were drawn for his pair.
    played = drawn_runs(tally, 40, 200, seed=1).mean()
    assert played["a"] > played["c"] + 30


def robin(players: int) -> pd.DataFrame:
    rows = [(f"p{a:02d}", f"p{b:02d}", (a * b) % 3 / 2) for a in range(players) for b in range(players) if a != b]
    return games_of(*[rows[place] for place in np.random.default_rng(1).permutation(len(rows))])


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("games", [GAMES, robin(40)], ids=["of few", "of many, so that rounds of games are played"])
def test_drawn_runs_are_what_the_drawn_games_give_one_by_one(games: pd.DataFrame, in_order: bool) -> None:
    count = 2500  # more than are looked up at a time
    runs = drawn_runs(games, 2, count, seed=5, in_order=in_order)
    ends = np.cumsum(games["count"] / games["count"].sum()).to_numpy()
    for run, child in enumerate(np.random.SeedSequence(5).spawn(2)):
        places = np.searchsorted(ends, np.random.default_rng(child).random(count), side="right")
        drawn = games.iloc[np.sort(places) if in_order else places].reset_index(drop=True).assign(count=1)
        table = rate(drawn)[0].set_index("player")["rating"]
        np.testing.assert_allclose(runs.loc[run], table[runs.columns], rtol=1e-12)
