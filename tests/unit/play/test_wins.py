"""Who won, from match texts that end in every way gnubg ends them."""

import zipfile

import pytest

from bgrating.play.wins import UnfinishedError, count, left_won

HEAD = (
    " 5 point match\n\n Game 1\n player : {a}                     opponent : {b}\n  1) 31: 8/5 6/5   42: 24/20 13/11\n"
)
LEFT_WINS = "      Wins {n} point{s}\n"
RIGHT_WINS = "                                  Wins {n} point{s}\n"
LEFT_DROPS = "  3)  Drops                       Wins 1 point \n"


def text(a, b, end, n=1):
    return HEAD.format(a=a, b=b) + end.format(n=n, s="" if n == 1 else "s") + "\n"


def test_the_winner_stands_in_his_column():
    assert left_won(text(4, 3, LEFT_WINS), "x")
    assert left_won(text(3, 4, LEFT_WINS, 2), "x")
    assert not left_won(text(4, 4, RIGHT_WINS), "x")
    assert not left_won(text(0, 4, LEFT_DROPS), "x")


def test_the_last_of_several_games_decides():
    first = text(0, 0, RIGHT_WINS, 4)
    second = text(0, 4, LEFT_WINS, 8).replace(" 5 point match\n", "").replace("Game 1", "Game 2")
    assert left_won(first + second, "x")


@pytest.mark.parametrize(
    "wrong",
    [
        text(0, 0, LEFT_WINS),  # the match goes on
        text(4, 3, ""),  # the game has no end
        text(4, 5, LEFT_WINS),  # both have won
        "",
        text(4, 3, LEFT_WINS).replace("5 point match", "a match"),
    ],
)
def test_a_match_without_a_winner_is_named(wrong):
    with pytest.raises(UnfinishedError, match=r"0\.zip: 7 names no winner"):
        left_won(wrong, "0.zip: 7")


def test_an_archive_is_counted(tmp_path):
    with zipfile.ZipFile(tmp_path / "000.zip", "w") as packed:
        for i, end in enumerate((LEFT_WINS, RIGHT_WINS, LEFT_WINS)):
            packed.writestr(f"{i:04d}.mat", text(4, 4, end))
    assert count(tmp_path / "000.zip") == (3, 2)
