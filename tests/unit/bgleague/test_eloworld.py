"""Elo World: the sample, the runs, the champion, the picture by pixels, checkpoints."""

import tracemalloc
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from bgleague import eloworld
from bgleague.eloworld import comparable, stationary, transition
from bgleague.pair_counts import PairCounts, pair_counts
from bgleague.settings import GamesToRate, RatingsError, RatingsSettings
from corpus import cases
from unit.bgleague.test_pair_counts import games_of


def table(*rows: tuple[str, str, int, int, int]) -> pd.DataFrame:
    """Return games with so many wins, losses and draws of the first player."""
    cells = pd.DataFrame(rows, columns=["first", "second", 1.0, 0.0, 0.5])
    return cells.melt(["first", "second"], var_name="first_score", value_name="count")


CELLS = [
    ("a", "b", 30, 10, 2),
    ("b", "a", 15, 24, 1),
    ("a", "c", 39, 1, 0),
    ("c", "a", 3, 40, 0),
    ("b", "c", 28, 12, 5),
    ("c", "b", 20, 25, 5),
    ("b", "b", 7, 3, 0),
]
FULL = table(*CELLS)


def test_a_sample_holds_as_many_games_of_every_cell_as_the_least_one() -> None:
    cells = pair_counts(FULL, ["a", "b", "c"])
    drawn = eloworld.sample(cells, 1)
    off = ~np.eye(3, dtype=bool)
    assert (drawn.games[off] == 40).all()
    assert (np.diag(drawn.games) == 0).all()
    assert (drawn.counts[:, off] <= cells.counts[:, off]).all()
    # The cell with 40 games is taken whole.
    wins, _, draws = drawn.counts
    assert (wins[1, 0], draws[0, 2]) == (15, 0)
    assert np.array_equal(eloworld.sample(cells, 1).counts, drawn.counts)
    others = [eloworld.sample(cells, seed).counts for seed in range(2, 6)]
    assert not all(np.array_equal(counts, drawn.counts) for counts in others)


def test_tours_of_four_by_the_circle_method() -> None:
    """The first stays, the others turn by a place: 0 1 2 3, 0 3 1 2, 0 2 3 1."""
    assert eloworld.tours(4).tolist() == [[[0, 3], [1, 2]], [[0, 2], [3, 1]], [[0, 1], [2, 3]]]


def games_of_a_pass(
    random: list[np.random.Generator], outcomes: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    once = eloworld.tours(len(outcomes))
    both_orders = np.concatenate([once, once[:, :, ::-1]])
    return list(
        eloworld.one_pass(
            [eloworld.draws(stream, outcomes, len(both_orders)) for stream in random], both_orders
        )
    )


@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_a_pass_takes_every_game_once_and_nobody_twice_in_a_tour(players: int) -> None:
    outcomes = np.arange(players * players * 5).reshape(players, players, 5)
    tours = games_of_a_pass([np.random.default_rng(3), np.random.default_rng(4)], outcomes)
    games = len(tours[0][1]) // 2
    off = ~np.eye(players, dtype=bool)
    for run in range(2):
        of_run = slice(run * games, (run + 1) * games)
        seats = np.concatenate([seats[:, of_run] for seats, _ in tours], axis=1) - run * players
        scores = np.concatenate([scores[of_run] for _, scores in tours])
        assert sorted(scores) == sorted(outcomes[off].ravel())
        assert (scores // 5 == seats[0] * players + seats[1]).all()
    assert all(len(set(seats.ravel())) == seats.size for seats, _ in tours)
    assert any(not np.array_equal(scores[:games], scores[games:]) for _, scores in tours)


def test_a_run_rates_the_games_of_its_passes_one_by_one() -> None:
    drawn = eloworld.sample(pair_counts(FULL, ["a", "b", "c"]), 1)
    ratings = eloworld.runs(drawn, 3, seed=7, passes=4)
    assert eloworld.runs(drawn, 1, seed=7, passes=4)[0] == pytest.approx(ratings[0], abs=1e-9)
    outcomes = np.full((3, 3, 40), -1)
    for i, j in permutations(range(3), 2):
        outcomes[i, j] = np.repeat([1, 0, -1], drawn.counts[[0, 2, 1], i, j])
    for number, child in enumerate(np.random.SeedSequence(7).spawn(3)):
        random, rating = np.random.default_rng(child), [1000.0] * 3
        for done in range(4):
            for seats, scores in games_of_a_pass([random], outcomes):
                for (first, second), score in zip(seats.T, scores, strict=True):
                    q1, q2 = 10 ** (rating[first] / 400), 10 ** (rating[second] / 400)
                    change = 10 * (4 - done) / 4 * ((score + 1) / 2 - q1 / (q1 + q2))
                    rating[first] += change
                    rating[second] -= change
        assert ratings[number] == pytest.approx(rating, abs=1e-9)
    assert ratings.sum(axis=1) == pytest.approx(3000)


@pytest.mark.slow
def test_a_tournament_of_a_million_games_takes_little_memory() -> None:
    """Games of one round are held at a time: 19 runs of 1,100,000 games would fill 300 MB."""
    counts = np.full((53, 53), 130)
    cells = PairCounts(tuple(map(str, range(53))), np.stack([counts] * 3))
    tracemalloc.start()
    ratings = eloworld.runs(cells, 19, seed=1, passes=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ratings.mean() == pytest.approx(1000)
    assert peak < 120e6


def test_more_games_than_elo_world_goes_through_are_said() -> None:
    rows = [(first, second, 10**6, 10**6, 0) for first, second in permutations("ab", 2)]
    games = table(*rows)
    games_to_rate = GamesToRate(games, games.iloc[:0], games.iloc[:0], seats=True)
    assert "up to 2,000,000 games, and these are 8,000,000" in eloworld.problem(
        RatingsSettings(), games_to_rate
    )


def test_quantiles_are_the_places_of_the_original_program() -> None:
    cells = pair_counts(FULL, ["a", "b", "c"])
    ranked = np.sort(eloworld.runs(eloworld.sample(cells, 1), 19, 1), axis=0)
    table = eloworld.elo_world(cells, 1).set_index("player").loc[list(cells.players)]
    for column, rank in (("elo_p25", 5), ("elo", 10), ("elo_p75", 13)):
        assert table[column].to_numpy() == pytest.approx(ranked[rank - 1])
    assert table["games_per_cell"].tolist() == [40] * 3


def test_ratings_stand_in_the_order_of_strength_with_their_champions() -> None:
    cells = pair_counts(FULL, ["a", "b", "c"])
    table = eloworld.elo_world(cells, 1)
    assert table["player"].tolist() == ["a", "b", "c"]
    assert (
        table[["elo_p25", "elo", "elo_p75"]]
        .apply(lambda row: row.is_monotonic_increasing, axis=1)
        .all()
    )
    assert table["p_champion"].sum() == pytest.approx(1)
    assert table["p_champion_times_players"].tolist() == pytest.approx(
        (3 * table["p_champion"]).tolist()
    )
    assert eloworld.elo_world(cells, 1).equals(table)


def test_the_champions_moves_by_hand() -> None:
    moves = transition(pair_counts(FULL, ["a", "b", "c"]))
    # a holds, b takes: half the rate of a's losses moving first, half b's wins moving first, a
    # quarter of both draws.
    assert moves[0, 1] == pytest.approx(((10 / 42 + 15 / 40) / 2 + (2 / 42 + 1 / 40) / 4) / 2)
    assert moves.sum(axis=1) == pytest.approx(1)
    chance = stationary(moves)
    assert chance @ moves == pytest.approx(chance)


def test_a_score_that_is_no_result_is_refused() -> None:
    games = games_of(("a", "b", 0.25))
    why = eloworld.problem(RatingsSettings(), GamesToRate(games, games[:0], games[:0], seats=True))
    assert why.endswith("row 1 has the score 0.25")


def test_a_long_list_that_is_no_tournament_takes_no_matrix_of_all_players() -> None:
    names = [f"p{number:04}" for number in range(5_000)]
    games = pd.DataFrame(
        {"first": names[:-1], "second": names[1:], "first_score": 1.0, "count": 1, "row": 1}
    )
    tracemalloc.start()
    try:
        why = eloworld.problem(
            RatingsSettings(), GamesToRate(games, games[:0], games[:0], seats=True)
        )
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "p0000 first against p0002 never met" in why
    assert most < len(names) ** 2


RATED = pd.DataFrame(
    {
        "player": ["strong", "half", "weak", "x", "top", "low"],
        "elo": [1400.0, 1200.0, 800.0, 1100.0, 1500.0, 700.0],
        "elo_p25": [0, 0, 0, 1000.0, 0, 0],
        "elo_p75": [0, 0, 0, 1300.0, 0, 0],
    }
)


def test_the_comparable_diluted_player_lies_between_its_neighbours() -> None:
    diluted = comparable(RATED, {"strong": 0.0, "half": 0.5, "weak": 1.0}).set_index("player")
    shares = ["share", "share_low", "share_high", "below", "above"]
    assert diluted.loc["x", shares].tolist() == [0.625, 0.25, 0.75, "weak", "half"]
    assert diluted.loc["half", "share"] == 0.5
    assert np.isnan(diluted.loc["top", "share"])
    assert diluted.loc["top", ["below", "above"]].tolist() == ["strong", ""]
    assert diluted.loc["low", ["below", "above"]].tolist() == ["", "weak"]


@pytest.mark.parametrize(("shares", "message"), cases("sentences.scales_of_diluted_players"))
def test_diluted_players_that_make_no_scale_are_refused(
    shares: dict[str, float], message: str
) -> None:
    with pytest.raises(RatingsError, match=message):
        comparable(RATED, shares)
