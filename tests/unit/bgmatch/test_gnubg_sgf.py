"""The SGF that gnubg saves: a match as 1.07.001 wrote it (candidates shortened), by hand."""

import pytest

from bgmatch import gnubg_sgf as sgf
from bgmatch.model import LEFT, RIGHT
from corpus import data_text

TEXT = data_text("analysed.sgf")


@pytest.fixture(name="match")
def _match() -> sgf.Json:
    return sgf.match(TEXT)


def test_names_length_date_and_result(match: sgf.Json) -> None:
    assert match["names"] == ["ann ] (1)", "bob"]
    assert (match["length"], match["date"]) == (3, "1900-01-01")
    (game,) = match["games"]
    assert (game["score"], game["winner"], game["points"]) == ((0, 0), RIGHT, 2)
    assert game["actions"][-1] == {"kind": "resign", "side": LEFT, "points": 1}
    assert game["rolls"] == 6


def test_figures_of_both_seats(match: sgf.Json) -> None:
    """gnubg's text of this match: one wrong double of O, 0.4435 EMG."""
    left, right = match["figures"]
    assert (left["unforced_moves"], right["unforced_moves"]) == (1, 3)
    assert (right["chequer_error_emg"], right["chequer_error_mwc"]) == (0.755763, 0.189515)
    assert (left["takes"], right["doubles"], left["total_cube_decisions"]) == (1, 1, 2)
    assert (right["wrong_double_below_dp_emg"], right["wrong_double_below_dp_mwc"]) == (
        0.443507,
        0.044116,
    )
    assert (left["luck_emg"], right["luck_mwc"]) == (0.083107, -0.03012)
    assert (
        sum(value for name, value in left.items() if name.endswith("_emg") and name != "luck_emg")
        == 0
    )


def test_actions_in_their_order(match: sgf.Json) -> None:
    actions = match["games"][0]["actions"]
    kinds = ["move", "move", "double", "take", "move", "roll", "position", "move", "roll", "resign"]
    assert [action["kind"] for action in actions] == kinds
    assert actions[0]["hops"] == ((24, 23), (13, 9))
    assert actions[0]["error"] == pytest.approx(0.02)  # the second of two candidates was played
    assert [play[1:] for play in actions[0]["plays"]] == [
        [-0.01, ["0.5", "0.1", "0.0", "0.1", "0.0"], 0],
        [-0.03, ["0.5", "0.1", "0.0", "0.1", "0.0"], 0],
    ]
    assert actions[1]["chances"] == ["0.5", "0.1", "0.0", "0.1", "0.0"]
    assert actions[0]["luck"] == -0.00723
    assert (actions[1]["no_double"], actions[1]["double_take"]) == (0.500916, 0.461117)
    assert "error" not in actions[1], "a play without alternatives has no error"
    assert "no_double" not in actions[3], "a take is judged by its double"
    assert "error" not in actions[4], "an illegal play stands past the last candidate"
    assert actions[7]["hops"] == ((25, 3), (9, 0)), "from the bar, and off"
    assert actions[-1] == {"kind": "resign", "side": LEFT, "points": 1}


def test_a_value_without_an_end_ends_the_reading() -> None:
    """The search for its end was made again at every later bracket."""
    for text in ("(;GM[6]MI[length:7]" + "C[\\]" * 3, "(;GM[6]C[a][b", "(;GM[6]Cr[a"):
        with pytest.raises(ValueError, match="a value has no end"):
            sgf.games(text)
    assert sgf.games("(;GM[6]Copy[a])") == [[{"GM": "[6]"}]]


def test_games_without_analysis_have_no_figures() -> None:
    bare = "(;GM[6]MI[length:1][game:0][ws:0][bs:0]PW[a]PB[b]RE[W+1]\n;W[31hefe])"
    match = sgf.match(bare)
    assert match["figures"] == [{}, {}]
    assert match["games"][0]["winner"] == LEFT


@pytest.mark.parametrize(
    "text", ["nothing", *(TEXT[:cut] for cut in (40, 300, 900, len(TEXT) - 3))]
)
def test_a_text_that_is_cut_off_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"no game" if text == "nothing" else r"cut off|no game"):
        sgf.match(text)
