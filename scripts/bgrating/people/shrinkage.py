"""Error rates of a player's other matches, drawn towards everybody's mean as far as they are unsure.

Credibility theory: a player's rate is (errors + k mean) / (decisions + k), k the variance within players per decision
over the variance between players (Buehlmann and Straub, Mitteilungen der Vereinigung schweizerischer Versicherungs-
mathematiker 70 (1970) 111). A player without other matches has the mean.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Credibility:
    """The mean rate of everybody, and how many decisions the mean is worth (infinite: players do not differ)."""

    mean: float
    worth: float

    def rate(self, errors: Floats, decisions: Floats) -> Floats:
        """Return rates drawn towards the mean."""
        if math.isinf(self.worth):
            return np.full(len(errors), self.mean)
        mass = decisions + self.worth
        drawn = (errors + self.worth * self.mean) / np.where(mass > 0, mass, 1.0)
        return np.where(mass > 0, drawn, self.mean)


def credibility(player: NDArray[np.intp], errors: Floats, decisions: Floats) -> Credibility:
    """Estimate the mean rate and its worth from single matches: a player's number, errors and decisions of each.

    With no player of two matches, or where players differ less than chance makes them, the worth is infinite.
    """
    used = decisions > 0
    player, errors, decisions = player[used], errors[used], decisions[used]
    if not len(player):
        return Credibility(math.nan, math.inf)
    size = int(player.max()) + 1
    total, sums = (np.bincount(player, values, size) for values in (decisions, errors))
    there = total > 0
    own = np.divide(sums, total, out=np.zeros(size), where=there)
    mean = float(errors.sum() / decisions.sum())
    within = within_variance(player, errors, decisions)
    if math.isnan(within):
        return Credibility(mean, math.inf)
    mass = total[there]
    scale = float(mass.sum() - (mass**2).sum() / mass.sum())
    between = (
        (float((mass * (own[there] - mean) ** 2).sum()) - (int(there.sum()) - 1) * within) / scale if scale else 0.0
    )
    if between <= 0:
        return Credibility(mean, math.inf)
    # The mean over players, each as sure as it is: heavy players would otherwise be everybody's mean.
    share = mass / (mass + within / between)
    return Credibility(float(np.average(own[there], weights=share)), within / between)


def within_variance(player: NDArray[np.intp], errors: Floats, decisions: Floats) -> float:
    """Return the variance of players' rates over their matches, per decision, pooled; NaN where nobody has two."""
    size = int(player.max()) + 1
    total, sums = np.bincount(player, decisions, size), np.bincount(player, errors, size)
    used = decisions > 0
    own = np.divide(sums, total, out=np.zeros(size), where=total > 0)[player]
    matches = np.bincount(player[used], minlength=size)
    free = float((matches[matches > 0] - 1).sum())
    off = errors[used] / decisions[used] - own[used]
    return float((decisions[used] * off**2).sum()) / free if free else math.nan


def other_matches(pairs: pd.DataFrame) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the players' numbers (matches by two sides) and how many other matches of the table each has.

    Who has no name is a player of that match alone.
    """
    names = np.column_stack([pairs[side].fillna("").to_numpy(object) for side in ("player", "opponent")])
    labels = np.array([name or f"\0{place}" for place, name in enumerate(map(str, names.ravel()))], dtype=object)
    _, number = np.unique(labels.astype(str), return_inverse=True)
    counts = np.bincount(number)
    return number.reshape(-1, 2).astype(np.intp), (counts[number] - 1).reshape(-1, 2)


def rates_elsewhere(number: NDArray[np.intp], errors: Floats, decisions: Floats) -> tuple[Floats, Credibility]:
    """Return, matches by sides, each player's rate over the other matches, drawn towards the mean.

    `errors` and `decisions` are matches by sides, `number` the players'.
    """
    flat = number.ravel()
    found = credibility(flat, errors.ravel(), decisions.ravel())
    total, count = np.bincount(flat, errors.ravel()), np.bincount(flat, decisions.ravel())
    # Sums less one of their parts may miss 0 by a rounding error.
    elsewhere = found.rate(
        np.maximum(total[flat] - errors.ravel(), 0.0), np.maximum(count[flat] - decisions.ravel(), 0.0)
    )
    return elsewhere.reshape(number.shape), found


def long_run_rates(number: NDArray[np.intp], errors: Floats, decisions: Floats) -> Floats:
    """Return, matches by sides, each player's rate over all matches of the table, drawn towards the mean."""
    flat = number.ravel()
    found = credibility(flat, errors.ravel(), decisions.ravel())
    total, count = (np.bincount(flat, values.ravel()).astype(np.float64) for values in (errors, decisions))
    return found.rate(total[flat], count[flat]).reshape(number.shape)
