"""Chances that a true PR is below a limit: calibrated, and sensible at the ends."""

import csv

import pandas as pd
import pytest

from bgrating.rating.limits import (
    LimitError,
    chances_below,
    pr_below,
    pr_players,
    stored_pr_population,
)
from bgrating.rating.result_files import population_table

COLUMNS = ["player", "chequer_error_emg", "unforced_moves"]
COLUMNS += ["cube_error_emg", "close_cube_decisions"]


def test_the_decisions_of_a_point_are_moves_and_close_cube_decisions() -> None:
    with population_table("1.08").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    total = sum(float(row["unforced_moves"]) + float(row["close_cube_decisions"]) for row in rows)
    assert stored_pr_population()[1] == pytest.approx(
        total / sum(float(row["match_length"]) for row in rows)
    )


def test_a_chance_grows_certain_with_matches() -> None:
    sure = pr_below(3.0, 10**5, 7, [2.5, 4.0])
    assert [round(one.chance, 6) for one in sure] == [0.0, 1.0]
    assert [one.description for one in sure] == ["below 2.5: 0 %", "below 4: 100 %"]
    few, more = (pr_below(3.0, matches, 7, [4.0])[0].chance for matches in (1, 20))
    assert 0.1 < few < 0.9 < more < 1.0


def test_a_result_is_judged_beside_the_other_players_of_its_collection() -> None:
    """Of PR 5 in one match: ten players of PR 2.5 to 4.5 in five matches each make it less likely."""
    new = [("new", 1.0, 80, 0.0, 20)]
    rows = [(f"p{n}", 0.5 + n / 50 + m / 10, 80, 0.0, 20) for n in range(10) for m in range(5)]
    alone, beside = (
        chances_below(pd.DataFrame(of, columns=COLUMNS))["new"] for of in (new, new + rows)
    )
    below_4 = [chances[1].chance for chances in (alone, beside)]
    assert 0.1 < below_4[0] < below_4[1] - 0.1 < 0.3


def test_a_player_without_a_decision_has_no_chances() -> None:
    matches = pd.DataFrame([("ann", 1.5, 80, 0.5, 20), ("idle", 0.0, 0, 0.0, 0)], columns=COLUMNS)
    assert list(chances_below(matches)) == ["ann"]
    assert stored_pr_population()[0].players > 1000


@pytest.mark.parametrize("limit", [0.0, -4.0, float("nan"), float("inf")])
def test_an_impossible_limit_is_refused(limit: float) -> None:
    with pytest.raises(LimitError, match="a limit of PR is above 0, not"):
        pr_below(3.0, 4, 7, [limit])


def test_a_pr_by_hand() -> None:
    """2 and 1 EMG over 100 and 50 decisions, 20 in the last match; an empty one is left out."""
    rows = [
        ("ann", 1.5, 80, 0.5, 20),
        ("ann", 0.6, 40, 0.4, 10),
        ("ann", 0.0, 0, 0.0, 0),
        ("bob", 1.0, 40, 0.0, 10),
    ]
    found = pr_players(pd.DataFrame(rows, columns=COLUMNS)).set_index("player")
    assert found["loss"].to_dict() == pytest.approx({"ann": 500 * 3 / 150, "bob": 10})
    assert found["matches"].to_dict() == {"ann": 2, "bob": 1}
    assert found["moves"].to_dict() == {"ann": 150, "bob": 50}
    assert found["own_se"]["ann"] == pytest.approx((500 * 2 / 100 - 500 * 1 / 50) / 2)
