"""Files of games: every form is read, and every odd row is flagged while the rest is kept."""

from pathlib import Path

import pandas as pd
import pytest

from bgrating.ratings.fuse import fused, fused_names
from bgrating.ratings.games import RatingsError, Reading, players_of, require_players
from bgrating.ratings.readers import read_games


def read(folder: Path, text: str, name: str = "games.csv") -> Reading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_games(path)


def rows(reading: Reading) -> list[tuple[object, ...]]:
    return list(reading.games[["first", "second", "first_score", "count"]].itertuples(index=False, name=None))


def reasons(reading: Reading) -> list[tuple[int, str]]:
    return list(zip(reading.flagged["row"], reading.flagged["reason"], strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "first,second,first_score,count\nann,bob,1,2\nbob,ann,0.5,1\n",
        "\ufefffirst,second,first_score,count\r\nann,bob,1.0,2\r\nbob,ann,.5,1\r\n",
        "number\tfirst\tsecond\tfirst_score\tcount\n1\tann\tbob\t1\t2\n2\tbob\tann\t0.5\t1\n",
        "first,second,first_wins,second_wins,draws\nann,bob,2,0,0\nbob,ann,0,0,1\n",
        "home\taway\thome_wins\taway_wins\tdraws\nann\tbob\t2\t0\t0\nbob\tann\t0\t0\t1\n",
    ],
)
def test_tables_of_every_form_give_the_same_games(tmp_path: Path, text: str) -> None:
    reading = read(tmp_path, text)
    assert rows(reading) == [("ann", "bob", 1.0, 2), ("bob", "ann", 0.5, 1)]
    assert reasons(reading) == []
    assert reading.seats


def test_lines_of_results_keep_their_order(tmp_path: Path) -> None:
    reading = read(tmp_path, "ann bob 1.0 0.0\n\nbob ann 0.5 0.5\nann cid 0.0 1.0\n", "games.log")
    assert rows(reading) == [("ann", "bob", 1.0, 1), ("bob", "ann", 0.5, 1), ("ann", "cid", 0.0, 1)]
    assert reading.games["row"].tolist() == [1, 3, 4]


def test_a_quoted_name_may_hold_a_comma_and_a_tab_separated_one_spaces(tmp_path: Path) -> None:
    assert rows(read(tmp_path, 'first,second,first_score\n"Lee, Ann",bob,1\n'))[0][0] == "Lee, Ann"
    assert rows(read(tmp_path, "first\tsecond\tfirst_score\nNew York\tbob\t1\n"))[0][0] == "New York"


def test_odd_rows_are_flagged_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = "first,second,first_score,count\n" + "\n".join(
        [
            "ann,bob,1,1",
            "ann,ann,1,3",
            "ann,bob,1.5,1",
            "ann,bob,-0.1,1",
            "ann,bob,won,1",
            "ann,bob,1,2.5",
            "ann,bob,1,-1",
            ",bob,1,1",
            "ann,bob,1",
            "ann,bob,1,0",
            "bob,ann,0,1",
            "",
        ]
    )
    reading = read(tmp_path, text)
    assert rows(reading) == [("ann", "bob", 1.0, 1), ("bob", "ann", 0.0, 1)]
    assert reasons(reading) == [
        (3, "a player against itself: not rated"),
        (4, "the score is outside 0 to 1"),
        (5, "the score is outside 0 to 1"),
        (6, "the score is not a number"),
        (7, "the count is not a whole number"),
        (8, "the count is not a whole number"),
        (9, "a name is empty"),
        (10, "3 fields instead of 4"),
    ]
    assert reading.self_play["count"].tolist() == [3]


def test_odd_lines_are_flagged_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = "ann bob 1.0 0.0\nann ann 1.0 0.0\nann bob 2.0 -1.0\nann bob 1.0 1.0\nann bob 0.5 x\nann bob 1.0\n"
    reading = read(tmp_path, text, "games.log")
    assert rows(reading) == [("ann", "bob", 1.0, 1)]
    assert [row for row, _ in reasons(reading)] == [2, 3, 4, 5, 6]
    assert reasons(reading)[2][1] == "the two results do not add up to 1"


LOG = "ann bob 1.0 0.0\nbob ann 0.5 0.5\nbob ann 0.0 1.0\n"


@pytest.mark.parametrize("cut", range(1, 16))
def test_a_log_cut_off_in_the_middle_of_its_last_line_loses_that_line_only(tmp_path: Path, cut: int) -> None:
    reading = read(tmp_path, LOG[:-cut], "games.log")
    whole = cut == 1
    assert rows(reading) == [("ann", "bob", 1.0, 1), ("bob", "ann", 0.5, 1)] + [("bob", "ann", 0.0, 1)] * whole
    assert len(reading.flagged) == 1
    assert reading.flagged["rated"].tolist() == [whole]
    assert reading.flagged["reason"].str.startswith("the file ends").all()


def test_a_table_cut_off_in_its_last_number_loses_that_row_only(tmp_path: Path) -> None:
    text = "first,second,first_score,count\nann,bob,1,400\nbob,ann,0,389\n"
    assert rows(read(tmp_path, text[:-2])) == [("ann", "bob", 1.0, 400)]
    assert rows(read(tmp_path, text[:-1])) == [("ann", "bob", 1.0, 400), ("bob", "ann", 0.0, 389)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game to rate"),
        ("first,second,first_score\n", "no game to rate"),
        ("first,second,first_score\nann,ann,1\n", "no game to rate .*against itself"),
        ("a,b,c\n1,2,3\n", "not a form that is known"),
        ("hello\n", "not a form that is known"),
    ],
)
def test_a_file_without_games_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RatingsError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_no_text_and_one_that_is_not_there_are_one_error_each(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(RatingsError, match="no such file"):
        read_games(path)
    path.write_bytes(b"first,second,first_score\n\xff\xfe,b,1\n")
    with pytest.raises(RatingsError, match="not a text in UTF-8"):
        read_games(path)


def test_our_match_tables_are_read_without_seats(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "match_length": [5, 5, 5],
            "player": ["weak", "weak", "weak"],
            "opponent": ["expert"] * 3,
            "player_score": [5, 2, 3],
            "opponent_score": [1, 6, 3],
        }
    )
    table.to_parquet(tmp_path / "5.parquet")
    reading = read_games(tmp_path / "5.parquet")
    assert rows(reading) == [("weak", "expert", 1.0, 1), ("weak", "expert", 0.0, 1)]
    assert reasons(reading) == [(3, "no result")]
    assert not reading.seats
    table.drop(columns="player_score").to_parquet(tmp_path / "x.parquet")
    with pytest.raises(RatingsError, match="player_score missing"):
        read_games(tmp_path / "x.parquet")


def test_tables_with_a_row_per_match_and_player_are_read_once_a_match(tmp_path: Path) -> None:
    text = (
        "file,match,player,opponent,side,won\n"
        "a,1,'=ann,bob,left,true\na,1,bob,'=ann,right,false\n"
        "b,1,bob,'=ann,left,\nb,1,'=ann,bob,right,\n"
    )
    reading = read(tmp_path, text, "matches.csv")
    assert rows(reading) == [("=ann", "bob", 1.0, 1)]
    assert reasons(reading) == [(2, "no result")]


def test_fused_names_go_to_the_first_step_at_or_above_their_number() -> None:
    names = [
        "azero0",
        "azero1",
        "azero12345",
        "azero20000-t1",
        "azero20001-t1",
        "azero99999",
        "minimax",
        "minimax2",
        "m-t1",
    ]
    assert fused_names(names, [0, 1000, 20000, 30000]) == {
        "azero0": "azero0",
        "azero1": "azero1000",
        "azero12345": "azero20000",
        "azero20000-t1": "azero20000-t1",
        "azero20001-t1": "azero30000-t1",
        "azero99999": "azero99999",
        "minimax": "minimax",
        "minimax2": "minimax2",
        "m-t1": "m-t1",
    }


def test_games_between_players_that_become_one_are_dropped(tmp_path: Path) -> None:
    games = read(tmp_path, "first,second,first_score,count\na5,a7,1,3\na5,b,0,2\n").games
    joined, dropped = fused(games, [10, 20])
    assert dropped == 3
    assert joined[["first", "second", "count"]].to_numpy().tolist() == [["a10", "b", 2]]
    with pytest.raises(RatingsError, match="rising"):
        fused(games, [20, 10])


def test_an_unknown_player_is_named_with_those_like_it(tmp_path: Path) -> None:
    known = players_of(read(tmp_path, "first,second,first_score\nminimax,random,1\n").games)
    with pytest.raises(RatingsError, match=r"fix: no games of a player 'minmax'; like it: minimax"):
        require_players(["minmax"], known, "fix")
    with pytest.raises(RatingsError, match="there are 2 players"):
        require_players(["qqqq"], known, "subset")
