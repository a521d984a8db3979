"""The two rules of a close cube decision, on equities and on match-winning chances."""

import pytest

from bgrating.engine.cube_decisions import (
    close_counts,
    is_close,
    is_close_2003,
    match_winning_chance,
)
from corpus import cases

# The corner of the Kazaross-XG2 table as gnubg's `show met` prints it for 3 points.
PRE_CRAWFORD = [[0.5, 0.67736, 0.75076], [0.32264, 0.5, 0.59947], [0.24924, 0.40053, 0.5]]
POST_CRAWFORD = [0.5, 0.48803, 0.32264]
TODAY, IN_2003 = "close_cube_decisions", "close_cube_decisions_2003"
TABLE = [PRE_CRAWFORD, POST_CRAWFORD, POST_CRAWFORD]


@pytest.mark.parametrize(
    ("no_double", "double_take", "today", "in_2003"), cases("values.cube_decisions")
)
def test_both_rules_on_equities(
    no_double: float, double_take: float, today: bool, in_2003: bool
) -> None:
    assert is_close(no_double, double_take) is today
    assert is_close_2003(no_double, double_take) is in_2003


@pytest.mark.parametrize(("away", "post_crawford", "chance"), cases("values.match_winning_chances"))
def test_match_winning_chances_come_from_the_right_row(
    away: list[int], post_crawford: bool, chance: float
) -> None:
    found = match_winning_chance(TABLE, (away[0], away[1]), post_crawford)
    assert found == pytest.approx(chance, abs=1e-12)


def game(decisions: list[list[object]], score: tuple[int, int] = (0, 0)) -> dict[str, object]:
    names = ("side", "kind", "no_double", "double_take")
    actions = [
        {k: v for k, v in zip(names, row, strict=True) if v is not None} for row in decisions
    ]
    return {"score": score, "actions": actions}


def test_money_equities_need_no_table() -> None:
    counts = close_counts([game([[0, "move", 0.30, 0.10], [1, "move", 0.30, 0.20]])], 0, None)
    assert (counts[0][TODAY], counts[1][TODAY]) == (0, 1)
    assert (counts[0][IN_2003], counts[1][IN_2003]) == (1, 1)


def test_the_cube_s_value_sets_the_stakes() -> None:
    # At 3-away 3-away on a 2-cube a win leads 1-away 3-away, a loss trails 3-away 1-away.
    win, lose = 0.75076, 0.24924
    no_double, double_take = (lose + (win - lose) * (1 + equity) / 2 for equity in (0.30, 0.15))
    taken: list[list[object]] = [[0, "double", 0.5, 0.4], [1, "take", None, None]]
    before = close_counts([game(taken)], 3, TABLE)
    after = close_counts([game([*taken, [1, "move", no_double, double_take]])], 3, TABLE)
    assert after[1][TODAY] == before[1][TODAY] + 1
    no_double, double_take = (lose + (win - lose) * (1 + equity) / 2 for equity in (0.30, 0.13))
    after = close_counts([game([*taken, [1, "move", no_double, double_take]])], 3, TABLE)
    assert after[1][TODAY] == before[1][TODAY]


def test_after_the_crawford_game_the_stakes_come_from_the_post_crawford_row() -> None:
    # O trails 3-away 1-away: a win leaves 2-away 1-away (0.48803 after the Crawford game, 0.32264
    # before it).
    no_double, double_take = (0.48803 * (1 + equity) / 2 for equity in (0.0, -0.12))
    counts = close_counts([game([[1, "move", no_double, double_take]], score=(2, 0))], 3, TABLE)
    assert counts[1][TODAY] == 1
