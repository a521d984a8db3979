"""Whether a match has its end, from texts that end in every way gnubg ends them."""

import pytest

from bgrating.play.shards import is_finished

HEAD = (
    " 5 point match\n\n Game 1\n player : {a}                     opponent : {b}\n  1) 31: 8/5 6/5   42: 24/20 13/11\n"
)
LEFT_WINS = "      Wins {n} point{s}\n"
RIGHT_WINS = "                                  Wins {n} point{s}\n"
LEFT_DROPS = "  3)  Drops                       Wins 1 point \n"


def text(a, b, end, n=1):
    return HEAD.format(a=a, b=b) + end.format(n=n, s="" if n == 1 else "s") + "\n"


def test_a_match_ends_with_the_game_that_wins_it():
    assert is_finished(text(4, 3, LEFT_WINS))
    assert is_finished(text(3, 4, LEFT_WINS, 2))
    assert is_finished(text(4, 4, RIGHT_WINS))
    assert is_finished(text(0, 4, LEFT_DROPS))


def test_the_last_of_several_games_decides():
    first = text(0, 0, RIGHT_WINS, 4)
    second = text(0, 4, LEFT_WINS, 8).replace(" 5 point match\n", "").replace("Game 1", "Game 2")
    assert is_finished(first + second)


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
def test_a_match_without_its_end_is_known(wrong):
    assert not is_finished(wrong)
