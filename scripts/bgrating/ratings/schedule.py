"""Whom to let play next: any ordered pairs, or players of near scores, whose games say most."""

from collections.abc import Mapping, Sequence

import numpy as np


def random_pairs(players: Sequence[str], number: int, seed: int) -> list[tuple[str, str]]:
    """Draw ordered pairs of different players, all alike."""
    random = np.random.default_rng(seed)
    first = random.integers(len(players), size=number)
    second = (first + random.integers(1, len(players), size=number)) % len(players)
    return [(players[a], players[b]) for a, b in zip(first, second, strict=True)]


def near_pairs(scores: Mapping[str, float], number: int, seed: int, width: float = 200.0) -> list[tuple[str, str]]:
    """Draw ordered pairs of different players, more often the nearer their scores are.

    The first is any player; an opponent at a distance d has the weight p (1 - p) of their game, with p the chance that
    `width` points give for 75 %: the information that a game carries about the difference.
    """
    random = np.random.default_rng(seed)
    names, value = list(scores), np.array(list(scores.values()), dtype=float)
    pairs = []
    for first in random.integers(len(names), size=number):
        chance = 1 / (1 + 3.0 ** ((value - value[first]) / width))
        weight = chance * (1 - chance)
        weight[first] = 0.0
        pairs.append((names[first], names[int(random.choice(len(names), p=weight / weight.sum()))]))
    return pairs
