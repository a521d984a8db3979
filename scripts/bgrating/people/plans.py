"""The game plan of a position, by its phase and by rules on its chequers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]
OTHER_PLAN = "other game plans"


def chequers(xgids: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the chequers of the player and of the opponent by point, numbered from each side.

    Point 25 is the bar.
    """
    letters = (
        np.frombuffer("".join(text[5:31] for text in xgids).encode(), np.uint8)
        .reshape(-1, 26)
        .astype(np.int64)
    )
    player = np.where((letters >= ord("A")) & (letters <= ord("O")), letters - ord("A") + 1, 0)
    opponent = np.where(letters >= ord("a"), letters - ord("a") + 1, 0)
    return player, opponent[:, ::-1]


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
    player, opponent = chequers(xgids)

    def either(rule: Callable[[Rows, Rows], Any]) -> Flags:
        return np.asarray(rule(player, opponent) | rule(opponent, player))

    furthest = _furthest(player), _furthest(opponent)
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


def _primes(side: Rows, opponent: Rows) -> Flags:
    is_point = side >= 2
    has_no_anchor = ~(opponent[:, 19:25] >= 2).any(axis=1)
    has_prime = np.zeros(len(side), bool)
    for first in range(2, 9):
        is_behind = 25 - _furthest(opponent) < first
        has_prime |= is_behind & is_point[:, first : first + 5].all(axis=1)
        has_prime |= is_behind & has_no_anchor & is_point[:, first : first + 4].all(axis=1)
    return has_prime


def _attacks(side: Rows, opponent: Rows) -> Flags:
    has_no_anchor = ~(opponent[:, 18:25] >= 2).any(axis=1)
    has_two_back = opponent[:, 18:26].sum(axis=1) >= 2
    return np.asarray(has_no_anchor & has_two_back & ((side[:, 1:7] >= 2).sum(axis=1) >= 3))
