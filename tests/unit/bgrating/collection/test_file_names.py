"""Event, round and date: from headers, then from the file's name, and the row says which."""

import pytest

import short_match
from bgrating.collection.file_names import name_metadata
from corpus import cases
from records import accounted


@pytest.mark.parametrize(("name", "event", "turn", "date"), cases("values.file_names"))
def test_facts_of_a_name(name: str, event: str, turn: str, date: str) -> None:
    assert name_metadata(name, ["Ann Lee", "Bob Bell"]) == {
        "event": event,
        "round": turn,
        "date": date,
    }


def test_headers_have_priority_over_the_file_name_and_the_row_names_its_source() -> None:
    plain = short_match.match("Ann", "Bob", month=0)
    other = short_match.match("Cy", "Bob", dice="21", month=0)
    headed = f'; [Event "Club"]\n; [EventDate "2024.05.06"]\n{other}'
    _, rows = accounted({"2025-01-02 Open final.mat": plain, "2025-01-03 Open round 2.mat": headed})
    left = rows[rows["side"] == "left"].set_index("player")[
        ["event", "round", "date", "from_file_name"]
    ]
    assert left.loc["Ann"].tolist() == ["Open", "final", "2025-01-02", "event, round, date"]
    assert left.loc["Cy"].tolist() == ["Club", "round 2", "2024-05-06", "round"]
