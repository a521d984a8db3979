"""The dice of a match and their expectations: doubles and pips."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from bgmatch.records import Record
from bgrating.rating.intervals import CONFIDENCE, quantile


class Fact(NamedTuple):
    """A sum over a player's rolls, its expectation, and half the width of the 90 % interval of the
    sum.
    """

    label: str
    got: float
    expected: float
    half: float


def dice_facts(rows: Sequence[Record], side: str) -> list[Fact]:
    """Return the facts of a side's rolls; `rows` are the decisions of a match in the order of play.

    The first roll of a game is no double: its two dice decide who begins.
    """
    plays = [row for row in rows if row["kind"] == "play" and row["dice"]]
    openings = {row["game"]: row for row in reversed(plays)}
    own = [row for row in plays if row["side"] == side]
    firsts = sum(row["side"] == side for row in openings.values())
    others = len(own) - firsts
    dice = [sorted(map(int, row["dice"])) for row in own]
    doubles = sum(low == high for low, high in dice)
    pips = sum(2 * (low + high) if low == high else low + high for low, high in dice)
    if not own:
        return []
    return [
        _fact("Doubles", doubles, others / 6, others * 5 / 36),
        _fact("Pips", pips, 49 / 6 * others + 7 * firsts, 665 / 36 * others + 14 / 3 * firsts),
    ]


def _fact(label: str, got: float, expected: float, variance: float) -> Fact:
    return Fact(label, got, expected, quantile(CONFIDENCE) * math.sqrt(variance))
