"""The standing of a club: results counted once, months and years, one rating and why."""

import math

import pandas as pd

from bgleague.members import members
from bgleague.settings import MethodRatings
from bgleague.standing import grid, league, main_rating, periods, standing, why
from unit.bgleague.test_pair_counts import games_of

LEAGUE = pd.DataFrame(
    {
        "place": [1, 2, 3],
        "player": ["bob", "ann", "cy"],
        "wins": [2.0, 2.0, 1.0],
        "games": [4.0, 3.0, 3.0],
        "share": 0.5,
        "elo": [1400.0, 1500.0, 1300.0],
        "history": [1600.0, 1550.0, math.nan],
        "history_ci_low": [1500.0, 1500.0, math.nan],
        "history_ci_high": [1700.0, 1600.0, math.nan],
    }
)
GAMES = pd.DataFrame(
    [
        ("bob", "ann", 0.0, 1, "2026-01-01", 5.0),
        ("ann", "cy", 1.0, 1, "2026-02-01", 7.0),
        ("bob", "cy", 1.0, 1, "2026-02-02", 9.0),
        ("cy", "bob", 0.5, 1, "2026-02-03", 3.0),
        ("ann", "bob", 0.0, 1, "2026-02-20", 7.0),
    ],
    columns=["first", "second", "first_score", "count", "date", "length"],
)


def test_a_row_has_the_results_of_a_player() -> None:
    rows = standing("history", LEAGUE)
    assert [(row["place"], row["player"]) for row in rows] == [(1, "bob"), (2, "ann"), (3, "cy")]
    bob, _, cy = rows
    assert (bob["wins"], bob["lost"], bob["between"]) == (2.0, 2.0, "1,500 to 1,700")
    assert cy["bar"] == ""


def test_a_standing_names_the_scale_of_its_rating() -> None:
    assert "FIBS scale, for matches to 9 points;" in why("history", 9.0)
    assert "to 6.2 points;" in why("history", 6.2)
    assert "FIBS" not in why("history", None)


def test_months_and_years_have_tables_of_their_own() -> None:
    history = pd.DataFrame(
        {"player": ["ann"] * 2, "date": ["2026-01-01", "2026-02-01"], "rating": [1510.0, 1520.0]}
    )
    table = periods(GAMES, history)["periods.csv"]
    assert table["period"].drop_duplicates().tolist() == ["2026-02", "2026-01", "2026"]
    february = table[table["period"] == "2026-02"].set_index("player")
    assert february["wins"].to_dict() == {"bob": 2.5, "ann": 1.0, "cy": 0.5}
    assert february["place"].to_dict() == {"bob": 1, "ann": 2, "cy": 3}
    assert february.loc["ann", "rating"] == 1520.0
    assert table[table["period"] == "2026"]["games"].sum() == 10
    assert periods(GAMES.drop(columns="date"), None) == {}


def test_a_leader_has_the_first_place_and_few_games_make_a_player_provisional() -> None:
    ratings = pd.DataFrame(
        {"player": ["ann", "bob", "cy"], "rating": [1.0, 3.0, 2.0], "ci_low": 0.0, "ci_high": 4.0}
    )
    by_method = {"history": MethodRatings({}, ratings)}
    table = league(GAMES, by_method, ["ann", "bob", "cy"], provisional=4)
    places = table[["place", "player", "provisional"]].to_numpy().tolist()
    assert places == [[1, "bob", False], [2, "cy", True], [3, "ann", True]]


def test_a_grid_shows_each_pair_from_both_sides() -> None:
    rows = [{"player": name, "link": f"#{name}"} for name in ("bob", "ann", "cy")]
    pairs = pd.DataFrame(
        {
            "player_p": ["ann"],
            "player_q": ["bob"],
            "p_wins": [1.0],
            "q_wins": [2.0],
            "chance": [0.5],
        }
    )
    pairs["p_better"] = 0.5
    results = grid(members(rows, pairs, {}))
    assert results["names"] == ["bob", "ann", "cy"]
    assert dict(results["rows"]) == {
        "bob": ["", "2–1", ""],
        "ann": ["1–2", "", ""],
        "cy": ["", "", ""],
    }
    assert grid(members(rows, pairs.head(0), {}))["rows"][0][1] == ["", "", ""]


def test_a_league_is_ordered_by_its_main_rating_and_players_without_one_are_last() -> None:
    games = games_of(("ann", "bob", 1.0), ("bob", "cy", 1.0))

    def ratings(**values: float) -> MethodRatings:
        table = {"player": list(values), "rating": list(values.values())}
        return MethodRatings({}, pd.DataFrame(table).assign(ci_low=0.0, ci_high=1.0))

    tables = {"elo": ratings(ann=3.0, bob=2.0, cy=1.0), "history": ratings(bob=1.0, cy=2.0)}
    table = league(games, tables, ["ann", "bob", "cy"])
    assert (main_rating(table), table["player"].tolist()) == ("history", ["cy", "bob", "ann"])
    assert main_rating(league(games, {}, ["ann"])) == ""
