"""What a table without games of two players is."""

from collections.abc import Sequence

import pytest

from bgleague.headings import other_table
from corpus import cases


@pytest.mark.parametrize(("head", "words"), cases("values.heads_of_one_player"))
def test_a_list_of_one_player_is_told_from_others(head: Sequence[str], words: str) -> None:
    description = other_table(head)
    assert description.startswith(words)
    assert bool(description) == bool(words)
