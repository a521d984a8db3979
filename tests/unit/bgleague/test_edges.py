"""Lists of results and ratings at the edges of their rules."""

import math
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from bgleague import elo, logistic, sheets
from bgleague.elo import read_starts
from bgleague.games import fused_names, length_of
from bgleague.joins import counted_once
from bgleague.logistic import REACH
from bgleague.pairs import head_to_head
from bgleague.readers import read_games
from bgleague.settings import EloStart, GamesToRate, MethodRatings, RatingsError, RatingsSettings

TODAY = date(2026, 11, 26)


def test_dates_of_two_orders_are_refused_with_a_day_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "Date,Player 1,Player 2,Score\n02/13/2026,Ann,Bob,7-4\n13.02.2026,Bob,Ann,7-4\n",
        encoding="utf-8",
    )
    with pytest.raises(RatingsError, match="02/13/2026 may be no date or 2026-02-13"):
        read_games([path], TODAY)


@pytest.mark.parametrize(
    ("one", "other", "length"),
    [(3, 1, 3), (1, 25, 25), (27, 3, np.nan), (8, 3, np.nan), (1, 0, np.nan), (7, 7, np.nan)],
)
def test_the_length_of_a_match_by_its_points(one: float, other: float, length: float) -> None:
    assert length_of(one, other) == pytest.approx(length, nan_ok=True)


def test_a_number_counts_from_the_least_step_on() -> None:
    names = ["minimax2", "azero5000", "mcts4999", "net7-a", "net9-a"]
    assert fused_names(names, [0, 5000, 9000]) == {
        "minimax2": "minimax2",
        "azero5000": "azero5000",
        "mcts4999": "mcts4999",
        "net7-a": "net5000-a",
        "net9-a": "net5000-a",
    }


def games(*rows: tuple[str, str, float, int], seats: bool = False) -> GamesToRate:
    table = pd.DataFrame(rows, columns=["first", "second", "first_score", "count"])
    table["row"] = range(2, len(table) + 2)
    return GamesToRate(table, table.head(0), table.head(0), seats=seats)


@pytest.mark.parametrize(
    ("count", "notes"), [(1, []), (2, ["the games have no order: they were shuffled with seed 7"])]
)
def test_elo_says_that_it_shuffled_games_without_an_order(count: int, notes: list[str]) -> None:
    ratings = elo.rate(
        RatingsSettings(seed=7), games(("ann", "bob", 1.0, count), ("bob", "ann", 1.0, 1))
    )
    assert list(ratings.notes) == notes


@pytest.mark.parametrize(("seats", "is_fitted"), [(True, True), (False, False)])
def test_a_bias_is_fitted_unasked_where_names_tell_who_moved_first(
    seats: bool, is_fitted: bool
) -> None:
    rows = [
        ("ann", "bob", 1.0, 30),
        ("ann", "bob", 0.0, 10),
        ("bob", "ann", 1.0, 25),
        ("bob", "ann", 0.0, 15),
    ]
    ratings = logistic.rate(RatingsSettings(), games(*rows, seats=seats))
    assert ratings.files["logistic_fit.json"]["bias_fitted"] == is_fitted


def test_a_workbook_of_the_largest_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none.xlsx"
    path.write_bytes(b"PK\x03\x04" * 25)
    for most, why in ((100, "damaged"), (99, "more than")):
        monkeypatch.setattr(sheets, "MOST_BYTES", most)
        with pytest.raises(RatingsError, match=why):
            read_games([path], TODAY)


def test_the_interval_of_a_pair_takes_what_both_ratings_share_off_twice() -> None:
    """Variances 900 and 1,600, covariance 400: 1,700 of the difference, which is 100 points."""
    names = ["ann", "bob"]
    covariance = pd.DataFrame([[900.0, 400.0], [400.0, 1600.0]], index=names, columns=names)
    table = pd.DataFrame({"player": names, "rating": [1600.0, 1500.0]})
    system = MethodRatings({}, table, slope=0.005, covariance=covariance)
    (pair,) = head_to_head(games(("ann", "bob", 1.0, 3)).games, system, names).to_dict("records")
    assert (pair["player_p"], pair["player_q"]) == ("ann", "bob")
    half = REACH * 0.005 * 1700.0**0.5
    ends = [pair[name] for name in ("chance_ci_low", "chance", "chance_ci_high")]
    middle = expit(0.5 / math.sqrt(1 + math.pi / 8 * (half / REACH) ** 2))
    assert ends == pytest.approx([expit(0.5 - half), middle, expit(0.5 + half)])


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("player,rating,effective_games\nann,1700,40\n", EloStart(1700.0, 40.0)),
        ("player,rating,effective_games\nann,1700,\n", EloStart(1700.0, EloStart.games)),
        ("player,rating\nann,1700\n", EloStart(1700.0, EloStart.games)),
    ],
)
def test_a_start_weighs_as_much_as_its_list_says(
    tmp_path: Path, text: str, start: EloStart
) -> None:
    path = tmp_path / "elo.csv"
    path.write_text(text, encoding="utf-8")
    assert read_starts(path) == {"ann": start}


def test_a_list_that_begins_with_an_earlier_one_repeats_it() -> None:
    """Undated results: nothing but their place tells that they are the same."""
    pairs = [(f"p{number}", f"q{number}") for number in range(6)]
    for later, left_out in (([*pairs, ("ann", "bob")], 6), ([("ann", "bob"), *pairs], 0)):
        rows = [
            (*pair, 1.0, 1, number)
            for number, pairs_of_list in enumerate((pairs, later))
            for pair in pairs_of_list
        ]
        table = pd.DataFrame(rows, columns=["first", "second", "first_score", "count", "list"])
        table = table.assign(date="", score="", id="", row=range(len(table)))
        remaining, _ = counted_once(table, ["old", "new"])
        assert len(table) - len(remaining) == left_out
