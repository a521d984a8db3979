"""Every kind of difference between a reading and an import is named."""

import json

import pytest

from bgrating.analysis.import_check import MOST_NAMED, differences, expected_import
from corpus import cases, data_text
from match_texts import read

# as gnubg gave it back for the clean text of this match
IMPORTED = data_text("imported.json")


def compared(imported: str, number: int = 1) -> list[str]:
    """Return the differences as an analysis finds them: a batch keeps what is expected as JSON."""
    match = read(data_text("imported.mat").replace("Game 1", f"Game {number}"))
    expected = json.loads(json.dumps(expected_import(match)))
    found = json.loads(imported)
    return differences(expected, found["length"], found["games"])


def test_the_import_of_a_clean_text_has_no_difference() -> None:
    assert compared(IMPORTED) == []


@pytest.mark.parametrize(("old", "new", "words"), cases("values.imports"))
def test_a_difference_is_named(old: str, new: str, words: str) -> None:
    assert old in IMPORTED
    assert any(words in sentence for sentence in compared(IMPORTED.replace(old, new, 1)))


def test_the_first_differences_of_a_game_are_named_with_the_number_in_its_text() -> None:
    sentences = compared(IMPORTED.replace('"side": 1', '"side": 0'), number=3)
    assert len(sentences) == MOST_NAMED
    assert all(sentence.startswith("game 3: ") for sentence in sentences)
