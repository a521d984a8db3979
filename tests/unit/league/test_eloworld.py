"""Elo World: the sample, the runs, the champion, ablation, the picture pixel by pixel, cells and checkpoints."""

import numpy as np
import pandas as pd
import pytest

from bgrating.league import cells as cell_tables
from bgrating.league import eloworld
from bgrating.league.cells import PairCounts, cells_of, matrices
from bgrating.league.eloworld import comparable, stationary, transition
from bgrating.league.settings import RatingsError


def table(*rows: tuple[str, str, int, int, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=cell_tables.PAIR_COLUMNS)


FULL = table(
    ("a", "b", 30, 10, 2),
    ("b", "a", 15, 24, 1),
    ("a", "c", 39, 1, 0),
    ("c", "a", 3, 40, 0),
    ("b", "c", 28, 12, 5),
    ("c", "b", 20, 25, 5),
    ("b", "b", 7, 3, 0),
)


def test_a_sample_holds_as_many_games_of_every_cell_as_the_least_one() -> None:
    cells = matrices(FULL)
    drawn, least = eloworld.sample(cells, 1)
    off = ~np.eye(3, dtype=bool)
    assert least == 40
    assert (drawn.games[off] == 40).all()
    assert (np.diag(drawn.games) == 0).all()
    for column in ("wins", "losses", "draws"):
        assert (getattr(drawn, column)[off] <= getattr(cells, column)[off]).all()
    # The cell with 40 games is taken whole.
    assert drawn.wins[1, 0] == 15
    assert drawn.draws[0, 2] == 0
    assert eloworld.sample(cells, 1)[0].wins.tolist() == drawn.wins.tolist()
    assert any(eloworld.sample(cells, seed)[0].wins.tolist() != drawn.wins.tolist() for seed in range(2, 6))


def by_the_letter(drawn: PairCounts, random: np.random.Generator, passes: int) -> np.ndarray:
    """Run Elo World as its description says, with the same stream of random numbers."""
    size = len(drawn.players)
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    rating = [1000.0] * size
    rounds = int(drawn.games[0, 1])
    order = list(range(len(pairs)))
    for j in range(passes):
        k = 10 * (passes - j) / passes
        bags = [[1.0] * drawn.wins[p] + [0.0] * drawn.losses[p] + [0.5] * drawn.draws[p] for p in pairs]
        for _ in range(rounds):
            for last in range(len(pairs) - 1, 0, -1):
                other = int(random.random() * (last + 1))
                order[last], order[other] = order[other], order[last]
            for cell in order:
                first, second = pairs[cell]
                score = bags[cell].pop(int(random.random() * len(bags[cell])))
                q1, q2 = 10 ** (rating[first] / 400), 10 ** (rating[second] / 400)
                expected = q1 / (q1 + q2)
                rating[first] += k * (score - expected)
                rating[second] += k * ((1 - score) - (1 - expected))
        assert all(not bag for bag in bags)
    return np.array(rating)


def test_a_run_is_the_described_one() -> None:
    drawn, _ = eloworld.sample(matrices(FULL), 1)
    ratings = eloworld.runs(drawn, 3, seed=7, passes=4)
    for number, child in enumerate(np.random.SeedSequence(7).spawn(3)):
        assert ratings[number] == pytest.approx(by_the_letter(drawn, np.random.default_rng(child), 4), abs=1e-9)
    assert ratings.sum(axis=1) == pytest.approx(3000)


def test_of_nineteen_runs_the_places_of_the_original_program_are_taken() -> None:
    runs = np.random.default_rng(0).permutation(19)[:, None].astype(float)
    low, median, high = eloworld.low_median_high(runs)
    assert (low[0], median[0], high[0]) == (4, 9, 12)


def test_ratings_stand_in_the_order_of_strength_with_their_champions() -> None:
    cells = matrices(FULL)
    rated = eloworld.elo_world(cells, 1, passes=4)
    assert rated["player"].tolist() == ["a", "b", "c"]
    assert (rated["elo_p25"] <= rated["elo"]).all()
    assert (rated["elo"] <= rated["elo_p75"]).all()
    assert rated["p_champion"].sum() == pytest.approx(1)
    assert rated["p_champion_times_players"].tolist() == pytest.approx((3 * rated["p_champion"]).tolist())
    assert eloworld.elo_world(cells, 1, passes=4).equals(rated)


def test_the_champions_moves_by_hand() -> None:
    moves = transition(matrices(FULL, ["a", "b", "c"]))
    # a holds, b takes: half the rate of a's losses moving first, half b's wins moving first, a quarter of both draws.
    assert moves[0, 1] == pytest.approx(((10 / 42 + 15 / 40) / 2 + (2 / 42 + 1 / 40) / 4) / 2)
    assert moves.sum(axis=1) == pytest.approx(1)
    chance = stationary(moves)
    assert chance @ moves == pytest.approx(chance)


def test_a_score_that_is_no_result_is_one_error() -> None:
    with pytest.raises(RatingsError, match=r"row 4 has the score 0\.25"):
        cells_of(pd.DataFrame([("a", "b", 0.25, 1, 4)], columns=["first", "second", "first_score", "count", "row"]))


def test_ablation_drops_players_and_keeps_the_level() -> None:
    cells = matrices(FULL)
    rated = eloworld.elo_world(cells, 1, passes=4)
    ablated = eloworld.ablation(cells, rated, 1, number=12)
    assert (ablated.groupby("ablation")["player"].count() == 2).all()
    assert set(ablated["player"]) == {"a", "b", "c"}
    full_elo = rated.set_index("player")["elo"]
    for _, part in ablated.groupby("ablation"):
        assert part["elo"].mean() == pytest.approx(full_elo[part["player"].tolist()].mean())
        assert part["p_champion_times_players"].sum() == pytest.approx(2)
    intervals = eloworld.with_ablation(rated, ablated)
    assert (intervals["ci_low"] < intervals["ci_high"]).all()
    assert (intervals["p_champion_ci_low"] <= intervals["p_champion_ci_high"]).all()
    two = cells.of(["a", "b"])
    alone = eloworld.elo_world(two, 1, passes=2)
    assert eloworld.with_ablation(alone, eloworld.ablation(two, alone, 1))["ci_low"].isna().all()


def test_an_interval_holds_its_rating_where_no_ablation_comes_near_it() -> None:
    rated = pd.DataFrame({"player": ["a", "b"], "elo": [1180.98, 900.0], "p_champion": [0.9, 0.1]})
    ablated = pd.DataFrame(
        {
            "ablation": [0, 1, 2] * 2, "player": ["a"] * 3 + ["b"] * 3,
            "elo": [1181.04, 1190.0, 1196.52, 910.0, 920.0, 950.0],
            "p_champion_times_players": [1.9, 1.95, 2, 0.0, 0.05, 0.1],
        }
    )  # fmt: skip
    table = eloworld.with_ablation(rated, ablated)
    for name, ends in (("elo", "ci"), ("p_champion", "p_champion_ci")):
        assert (table[f"{ends}_low"] < table[name]).all()
        assert (table[name] < table[f"{ends}_high"]).all()
    assert table.loc[0, "ci_high"] - table.loc[0, "ci_low"] == pytest.approx(0.9 * (1190 - 1181.04 + 1196.52 - 1190))


RATED = pd.DataFrame(
    {
        "player": ["strong", "half", "weak", "x", "top", "low"],
        "elo": [1400.0, 1200.0, 800.0, 1100.0, 1500.0, 700.0],
        "ci_low": [0, 0, 0, 1000.0, 0, 0],
        "ci_high": [0, 0, 0, 1300.0, 0, 0],
    }
)


def test_the_comparable_diluted_player_lies_between_its_neighbours() -> None:
    diluted = comparable(RATED, {"strong": 0.0, "half": 0.5, "weak": 1.0}).set_index("player")
    assert diluted.loc["x", ["share", "share_low", "share_high"]].tolist() == [0.625, 0.25, 0.75]
    assert diluted.loc["x", ["below", "above"]].tolist() == ["weak", "half"]
    assert diluted.loc["half", "share"] == 0.5
    assert np.isnan(diluted.loc["top", "share"])
    assert diluted.loc["top", ["below", "above"]].tolist() == ["strong", ""]
    assert diluted.loc["low", ["below", "above"]].tolist() == ["", "weak"]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"strong": 0.0, "weak": 1.5}, "a share of moves is 0 to 1"),
        ({"strong": 0.0}, "two diluted players at least"),
        ({"strong": 0.5, "weak": 0.5}, "two diluted players at least"),
        ({"strong": 1.0, "weak": 0.0}, "diluted more than weak, but rated no lower"),
    ],
)
def test_diluted_players_that_make_no_scale_are_one_error(shares: dict[str, float], message: str) -> None:
    with pytest.raises(RatingsError, match=message):
        comparable(RATED, shares)
