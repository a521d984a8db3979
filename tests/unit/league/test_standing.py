"""The standing of a club: results counted once, form and change by date, one rating and why."""

import math
from pathlib import Path

import pandas as pd
import pytest

from bgrating.league.page import page
from bgrating.league.run import rate_results
from bgrating.league.settings import RatingsSettings
from bgrating.league.standing import FORM, grid, main_rating, standing

LEAGUE = pd.DataFrame(
    {
        "player": ["ann", "bob", "cy"], "wins": [2.0, 2.0, 1.0], "games": [3.0, 4.0, 3.0], "share": 0.5,
        "elo": [1500.0, 1400.0, 1300.0], "history": [1550.0, 1600.0, math.nan],
        "history_ci_low": [1500.0, 1500.0, math.nan], "history_ci_high": [1600.0, 1700.0, math.nan],
    }
)  # fmt: skip
GAMES = pd.DataFrame(
    [
        ("bob", "ann", 0.0, 1, "2026-01-01", 5.0), ("ann", "cy", 1.0, 1, "2026-02-01", 7.0),
        ("bob", "cy", 1.0, 1, "2026-02-02", 9.0), ("cy", "bob", 0.5, 1, "2026-02-03", 3.0),
        ("ann", "bob", 0.0, 1, "2026-02-20", 7.0),
    ],
    columns=["first", "second", "first_score", "count", "date", "length"],
)  # fmt: skip
HISTORY = pd.DataFrame(
    {
        "player": ["ann", "ann", "bob", "cy"], "date": ["2026-01-01", "2026-02-20", "2026-02-20", "2026-02-03"],
        "rating": [1500.0, 1530.0, 1600.0, 1400.0],
    }
)  # fmt: skip


def test_a_row_says_what_a_player_did() -> None:
    assert main_rating(LEAGUE) == "history"
    rows = standing("history", LEAGUE, GAMES, HISTORY)
    assert [(row["place"], row["player"]) for row in rows] == [(1, "bob"), (2, "ann"), (3, "cy")]
    by_name = {row["player"]: row for row in rows}
    assert {name: row["form"] for name, row in by_name.items()} == {"ann": "WWL", "bob": "LWDW", "cy": "LLD"}
    assert {name: row["points"] for name, row in by_name.items()} == {"ann": 12.0, "bob": 16.0, "cy": 0.0}
    assert by_name["ann"]["change"] == pytest.approx(30.0)
    assert math.isnan(by_name["bob"]["change"])  # nobody knows what he was a month before
    assert (by_name["bob"]["won"], by_name["bob"]["lost"], by_name["bob"]["between"]) == (2.0, 2.0, "1,500 to 1,700")
    assert by_name["cy"]["bar"] == ""


def test_a_form_has_the_last_results_only_and_none_without_dates() -> None:
    many = pd.concat([GAMES] * 5, ignore_index=True)
    rows = standing("history", LEAGUE, many, None)
    assert max(len(row["form"]) for row in rows) == FORM
    assert {
        row["form"]
        for row in standing(
            "elo", LEAGUE.assign(elo_ci_low=1.0, elo_ci_high=2.0), GAMES.drop(columns=["date", "length"]), None
        )
    } == {""}


def test_a_grid_shows_each_pair_from_both_sides() -> None:
    rows = [{"player": name} for name in ("bob", "ann", "cy")]
    pairs = pd.DataFrame([("ann", "bob", 1.0, 2.0)], columns=["player_p", "player_q", "p_wins", "q_wins"])
    found = grid(rows, pairs)
    assert found["names"] == ["bob", "ann", "cy"]
    assert dict(found["rows"]) == {"bob": ["", "2–1", ""], "ann": ["1–2", "", ""], "cy": ["", "", ""]}
    assert grid(rows, None)["rows"][0][1] == ["", "", ""]


@pytest.mark.parametrize("methods", [(), ("eloworld",), ("elo",)])
def test_every_choice_of_systems_has_a_page(tmp_path: Path, methods: tuple[str, ...]) -> None:
    results = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\n"
    (tmp_path / "games.csv").write_text(results)
    text = page(rate_results(tmp_path / "games.csv", RatingsSettings(methods=methods) if methods else None), "x")
    assert ("<h2>Standing</h2>" in text) is (methods != ("eloworld",))
    assert "The other systems" in text
