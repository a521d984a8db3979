"""The standing of a club: results counted once, form and change by date, one rating and why."""

import math

import pandas as pd
import pytest

from bgrating.league.standing import FORM, grid, league, main_rating, on_fibs_scale, standing, usual_length, why
from bgrating.rating.fibs import win_probability

LEAGUE = pd.DataFrame(
    {
        "player": ["bob", "ann", "cy"], "wins": [2.0, 2.0, 1.0], "games": [4.0, 3.0, 3.0], "share": 0.5,
        "elo": [1400.0, 1500.0, 1300.0], "history": [1600.0, 1550.0, math.nan],
        "history_ci_low": [1500.0, 1500.0, math.nan], "history_ci_high": [1700.0, 1600.0, math.nan],
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
        "player": ["bob", "ann", "cy"], "rating": [1600.0, 1530.0, 1400.0], "month_ago": [math.nan, 1500.0, 1400.0],
    }
)  # fmt: skip


def test_a_row_says_what_a_player_did() -> None:
    rows = standing("history", LEAGUE, GAMES, HISTORY)
    assert [(row["place"], row["player"]) for row in rows] == [(1, "bob"), (2, "ann"), (3, "cy")]
    by_name = {row["player"]: row for row in rows}
    assert {name: row["form"] for name, row in by_name.items()} == {"ann": "WWL", "bob": "LWDW", "cy": "LLD"}
    assert {name: row["points"] for name, row in by_name.items()} == {"ann": 12.0, "bob": 16.0, "cy": 0.0}
    factor = on_fibs_scale("history", GAMES)
    assert by_name["ann"]["change"] == pytest.approx(30.0 * factor)
    assert math.isnan(by_name["bob"]["change"])  # nobody knows what he was a month before
    assert (by_name["bob"]["won"], by_name["bob"]["lost"], by_name["bob"]["between"]) == (
        2.0, 2.0, f"1,500 to {1500 + 200 * factor:,.0f}",
    )  # fmt: skip
    assert by_name["cy"]["bar"] == ""


def test_the_whole_history_is_on_the_fibs_scale_where_lengths_are_known() -> None:
    """A rating difference D of Elo has odds of 10^(D/400); on FIBS, in matches to N points, 10^(D sqrt(N)/2000)."""
    games = GAMES.assign(length=9.0)
    rows = {row["player"]: row for row in standing("history", LEAGUE, games, HISTORY)}
    fibs = rows["bob"]["rating"] - rows["ann"]["rating"]
    assert float(win_probability(-fibs, 9)) == pytest.approx(1 / (1 + 10 ** (-50 / 400)))
    assert rows["ann"]["between"] == "1,500 to 1,667"
    assert rows["ann"]["change"] == pytest.approx(50.0)
    assert "FIBS scale, for matches to 9 points;" in why("history", games)
    mixed = games.assign(length=[1.0, 9.0, 1.0, 9.0, math.nan])
    assert usual_length(mixed) == pytest.approx(4.0)  # roots 1 and 3
    assert on_fibs_scale("history", mixed) == pytest.approx(2.5)
    unknown = games.drop(columns="length")
    assert "FIBS" not in why("history", unknown)
    assert standing("history", LEAGUE, unknown, HISTORY)[0]["rating"] == 1600.0
    assert on_fibs_scale("fibs", games) == 1.0


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
    results = grid(rows, pairs)
    assert results["names"] == ["bob", "ann", "cy"]
    assert dict(results["rows"]) == {"bob": ["", "2–1", ""], "ann": ["1–2", "", ""], "cy": ["", "", ""]}
    assert grid(rows, None)["rows"][0][1] == ["", "", ""]


def test_a_league_is_ordered_by_its_main_rating_and_players_without_one_are_last() -> None:
    games = pd.DataFrame(
        [("ann", "bob", 1.0, 1, 1), ("bob", "cy", 1.0, 1, 2)],
        columns=["first", "second", "first_score", "count", "row"],
    )

    def ratings(**values: float) -> pd.DataFrame:
        return pd.DataFrame({"player": list(values), "rating": list(values.values()), "ci_low": 0.0, "ci_high": 1.0})

    tables = {"elo": ratings(ann=3.0, bob=2.0, cy=1.0), "history": ratings(bob=1.0, cy=2.0)}
    table = league(games, tables, ["ann", "bob", "cy"])
    assert (main_rating(table), table["player"].tolist()) == ("history", ["cy", "bob", "ann"])
    assert main_rating(league(games, {}, ["ann"])) == ""


def test_a_change_in_a_month_stands_with_how_often_chance_makes_it() -> None:
    history = HISTORY.assign(month_sd=[math.nan, 30.0, 50.0])
    rows = {row["player"]: row for row in standing("history", LEAGUE, GAMES, history)}
    assert rows["ann"]["by_chance"] == pytest.approx(0.3173, abs=1e-3)
    assert rows["ann"]["month"] == f"{rows['ann']['change']:+.0f} (32 %)"
    assert rows["cy"]["by_chance"] == 1.0
    assert rows["bob"]["month"] == ""
