"""Game plans at the edges of their rules, and matches that do not count."""

from dataclasses import replace

import numpy as np
import pytest

from bgmatch.position import read_xgid, theme
from bgrating.people.plans import chequers, plans
from bgrating.people.players import LEAST_DECISIONS, outside, players_table
from bgrating.rating.choose import choose
from corpus import cases
from unit.bgrating.people.test_players import OFFSET, table_of


def xgid(own: dict[str, int], other: dict[str, int]) -> str:
    """Return a position: each side's chequers by its own points."""
    places = ["-"] * 26
    for point, count in own.items():
        places[int(point)] = chr(ord("A") + count - 1)
    for point, count in other.items():
        places[25 - int(point)] = chr(ord("a") + count - 1)
    return f"XGID={''.join(places)}:0:0:1:31:0:0:0:7:10"


def test_the_chequers_of_several_positions_by_hand() -> None:
    """One has both bars and a point of fifteen; the other begins a game."""
    own, other = chequers(
        [
            "XGID=bO--------------------a--B:0:0:1:31:0:0:0:7:10",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
        ]
    )
    points = {(0, 1): 15, (0, 25): 2, (1, 6): 5, (1, 8): 3, (1, 13): 5, (1, 24): 2}
    theirs = {(0, 25): 2, (0, 3): 1, (1, 24): 2, (1, 13): 5, (1, 8): 3, (1, 6): 5}
    for found, expected in ((own, points), (other, theirs)):
        assert {
            (row, point): int(found[row, point]) for row, point in np.argwhere(found).tolist()
        } == expected


@pytest.mark.parametrize(("own", "other", "plan"), cases("values.game_plans"))
def test_a_game_plan_by_hand(own: dict[str, int], other: dict[str, int], plan: str) -> None:
    place = xgid(own, other)
    assert plans([place], [theme(read_xgid(place))]).tolist() == [plan]


@pytest.mark.parametrize(("more", "standing"), [(-1.0, "none"), (0.0, "provisional")])
def test_a_money_session_adds_no_decision_to_those_of_a_rating(more: float, standing: str) -> None:
    matches = table_of(ann=[(LEAST_DECISIONS + more, 1.0, 0.1), (80.0, 0.6, 0.1)])
    matches.loc[1, "match_length"] = 0.0
    (found,) = players_table(matches, choose("fitted", "1.08"), OFFSET)[0].to_dict("records")
    assert found["standing"] == standing


def test_the_end_of_the_domain_is_told_in_thousandths() -> None:
    model = replace(choose("fitted", "1.08"), limit=500.0, cube_limit=0.6)
    assert (
        outside(0.0, 0.7, model)
        == "outside: the formula holds for cube errors up to 600 milli-EMG a move"
    )
    assert outside(501.0, 0.7, model) == "outside: the formula holds for losses below 500 points"
    assert outside(500.0, 0.6, model) == ""
