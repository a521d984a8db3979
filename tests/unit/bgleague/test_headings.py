"""What a table without games of two players is."""

from collections.abc import Sequence

import pytest

from bgleague.headings import other_table


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (("Date", "Opponent", "Score"), "one player's matches"),
        (("Date", "Opponent", "Result"), "one player's matches"),
        (("Date", "Opponent"), ""),
        (("Player 1", "Player 2", "Score"), ""),
    ],
)
def test_a_list_of_one_player_is_told_from_others(head: Sequence[str], words: str) -> None:
    found = other_table(head)
    assert found.startswith(words)
    assert bool(found) == bool(words)
