"""Lists of results as clubs keep them: what is no result is told from what is one, whatever program saved the list."""

from datetime import date
from pathlib import Path

import pytest

from bgrating.league.games import players_of
from bgrating.league.readers import read_games
from bgrating.league.settings import GamesToRate
from unit.league.test_readers import require_flags

TODAY = date(2026, 11, 22)


def read(folder: Path, text: str) -> GamesToRate:
    path = folder / "club.csv"
    path.write_text(text, encoding="utf-8")
    return read_games(path, TODAY)


def require_unrated(reading: GamesToRate, words: dict[int, str]) -> None:
    require_flags(reading, words)
    assert not reading.flagged["rated"].any()


HEAD = "player1,player2,score1,score2,winner\nAnn,Bob,7,3,Ann\n"


@pytest.mark.parametrize("name", ["BYE", "(Bye)", "Bye 2", "Freilos", "N/A", "TBD", "No opponent", "-", "???"])
@pytest.mark.parametrize("row", ["Ann,{name},7,0,Ann", "{name},Ann,0,7,Ann", "Ann,{name},,,Ann", "Ann,{name},1,0,"])
def test_a_bye_is_known_and_not_rated(tmp_path: Path, name: str, row: str) -> None:
    reading = read(tmp_path, f"{HEAD}{row.format(name=name)}\n")
    assert players_of(reading.games) == ["Ann", "Bob"]
    assert len(reading.games) == 1
    require_unrated(reading, {3: "a bye"})


SCORED = "player1,player2,score,winner\nAnn,Bob,7-3,Ann\n"
REMARKED = "winner,loser,score,Bemerkung\nAnn,Bob,7-3,schön\n"


@pytest.mark.parametrize(
    ("head", "row"),
    [
        *(
            (HEAD, f"Ann,Bob,{cells}")
            for cells in ("forfeit,,Ann", "W.O.,W.O.,Ann", "7,0 (kampflos),Ann", "7,0,forfeit")
        ),
        *(
            (SCORED, f"Ann,Bob,{score},Ann")
            for score in ("forfeit", "ff", "+:-", "7-0 forfeit", "default", "Walk-over")
        ),
        (REMARKED, "Ann,Bob,7-0,Bob kampflos"),
    ],
)
def test_a_forfeit_is_known_and_not_rated(tmp_path: Path, head: str, row: str) -> None:
    reading = read(tmp_path, f"{head}{row}\n")
    assert len(reading.games) == 1
    require_unrated(reading, {3: "a forfeit"})


def test_a_winner_without_a_score_is_flagged_where_others_have_one(tmp_path: Path) -> None:
    reason = "no score"
    require_unrated(read(tmp_path, f"{HEAD}Ann,Bob,,,Ann\n"), {3: reason})
    text = "winner,loser,score\nAnn,Bob,7-3\nAnn,Bob,\n"
    require_unrated(read(tmp_path, text), {3: reason})


def test_a_winner_is_enough_where_no_row_has_a_score(tmp_path: Path) -> None:
    reading = read(tmp_path, "player1,player2,score1,score2,winner\nAnn,Bob,,,Ann\nAnn,Bob,,,Bob\n")
    assert reading.games["first_score"].tolist() == [1, 0]
    require_flags(reading, {})


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}Ann,Bob,3,7,Ann\n",
        f"{HEAD}Ann,Bob,7,3,2\n",
        "winner,loser,score\nAnn,Bob,7-3\nAnn,Bob,3-7\n",
        "player1,player2,score,winner\nAnn,Bob,7-3,Ann\nAnn,Bob,7-3,Bob\n",
    ],
)
def test_a_score_that_contradicts_the_winner_is_flagged_and_not_rated(tmp_path: Path, text: str) -> None:
    reading = read(tmp_path, text)
    assert len(reading.games) == 1
    require_unrated(reading, {3: "contradicts"})


@pytest.mark.parametrize(
    ("text", "games", "rated", "note"),
    [
        ("date,player1,player2,score\n2026-01-14,ann,bob,7-4\n2026-01-14,ann , bob,7-4\n", 2, [], "1 row repeated"),
        ("date,player1,player2,score,room\n2026-01-14,ann,bob,7-4,A\n2026-01-14,ann,bob,7-4,B\n", 2, [], ""),
        ("player1,player2,score\nann,bob,7-4\nann,bob,7-4\nann,bob,7-4\n", 3, [], "2 rows repeated"),
        ("Match ID,player1,player2,score\n1,ann,bob,7-4\n1,ann,bob,7-4\n2,ann,bob,7-4\n", 2, [False], ""),
        ("no,player1,player2,score\n1,ann,bob,7-4\n1,ann,bob,7-4\n1,ann,cy,7-4\n", 3, [], "1 row repeated"),
        ("when,winner,loser\n2026-01-14 20:30,ann,bob\n2026-01-14 20:30,ann,bob\n", 1, [False], ""),
        ("when,winner,loser\n2026-01-14 00:00:00,ann,bob\n2026-01-14 00:00:00,ann,bob\n", 2, [], "1 row repeated"),
        ("date,winner,loser,nr\n2026-01-14,ann,bob,1\n2026-01-14,ann,bob,2\n", 2, [], ""),
        ("id,winner,loser\n,ann,bob\n,ann,bob\n", 2, [], "1 row repeated"),
    ],
)
def test_equal_rows_are_games_unless_an_id_or_a_time_says_otherwise(
    tmp_path: Path, text: str, games: int, rated: list[bool], note: str
) -> None:
    reading = read(tmp_path, text)
    assert len(reading.games) == games
    assert reading.flagged["rated"].tolist() == rated
    assert [one for one in reading.notes if "repeated" in one] == [one for one in reading.notes if note]
    assert note in " ".join(reading.notes)
    assert reading.flagged["reason"].str.contains("counted once").tolist() == [True] * len(rated)


def test_a_winner_and_a_loser_are_the_players_where_a_further_column_is_called_player(tmp_path: Path) -> None:
    games = read(tmp_path, "player,winner,loser\nx,Ann,Bob\ny,Bob,Ann\n").games
    assert games[["first", "second"]].to_numpy().tolist() == [["Ann", "Bob"], ["Bob", "Ann"]]


@pytest.mark.parametrize(
    ("row", "reason"), [("Ann,,7,3,", "a name is"), (",Ann,3,7,", "a name is"), ("Ann,,7,,", "not a score")]
)
def test_an_empty_name_is_no_winner(tmp_path: Path, row: str, reason: str) -> None:
    require_unrated(read(tmp_path, f"{HEAD}{row}\n"), {3: reason})


def test_equal_days_keep_the_order_of_the_list_however_they_are_written(tmp_path: Path) -> None:
    text = "date,winner,loser\n2026-01-02 21:00,Ann,Bob\n2026-01-02,Bob,Cy\n2026-01-02 21:00,Cy,Ann\n"
    assert read(tmp_path, f"{text}2026-01-01,Di,Ann\n").games["row"].tolist() == [5, 2, 3, 4]


def test_a_score_that_tells_no_length_is_taken_for_none(tmp_path: Path) -> None:
    """Where scores count sets, or where a gammon went beyond the length, the winner's points are no length."""
    assert "length" not in read(tmp_path, "player1,player2,score\nAnn,Bob,1-0\nBob,Ann,1-0\n").games
    text = "player1,player2,score\nAnn,Bob,7-3\nAnn,Bob,8-1\n"
    assert read(tmp_path, text).games["length"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "date,player1,player2,score1,score2,length\n2026-03-14,Ann,Bob,7,4,7\n2026-03-15,Bob,Ann,7,2,7\n",
        "Date;Player A;Player B;Score A;Score B;Match length\n14.03.2026;Ann;Bob;7;4;7\n15.3.26;Bob;Ann;7;2;7 points\n",
        "Played on\tP1\tP2\tScore\tN\n3/14/2026\tAnn\tBob\t7-4\t7\n3/15/2026\tBob\tAnn\t7 : 2\t7\n",
        "Datum;Heim;Gast;Punkte 1;Punkte 2;Länge\n14.3.2026;Ann;Bob;7,0;4,0;7,0\n15.3.2026;Bob;Ann;7,0;2,0;7,0\n",
        "Datum\tHeim\tGast\tErgebnis\tbis\n14.3.2026\tAnn\tBob\t7\u2009–\u20094\t7\xa0Punkte\n15.3.2026\tBob\tAnn\t7-2\t7\n",
        "winner,loser,date,to\nAnn,Bob,2026-03-14,7\nBob,Ann,2026-03-15 20:30,7\n",
        "player_1,player_2,winner,date,len\nAnn,Bob,Ann,2026/03/14,7\nBob,Ann,1,2026/03/15,7\n",
    ],
)
def test_a_clubs_list_is_read_whatever_its_columns_are_called(tmp_path: Path, text: str) -> None:
    reading = read(tmp_path, text)
    assert reading.games[["first", "second", "first_score"]].to_numpy().tolist() == [
        ["Ann", "Bob", 1],
        ["Bob", "Ann", 1],
    ]
    assert reading.games["date"].tolist() == ["2026-03-14", "2026-03-15"]
    assert reading.games["length"].tolist() == [7, 7]
    require_flags(reading, {})
    assert not reading.seats


def test_odd_rows_of_a_clubs_list_are_flagged_and_the_rest_goes_on_by_date(tmp_path: Path) -> None:
    good = "2026-03-14,Ann,Bob,7,4,7,x\n2026-03-13,Bob,Ann,7,4,7,x\n"
    odd = (
        "2026-03-14,Ann,Bob,7,7,7,x\n2027-01-01,Ann,Bob,7,4,7,x\n2026-02-30,Ann,Bob,7,4,7,x\n"
        "2026-03-14,Ann,Ann,7,4,7,x\n2026-03-14,Ann,Bob,5,4,7,x\n2026-03-14,Ann,Bob,7,4,1000,x\n,Ann,Bob,7,4,7,x\n"
        "2026-03-14,Ann,Bob,4,4,,x\n2026-03-14,Ann,Bob,won,4,7,x\n"
    )
    reading = read(tmp_path, "date,player1,player2,score1,score2,length,event\n" + good + odd)
    words = {
        4: "a tie",
        5: "future",
        6: "2026-02-30",
        7: "both sides",
        8: "7 points",
        9: "length",
        10: "no date",
        11: "a tie",
        12: "not a score",
    }
    require_flags(reading, words)
    assert reading.flagged.loc[reading.flagged["rated"].astype(bool), "row"].tolist() == [10, 11]
    assert reading.notes == ("columns that are not used: event",)
    assert reading.games["row"].tolist() == [10, 3, 2, 11]
