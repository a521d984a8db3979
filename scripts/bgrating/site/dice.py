"""The dice of a match beside what is to be expected of them: doubles, pips, entering from the bar."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bgrating.rating.intervals import CONFIDENCE, quantile

_DOUBLES = {False: (1 / 6, 5 / 36), True: (0.0, 0.0)}
_PIPS = {False: (49 / 6, 665 / 36), True: (7.0, 14 / 3)}
"""Mean and variance of a roll: whether it is a double, and its pips. The first roll of a game (True) is no double."""


class Fact(NamedTuple):
    """What a player rolled: how often or how much, what is expected, and half the width of its 90 % interval."""

    words: str
    got: float
    expected: float
    half: float


Roll = tuple[float, float, float]
"""What one roll gave, with the mean and the variance over all rolls that it could have been."""


def dice_facts(rows: Iterable[Mapping[str, Any]], side: str) -> list[Fact]:
    """Return the facts of a player's rolls in a match (its decisions in the order of play); rolls with a bar only."""
    doubles: list[Roll] = []
    pips: list[Roll] = []
    entries: list[Roll] = []
    game = None
    for row in rows:
        if row["kind"] != "play" or not row["dice"]:
            continue
        is_first, game = row["game"] != game, row["game"]
        if row["side"] != side:
            continue
        one, other = map(int, row["dice"])
        doubles.append((one == other, *_DOUBLES[is_first]))
        pips.append((4 * one if one == other else one + other, *_PIPS[is_first]))
        places = row["xgid"].removeprefix("XGID=")
        if places[25].isupper():
            closed = sum(letter >= "b" for letter in places[19:25])  # small letters are the opponent's chequers
            chance = 1 - (closed / 6) ** 2
            entries.append((row["played"] != "no play", chance, chance * (1 - chance)))
    found = (("Doubles", doubles), ("Pips", pips), ("Entered from the bar", entries))
    return [_fact(words, rolls) for words, rolls in found if rolls]


def _fact(words: str, rolls: list[Roll]) -> Fact:
    got, mean, variance = map(math.fsum, zip(*rolls, strict=True))
    return Fact(words, got, mean, quantile(CONFIDENCE) * math.sqrt(variance))
