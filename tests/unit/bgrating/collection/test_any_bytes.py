"""A file of any bytes is read, or its record says why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgrating.collection.listing import ListedFile
from drawn_texts import SHORT, TEXTS
from records import read_found


@pytest.mark.slow
@SHORT
@given(st.binary(max_size=300) | TEXTS)
def test_every_match_of_a_record_has_its_content(data: bytes) -> None:
    record, contents = read_found(ListedFile("a.mat", "", None, ()), lambda _found: data)
    assert not record.problem.startswith("the reader failed")
    assert {match.key for match in record.matches if match.key} == set(contents)
