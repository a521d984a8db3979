"""Dice beside what is to be expected: the numbers are those of 36 rolls, and chance leaves them as
often as it says.
"""

import random
from typing import Any

import pytest

from bgrating.site.dice import dice_facts

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:7:10"


def row(dice: str, game: int = 1, side: str = "left", played: str = "8/5") -> dict[str, Any]:
    return {
        "kind": "play",
        "dice": dice,
        "game": game,
        "xgid": OPENING.format(dice),
        "side": side,
        "played": played,
    }


def test_doubles_and_pips_beside_their_expectation() -> None:
    rows = [
        row("31"),
        row("65", side="right"),
        row("66"),
        row("11"),
        row("66", played="no play"),
        row("21", game=2),
        {"kind": "double", "dice": "", "game": 2, "side": "left"},
    ]
    doubles, pips = dice_facts(rows, "left")
    assert (doubles.label, doubles.got, doubles.expected) == ("Doubles", 3, pytest.approx(3 / 6))
    assert (pips.got, pips.expected) == (4 + 24 + 4 + 24 + 3, pytest.approx(2 * 7 + 3 * 49 / 6))
    assert doubles.half == pytest.approx(1.6449 * (3 * 5 / 36) ** 0.5, rel=1e-4)
    assert [fact.label for fact in dice_facts(rows, "right")] == ["Doubles", "Pips"]
    assert dice_facts([], "left") == []


def test_fair_dice_leave_the_interval_in_one_of_ten_matches() -> None:
    rolls = random.Random(1)
    outside = 0
    for _ in range(400):
        rows = [row(f"{rolls.randint(1, 6)}{rolls.randint(1, 6)}") for _ in range(60)]
        _, pips = dice_facts(rows[1:] if rows[0]["dice"][0] == rows[0]["dice"][1] else rows, "left")
        outside += abs(pips.got - pips.expected) > pips.half
    assert 20 <= outside <= 60
