"""What files of programs give for a roll."""

from bgrating.files.program_file import roll


def test_a_play_from_a_point_that_there_is_not_is_one_that_cannot_be_read() -> None:
    odd, sound = roll(0, (6, 1), [(30, 24), (8, 7)]), roll(0, (6, 1), [(25, 19), (1, 0)])
    assert (odd.play.kind, odd.text) == ("garbled", "30/24 8/7")
    assert (sound.play.kind, sound.play.moves) == ("moves", ((25, 19), (1, 0)))
