"""Words of pages: one thing is not "1 things"."""

import pytest

from bgrating.pages.words import counted


@pytest.mark.parametrize(
    ("count", "plural", "words"),
    [
        (1, "matches", "1 match"),
        (2, "matches", "2 matches"),
        (1.0, "complete matches", "1 complete match"),
        (0, "games", "0 games"),
        (1, "games", "1 game"),
        (1234, "provisional ratings", "1,234 provisional ratings"),
    ],
)
def test_a_count_has_its_number(count: float, plural: str, words: str) -> None:
    assert counted(count, plural) == words
