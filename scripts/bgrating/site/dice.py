"""The dice of a match and their expectations: doubles, pips, entering from the bar."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from bgmatch.records import Record
from bgrating.rating.intervals import CONFIDENCE, quantile

_DOUBLES = {False: (1 / 6, 5 / 36), True: (0.0, 0.0)}
_PIPS = {False: (49 / 6, 665 / 36), True: (7.0, 14 / 3)}
"""Mean and variance of a double (0 or 1) and of the pips of a roll; the first roll of a game (True)
is no double."""


class Fact(NamedTuple):
    """A sum over a player's rolls, its expectation, and half the width of the 90 % interval of the
    sum.
    """

    label: str
    got: float
    expected: float
    half: float


Roll = tuple[float, float, float]
"""The value of one roll, with the mean and the variance over all possible rolls."""


def dice_facts(rows: Iterable[Record], side: str) -> list[Fact]:
    """Return the facts of a side's rolls.

    `rows` are the decisions of a match in the order of play.
    """
    rolls: dict[str, list[Roll]] = {"Doubles": [], "Pips": [], "Entered from the bar": []}
    game = None
    for row in rows:
        if row["kind"] != "play" or not row["dice"]:
            continue
        is_first = row["game"] != game
        game = row["game"]
        if row["side"] != side:
            continue
        one, other = map(int, row["dice"])
        rolls["Doubles"].append((one == other, *_DOUBLES[is_first]))
        rolls["Pips"].append((4 * one if one == other else one + other, *_PIPS[is_first]))
        places = row["xgid"].removeprefix("XGID=")
        if places[25].isupper():
            closed = sum(
                letter >= "b" for letter in places[19:25]
            )  # small letters are the opponent's chequers
            chance = 1 - (closed / 6) ** 2
            rolls["Entered from the bar"].append(
                (row["played"] != "no play", chance, chance * (1 - chance))
            )
    return [_fact(label, found) for label, found in rolls.items() if found]


def _fact(label: str, rolls: list[Roll]) -> Fact:
    got, mean, variance = map(math.fsum, zip(*rolls, strict=True))
    return Fact(label, got, mean, quantile(CONFIDENCE) * math.sqrt(variance))
