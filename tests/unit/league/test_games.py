"""Files of games: every form is read, and every odd row is flagged while the rest is kept."""

from datetime import date
from pathlib import Path

import pytest

from bgrating.league.games import GamesReading, fused, fused_names, players_of, require_players
from bgrating.league.readers import read_games
from bgrating.league.settings import RatingsError


def read(folder: Path, text: str, name: str = "games.csv") -> GamesReading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_games(path)


def rows(reading: GamesReading) -> list[tuple[object, ...]]:
    return list(reading.games[["first", "second", "first_score", "count"]].itertuples(index=False, name=None))


def reasons(reading: GamesReading) -> list[tuple[int, str]]:
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
        ("a,b,c\n1,2,3\n", "its first line .a,b,c. is not .*: begin with .* date,player1,player2,score1,score2,length"),
        ("hello\n", "its first line .hello. is not a form that is known"),
    ],
)
def test_a_file_without_games_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RatingsError, match=f"{message}[^\n]*$"):  # one line, so one sentence on the terminal
        read(tmp_path, text)


def test_a_file_that_is_no_text_and_one_that_is_not_there_are_one_error_each(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(RatingsError, match="no such file"):
        read_games(path)
    path.write_bytes(b"first,second,first_score\n\x81,b,1\n")
    with pytest.raises(RatingsError, match="not a text in UTF-8, UTF-16 or Windows-1252"):
        read_games(path)


def test_tables_with_a_row_per_match_and_player_are_read_once_a_match(tmp_path: Path) -> None:
    text = (
        "file,match,player,opponent,side,won\n"
        "a,1,'=ann,bob,left,true\na,1,bob,'=ann,right,false\n"
        "b,1,bob,'=ann,left,\nb,1,'=ann,bob,right,\n"
    )
    reading = read(tmp_path, text, "matches.csv")
    assert rows(reading) == [("=ann", "bob", 1.0, 1)]
    assert reasons(reading) == [(2, "no result")]
    assert not reading.seats


TODAY = date(2026, 11, 22)


def of_club(folder: Path, text: str) -> GamesReading:
    path = folder / "club.csv"
    path.write_text(text, encoding="utf-8")
    return read_games(path, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "date,player1,player2,score1,score2,length\n2026-03-14,Ann,Bob,7,4,7\n2026-03-15,Bob,Ann,7,2,7\n",
        "Date;Player A;Player B;Score A;Score B;Match length\n14.03.2026;Ann;Bob;7;4;7\n15.3.26;Bob;Ann;7;2;7 points\n",
        "Played on\tP1\tP2\tScore\tN\n3/14/2026\tAnn\tBob\t7-4\t7\n3/15/2026\tBob\tAnn\t7 : 2\t7\n",
        "winner,loser,date,to\nAnn,Bob,2026-03-14,7\nBob,Ann,2026-03-15 20:30,7\n",
        "player_1,player_2,winner,date,len\nAnn,Bob,Ann,2026/03/14,7\nBob,Ann,1,2026/03/15,7\n",
    ],
)
def test_a_clubs_list_is_read_whatever_its_columns_are_called(tmp_path: Path, text: str) -> None:
    reading = of_club(tmp_path, text)
    assert rows(reading) == [("Ann", "Bob", 1.0, 1), ("Bob", "Ann", 1.0, 1)]
    assert reading.games["date"].tolist() == ["2026-03-14", "2026-03-15"]
    assert reading.games["length"].tolist() == [7, 7]
    assert reasons(reading) == []
    assert not reading.seats


def test_odd_rows_of_a_clubs_list_are_flagged_and_the_rest_goes_on_by_date(tmp_path: Path) -> None:
    good = "2026-03-14,Ann,Bob,7,4,7,x\n2026-03-13,Bob,Ann,7,4,7,x\n"
    odd = (
        "2026-03-14,Ann,Bob,7,7,7,x\n2027-01-01,Ann,Bob,7,4,7,x\n2026-02-30,Ann,Bob,7,4,7,x\n"
        "2026-03-14,Ann,Ann,7,4,7,x\n2026-03-14,Ann,Bob,5,4,7,x\n2026-03-14,Ann,Bob,7,4,1000,x\n,Ann,Bob,7,4,7,x\n"
        "2026-03-14,Ann,Bob,4,4,,x\n2026-03-14,Ann,Bob,won,4,7,x\n"
    )
    reading = of_club(tmp_path, "date,player1,player2,score1,score2,length,event\n" + good + odd)
    assert reasons(reading) == [
        (1, "columns that are not used: event"),
        (4, "a tie: a match has a winner"),
        (5, "the date lies in the future"),
        (6, "not a date: 2026-02-30 (write 2026-03-14)"),
        (7, "a player against itself: not rated"),
        (8, "neither player has the 7 points of the match"),
        (9, "the length is not a whole number of 1 to 99 points"),
        (10, "no date: it takes no part in ratings over time"),
        (11, "a tie: half a win for each"),
        (12, "no result"),
    ]
    assert reading.flagged.loc[reading.flagged["rated"].astype(bool), "row"].tolist() == [1, 10, 11]
    assert reading.games["row"].tolist() == [10, 3, 2, 11]


def test_dates_that_can_be_read_two_ways_are_read_one_way_and_flagged(tmp_path: Path) -> None:
    reading = of_club(tmp_path, "date,player1,player2,score\n03/04/2026,Ann,Bob,7-4\n")
    assert reading.games["date"].tolist() == ["2026-04-03"]
    assert reasons(reading) == [(1, "dates such as 03/04/2026 were read with the day first; write 2026-04-03")]


def test_an_accent_written_two_ways_is_one_player(tmp_path: Path) -> None:
    text = "first,second,first_score\nJos\u00e9,bob,1\nJose\u0301,bob,0\nJose\u0301,Jos\u00e9,1\n"
    reading = read(tmp_path, text)
    assert players_of(reading.games) == ["Jos\u00e9", "bob"]
    assert reasons(reading) == [(4, "a player against itself: not rated")]


def test_a_quotation_mark_that_is_not_closed_spoils_its_own_line_only(tmp_path: Path) -> None:
    text = 'first,second,first_score\nann,bob,1\n"ann,bob,1\nbob,ann,1\nann,"bob" x,0\nbob,ann,0\n'
    reading = read(tmp_path, text)
    assert reading.games["row"].tolist() == [2, 4, 6]
    assert [row for row, _ in reasons(reading)] == [3, 5]
    assert reasons(reading)[0][1] == "a quotation mark is not closed in this line"


def test_counts_that_no_number_of_games_has_are_flagged(tmp_path: Path) -> None:
    reading = read(tmp_path, "first,second,first_score,count\nann,bob,1,1e308\nann,bob,1,inf\nbob,ann,1,3\n")
    assert rows(reading) == [("bob", "ann", 1.0, 3)]
    assert [reason for _, reason in reasons(reading)] == [
        "the count is more than 1,000,000,000,000 games",
        "the count is not a whole number",
    ]


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
