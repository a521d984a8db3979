"""Event, round and date come from the headers, then from the file's name, and the row says which."""

import pytest

import short_match
from bgrating.collection.file_names import facts_of_name
from records import accounted


@pytest.mark.parametrize(
    ("name", "event", "turn", "date"),
    [
        ("club/2009Prague_Lee-Bell_1348421238.txt", "Prague", "", "2009"),
        ("1st%20set%20of%20final%20in%20Munich%202013-07-30_1375354686.txt", "Munich", "final", "2013-07-30"),
        ("1993 nordic r08 Lee v Bell.txt", "nordic", "r08", "1993"),
        ("Lee-Bell_7p_2025-11-08-2305.xg", "", "", "2025-11-08"),
        ("20130119 Open semi-final.mat", "Open", "semi-final", "2013-01-19"),
        ("2013-13-45 Open.mat", "Open", "", "2013"),
        ("lee-bell-2013Jul141138_1373778497.txt", "", "", "2013-07-14"),
        ("181124 Open.mat", "", "", ""),
        ("my match 3.mat", "", "", ""),
        ("Finally.mat", "", "", ""),
    ],
)
def test_facts_of_a_name(name: str, event: str, turn: str, date: str) -> None:
    assert facts_of_name(name, ["Ann Lee", "Bob Bell"]) == {"event": event, "round": turn, "date": date}


def test_headers_go_before_the_name_and_the_row_says_what_the_name_gave() -> None:
    plain = short_match.match("Ann", "Bob", month=0)
    other = short_match.match("Cy", "Bob", dice="21", month=0)
    headed = f'; [Event "Club"]\n; [EventDate "2024.05.06"]\n{other}'
    _, rows = accounted({"2025-01-02 Open final.mat": plain, "2025-01-03 Open round 2.mat": headed})
    left = rows[rows["side"] == "left"].set_index("player")[["event", "round", "date", "from_file_name"]]
    assert left.loc["Ann"].tolist() == ["Open", "final", "2025-01-02", "event, round, date"]
    assert left.loc["Cy"].tolist() == ["Club", "round 2", "2024-05-06", "round"]
