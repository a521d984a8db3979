"""Files of games: every form is read, and every odd row is flagged while the rest is kept."""

from pathlib import Path

import pytest

from bgrating.league.games import players_of
from bgrating.league.readers import read_games
from bgrating.league.settings import GamesToRate, RatingsError


def read(folder: Path, text: str, name: str = "games.csv") -> GamesToRate:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_games(path)


def rows(reading: GamesToRate) -> list[tuple[object, ...]]:
    return list(reading.games[["first", "second", "first_score", "count"]].itertuples(index=False, name=None))


def require_flags(reading: GamesToRate, words: dict[int, str]) -> None:
    """Check that the rows of `words` are flagged, each for a reason that contains its word."""
    reasons = dict(zip(reading.flagged["row"], reading.flagged["reason"], strict=True))
    assert sorted(reasons) == sorted(words), reasons
    assert [reason for row, reason in reasons.items() if words[row] not in reason] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game to rate"),
        ("first,second,first_score\n", "no game to rate"),
        ("first,second,first_score\nann,ann,1\n", "no game to rate .*one name on both sides"),
        ("a,b,c\n1,2,3\n", "its first line .a,b,c. is not .*: begin with .* date,player1,player2,score1,score2,length"),
        ("hello\n", "its first line .hello."),
    ],
)
def test_a_file_without_games_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RatingsError, match=f"{message}[^\n]*$"):  # one line, so one sentence on the terminal
        read(tmp_path, text)


def test_a_file_that_is_no_text_and_one_that_is_not_there_are_one_error_each(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(RatingsError, match="no such file"):
        read_games(path)
    path.write_bytes(b"first,second,first_score\n\x81\x8d\x8f\x90,b,1\n")
    with pytest.raises(RatingsError, match="not a text in UTF-8, UTF-16 or another"):
        read_games(path)


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
    require_flags(reading, {})
    assert reading.seats


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
    require_flags(
        reading,
        {
            3: "both sides",
            4: "0 to 1",
            5: "0 to 1",
            6: "score",
            7: "count",
            8: "count",
            9: "name is empty",
            10: "3 fields",
        },
    )
    assert reading.self_play["count"].tolist() == [3]


def test_odd_lines_are_flagged_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = "ann bob 1.0 0.0\nann ann 1.0 0.0\nann bob 2.0 -1.0\nann bob 1.0 1.0\nann bob 0.5 x\nann bob 1.0\n"
    reading = read(tmp_path, text, "games.log")
    assert rows(reading) == [("ann", "bob", 1.0, 1)]
    require_flags(reading, {2: "both sides", 3: "0 to 1", 4: "add up to 1", 5: "add up to 1", 6: "3 fields"})


LOG = "ann bob 1.0 0.0\nbob ann 0.5 0.5\nbob ann 0.0 1.0\n"


def test_a_log_cut_off_in_its_last_line_loses_that_line_only_and_says_so(tmp_path: Path) -> None:
    reading = read(tmp_path, LOG[:-6], "games.log")
    assert rows(reading) == [("ann", "bob", 1.0, 1), ("bob", "ann", 0.5, 1)]
    require_flags(reading, {3: "3 fields instead of 4"})
    assert ["without a line end" in note for note in reading.notes] == [True]
    assert read(tmp_path, LOG, "games.log").notes == ()


def test_an_accent_written_two_ways_is_one_player(tmp_path: Path) -> None:
    text = "first,second,first_score\nJos\u00e9,bob,1\nJose\u0301,bob,0\nJose\u0301,Jos\u00e9,1\n"
    reading = read(tmp_path, text)
    assert players_of(reading.games) == ["Jos\u00e9", "bob"]
    require_flags(reading, {4: "both sides"})


def test_a_quotation_mark_that_is_not_closed_spoils_its_own_line_only(tmp_path: Path) -> None:
    text = 'first,second,first_score\nann,bob,1\n"ann,bob,1\nbob,ann,1\nann,"bob" x,0\nbob,ann,0\n'
    reading = read(tmp_path, text)
    assert reading.games["row"].tolist() == [2, 4, 6]
    require_flags(reading, {3: "quotation mark", 5: ""})
