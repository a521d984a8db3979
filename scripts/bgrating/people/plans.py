"""The game plan of a position, by its phase and by rules on its chequers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Facts = NDArray[np.bool_]
OTHER_PLAN = "other game plans"


def chequers(xgids: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the chequers of the player and of the opponent by point, numbered from each side.

    25 is the bar.
    """
    letters = (
        np.frombuffer("".join(text[5:31] for text in xgids).encode(), np.uint8)
        .reshape(-1, 26)
        .astype(np.int64)
    )
    own = np.where((letters >= ord("A")) & (letters <= ord("O")), letters - ord("A") + 1, 0)
    other = np.where(letters >= ord("a"), letters - ord("a") + 1, 0)
    return own, other[:, ::-1]


def plans(xgids: Sequence[str], themes: Sequence[str]) -> NDArray[np.str_]:
    """Return the game plan of each position: the first rule that holds for either side.

    - Bear-off, race and opening: the phases of these names (`bgmatch.position.theme`).
    - Back game: a side has two anchors in the other's home board.
    - Bear-off with contact: a side has borne off. Bear-in: a side has all chequers on its 10 point
      or nearer.
    - Prime: five points in a row before a chequer, or four before chequers without an anchor.
    - Blitz: three points of a home board against two chequers without an anchor.
    - Holding: a side has a point from 14 to 22.
    """
    own, other = chequers(xgids)

    def either(rule: Callable[[Rows, Rows], Any]) -> Facts:
        return np.asarray(rule(own, other) | rule(other, own))

    furthest = _furthest(own), _furthest(other)
    phase = np.asarray(themes)
    rules = {
        "bear-off": phase == "bearoff",
        "race": phase == "race",
        "back game": either(lambda side, _: (side[:, 19:25] >= 2).sum(axis=1) >= 2),
        "bear-off with contact": either(lambda side, _: side.sum(axis=1) < 15),
        "bear-in": np.minimum(*furthest) <= 10,
        "opening": phase == "opening",
        "prime": either(_primes),
        "blitz": either(_attacks),
        "holding": either(lambda side, _: (side[:, 14:23] >= 2).any(axis=1)),
    }
    return np.select(list(rules.values()), list(rules), OTHER_PLAN)


def _furthest(side: Rows) -> Rows:
    return np.asarray(np.where(side > 0, np.arange(26), 0).max(axis=1))


def _primes(side: Rows, other: Rows) -> Facts:
    made = side >= 2
    has_no_anchor = ~(other[:, 19:25] >= 2).any(axis=1)
    found = np.zeros(len(side), bool)
    for first in range(2, 9):
        is_behind = 25 - _furthest(other) < first
        found |= is_behind & made[:, first : first + 5].all(axis=1)
        found |= is_behind & has_no_anchor & made[:, first : first + 4].all(axis=1)
    return found


def _attacks(side: Rows, other: Rows) -> Facts:
    has_no_anchor = ~(other[:, 18:25] >= 2).any(axis=1)
    has_two_back = other[:, 18:26].sum(axis=1) >= 2
    return np.asarray(has_no_anchor & has_two_back & ((side[:, 1:7] >= 2).sum(axis=1) >= 3))
