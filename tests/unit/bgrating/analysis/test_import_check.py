"""Every kind of difference between a reading and an import is named."""

import json

import pytest

from bgrating.analysis.import_check import differences, expected_import
from corpus import cases, data_text
from match_texts import read

# as gnubg gave it back for the clean text of this match
IMPORTED = data_text("imported.json")


def compared(imported: str) -> list[str]:
    """Return the differences as an analysis finds them: a batch keeps what is expected as JSON."""
    expected = json.loads(json.dumps(expected_import(read(data_text("imported.mat")))))
    found = json.loads(imported)
    return differences(expected, found["length"], found["games"])


def test_the_import_of_a_clean_text_has_no_difference() -> None:
    assert compared(IMPORTED) == []


@pytest.mark.parametrize(("old", "new", "words"), cases("values.imports"))
def test_a_difference_is_named(old: str, new: str, words: str) -> None:
    assert old in IMPORTED
    assert any(words in sentence for sentence in compared(IMPORTED.replace(old, new, 1)))
