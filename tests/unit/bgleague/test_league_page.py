"""The page of a league."""

import re
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

import browser
from bgleague.league_page import _figure, page, summary
from bgleague.run import League, rate_results
from bgleague.settings import RatingsSettings


def test_a_curve_ends_at_the_last_rating() -> None:
    curves = pd.DataFrame({"player": "ann", "at": range(9), "rating": range(1500, 1590, 10)})
    assert "ann: 1,580</title>" in _figure("Ratings", curves, ["ann"], ("first", "last"))["drawn"]


@pytest.mark.parametrize("methods", [(), ("eloworld",), ("elo",)])
def test_every_choice_of_systems_has_a_page(tmp_path: Path, methods: tuple[str, ...]) -> None:
    results = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\n"
    text = page(rated(tmp_path, results, methods), "x")
    assert ("<h2>Standing</h2>" in text) is (methods != ("eloworld",))
    assert "The other systems" in text


def test_the_answer_gives_shares_to_a_thousandth_and_ratings_to_a_point(tmp_path: Path) -> None:
    games = "first,second,first_wins,second_wins\na,b,2,1\nb,a,1,2\n"
    draws = "first,second,first_score,count\na,b,0.5,1\na,b,1,2\nb,a,1,1\n"

    def row_of_a(text: str, method: str) -> str:
        lines = summary(rated(tmp_path, text, (method,)), "x").splitlines()
        (line,) = [" ".join(line.split()) for line in lines if " a " in line]
        return line

    assert row_of_a(games, "eloworld") == "1 a 4 of 6 0.667"
    assert row_of_a(draws, "eloworld").startswith("1 a 2.5 of 4 ")
    # 200 log3(2) / 2 = 63 points from the mean
    assert row_of_a(games, "logistic").startswith("1 a 4 of 6 1,563 ")


def test_years_come_before_months_and_each_has_its_table(tmp_path: Path) -> None:
    months = ("2025-11", "2025-12", "2026-01", "2026-02")
    text = page(club(tmp_path, *(f"{month}-03,ann,bob,7,3,7" for month in months)), "x")
    periods = re.findall(r"<summary>([0-9-]+): ", text)
    assert periods == ["2026", "2025", "2026-02", "2026-01", "2025-12", "2025-11"]
    first = text.partition("<h2>All time</h2>")[2]
    season = first.partition("<h2>Season 2026</h2>")[2].partition("</section>")[0]
    scores = re.findall(r">(ann|bob)</td><td class=\"n\">(\d of \d)<", season)
    assert scores == [("ann", "2 of 2"), ("bob", "0 of 2")]


def test_a_club_of_one_year_has_no_months_and_fits_on_a_sheet(tmp_path: Path) -> None:
    months = ("2026-01", "2026-02", "2026-03")
    text = page(club(tmp_path, *(f"{month}-03,ann,bob,7,3,7" for month in months)), "x")
    assert re.findall(r"<summary>([0-9-]+): ", text) == ["2026"]
    assert "<h2>Standing</h2>" in text
    assert "Season" not in text
    (sheet,) = sheets_of(text, tmp_path)
    assert all(heading in sheet for heading in ("ann", "bob", "Standing", "2026"))


def sheets_of(text: str, folder: Path) -> list[str]:
    """Return the text of each sheet of a page on paper."""
    (folder / "club.html").write_text(text, encoding="utf-8")
    with browser.opened(folder / "club.html") as tab:
        return tab.paper().rstrip("\f").split("\f")


def test_twelve_members_of_two_years_fit_on_a_sheet(tmp_path: Path) -> None:
    """The season stood on it twice: beside the standing, and on a second sheet."""
    pairs = list(combinations([f"Member {letter}" for letter in "ABCDEFGHIJKL"], 2))
    rows = []
    for number, (first, second) in enumerate(pairs):
        day = f"{1 + number % 9:02}-03"
        rows += [f"{year}-{day},{first},{second},7,3,7" for year in (2024, 2025)]
    (sheet,) = sheets_of(page(club(tmp_path, *rows), "x"), tmp_path)
    assert all(heading in sheet for heading in ("All time", "Season 2025", "Who beat whom"))


@pytest.mark.parametrize(("players", "told"), [(20, []), (21, ["… and 1 more: league.csv"])])
def test_the_answer_lists_twenty_players(tmp_path: Path, players: int, told: list[str]) -> None:
    rows = [f"p{number},p{number + 1},{number},1" for number in range(1, players)]
    chain = "\n".join(["first,second,first_wins,second_wins", *rows, ""])
    lines = summary(rated(tmp_path, chain, ("elo",)), "x").splitlines()
    assert [line for line in lines if line.startswith("…")] == told


def rated(folder: Path, text: str, methods: tuple[str, ...] = ()) -> League:
    (folder / "list.csv").write_text(text)
    settings = RatingsSettings(methods=methods) if methods else None
    return rate_results([folder / "list.csv"], settings)


def club(folder: Path, *rows: str) -> League:
    """Return the league of a list of results."""
    return rated(folder, "\n".join(["date,player1,player2,score1,score2,length", *rows, ""]))


def test_the_page_names_a_shared_first_place_and_names_that_may_be_one_person(
    tmp_path: Path,
) -> None:
    rows = ("2026-01-02,Ann Lee,Bob Ray,7,4,7", "2026-01-03,Cyd Moss,Dan Ortiz,7,5,7")
    text = page(club(tmp_path, *rows, '2025-12-30,"Lee, Ann",Bob Ray,7,3,7'), "x")
    assert "2026: Ann Lee and 1 other are first with 1 of 1" in text
    assert "2025: Lee, Ann is first with 1 of 1" in text
    assert "1 pair of names may be one person." in text.split("<h2>Standing</h2>")[0]


def test_equal_ratings_share_a_place_and_a_single_day_is_named_once(tmp_path: Path) -> None:
    pairs = ("Ann,Bob", "Bob,Cyd", "Cyd,Ann")
    league = club(tmp_path, *(f"2026-01-02,{pair},7,3,7" for pair in pairs))
    text = page(league, "x")
    assert [row["place"] for row in league.standing[1]] == [1, 1, 1]
    assert "<b>Ann and 2 others are first with 1,500.</b>" in text
    lines = summary(league, "x").splitlines()
    headline = next(line for line in lines if line.startswith("Chance of being"))
    assert headline in text.translate(str.maketrans("", "", "\u2068\u2069"))
    shares = [int(share) for share in re.findall(r"(\d+)%", headline)]
    assert len(shares) == 3
    assert all(31 <= share <= 36 for share in shares)
    assert [f'id="member-{number}"' in text for number in range(1, 5)] == [True, True, True, False]
    assert lines[0] == "3 matches of 3 players, 2026-01-02"
    assert "3 matches of 3 players, 2026-01-02." in text


def test_a_draw_is_half_a_win_in_every_table(tmp_path: Path) -> None:
    rows = "ann,bob,0.5\nann,bob,1\nbob,cy,0.5\ncy,ann,0\n,ann,1\n"
    text = page(rated(tmp_path, f"first,second,first_score\n{rows}", ("logistic",)), "x")
    tables = re.split(r"<h[23][^>]*>", text)
    heads = ("Standing", "Who beat whom", "ann:", "All systems")
    sections = {head: one for one in reversed(tables) for head in heads if one.startswith(head)}
    standing, who, member, all_systems = (sections[head] for head in heads)
    assert '<td class="n minor">2.5 of 3</td>' in standing
    assert '<td class="n">1.5–0.5</td>' in who
    assert "Place 1, 2.5–0.5;" in member
    assert "2.5 of 3" in all_systems
    assert '<td class="n">1.5</td><td class="n">0.5</td>' in all_systems
    assert "<td>no</td>" in text.split('id="flagged-rows"')[1]
