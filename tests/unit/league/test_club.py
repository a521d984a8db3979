"""Lists of results as clubs keep them: what is no result is told from what is one, whatever program saved the list."""

from datetime import date
from pathlib import Path

import pytest

from bgrating.league.games import GamesReading, players_of
from bgrating.league.readers import read_games

TODAY = date(2026, 11, 22)


def read(folder: Path, text: str) -> GamesReading:
    path = folder / "club.csv"
    path.write_text(text, encoding="utf-8")
    return read_games(path, TODAY)


def flagged(reading: GamesReading) -> dict[int, tuple[str, bool]]:
    """Return reason, and whether it counts all the same, by row."""
    table = reading.flagged
    return {
        row: (reason, bool(rated))
        for row, reason, rated in zip(table["row"], table["reason"], table["rated"], strict=True)
    }


HEAD = "player1,player2,score1,score2,winner\nAnn,Bob,7,3,Ann\n"


@pytest.mark.parametrize("name", ["BYE", "bye", "(Bye)", "Bye 2", "Freilos", "spielfrei", "exempt"])
@pytest.mark.parametrize("row", ["Ann,{name},7,0,Ann", "{name},Ann,0,7,Ann", "Ann,{name},,,Ann", "Ann,{name},1,0,"])
def test_a_bye_is_known_and_not_rated(tmp_path: Path, name: str, row: str) -> None:
    reading = read(tmp_path, f"{HEAD}{row.format(name=name)}\n")
    assert players_of(reading.games) == ["Ann", "Bob"]
    assert len(reading.games) == 1
    assert flagged(reading) == {3: ("a bye: not rated", False)}


def test_a_player_whose_name_holds_the_word_is_none(tmp_path: Path) -> None:
    assert "Ann Bye" in players_of(read(tmp_path, f"{HEAD}Ann Bye,Bob,7,3,Ann Bye\n").games)


@pytest.mark.parametrize(
    "row",
    [
        "Ann,Bob,forfeit,,Ann",
        "Ann,Bob,w/o,,Ann",
        "Ann,Bob,W.O.,W.O.,Ann",
        "Ann,Bob,+,-,Ann",
        "Ann,Bob,7,0 (kampflos),Ann",
        "Ann,Bob,walkover,,",
        "Ann,Bob,7,0,forfeit",
    ],
)
def test_a_forfeit_is_known_and_not_rated(tmp_path: Path, row: str) -> None:
    reading = read(tmp_path, f"{HEAD}{row}\n")
    assert len(reading.games) == 1
    assert flagged(reading) == {3: ("a forfeit: not rated", False)}


@pytest.mark.parametrize("score", ["forfeit", "ff", "+:-", "7-0 forfeit", "default", "Walk-over"])
def test_a_forfeit_in_the_place_of_a_score_is_known(tmp_path: Path, score: str) -> None:
    reading = read(tmp_path, f"player1,player2,score,winner\nAnn,Bob,7-3,Ann\nAnn,Bob,{score},Ann\n")
    assert flagged(reading) == {3: ("a forfeit: not rated", False)}


def test_a_forfeit_in_a_remark_is_known(tmp_path: Path) -> None:
    text = "winner,loser,score,Bemerkung\nAnn,Bob,7-3,schön\nAnn,Bob,7-0,Bob kampflos\nBob,Ann,7-1,\n"
    reading = read(tmp_path, text)
    assert len(reading.games) == 2
    assert flagged(reading) == {3: ("a forfeit: not rated", False)}


def test_a_winner_without_a_score_is_flagged_where_others_have_one(tmp_path: Path) -> None:
    reason = "no score, while other rows have one: not rated"
    assert flagged(read(tmp_path, f"{HEAD}Ann,Bob,,,Ann\n")) == {3: (reason, False)}
    text = "winner,loser,score\nAnn,Bob,7-3\nAnn,Bob,\n"
    assert flagged(read(tmp_path, text)) == {3: (reason, False)}


def test_a_winner_is_enough_where_no_row_has_a_score(tmp_path: Path) -> None:
    reading = read(tmp_path, "player1,player2,score1,score2,winner\nAnn,Bob,,,Ann\nAnn,Bob,,,Bob\n")
    assert reading.games["first_score"].tolist() == [1, 0]
    assert flagged(reading) == {}


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
    assert flagged(reading) == {3: ("the score contradicts the winner", False)}


def test_a_winner_who_is_neither_player_is_flagged(tmp_path: Path) -> None:
    assert flagged(read(tmp_path, f"{HEAD}Ann,Bob,7,3,Cid\n")) == {3: ("the winner is neither of the players", False)}


def test_scores_that_no_match_ends_with_are_flagged(tmp_path: Path) -> None:
    text = "player1,player2,score,length\nAnn,Bob,7-3,7\nAnn,Bob,5-3,7\nAnn,Bob,8-7,7\n"
    assert flagged(read(tmp_path, text)) == {
        3: ("neither player has the 7 points of the match", False),
        4: ("both players have the 7 points of the match", False),
    }


def test_a_length_that_the_score_tells_is_used(tmp_path: Path) -> None:
    reading = read(tmp_path, "player1,player2,score,length\nAnn,Bob,7-3,\nAnn,Bob,2-5,\nAnn,Bob,9-3,7\n")
    assert reading.games["length"].tolist() == [7, 5, 7]
    assert read(tmp_path, "player1,player2,score\nAnn,Bob,7-3\n").games["length"].tolist() == [7]


def test_a_score_that_tells_no_length_is_taken_for_none(tmp_path: Path) -> None:
    """Where scores count sets, or where a gammon went beyond the length, the winner's points are no length."""
    assert "length" not in read(tmp_path, "player1,player2,score\nAnn,Bob,1-0\nBob,Ann,1-0\n").games
    text = "player1,player2,score\nAnn,Bob,7-3\nAnn,Bob,8-1\n"
    assert read(tmp_path, text).games["length"].isna().tolist() == [False, True]


def test_a_number_of_thousands_of_digits_is_a_row_like_any_other(tmp_path: Path) -> None:
    long = "9" * 4301
    text = f"date,player1,player2,score1,score2,length\n2026-01-01,Ann,Bob,7,3,7\n2026-01-01,Ann,Bob,{long},3,7\n"
    reading = read(
        tmp_path, f"{text}2026-01-01,Ann,Bob,7,3,{long}\n{long}-01-01,Ann,Bob,7,3,7\n01.01.{long},Ann,Bob,7,3,7\n"
    )
    assert len(reading.games) == 1
    assert sorted(flagged(reading)) == [3, 4, 5, 6]
