"""Matches of people in the layout of the simulated ones: one row per match, both players' figures side by side.

A match may be predicted from the players' other matches alone. Uncertain rates are shrunk towards the overall mean.
Credibility theory: a player's rate is (errors + k mean) / (decisions + k). Here k is the variance within players per
decision over the variance between players. Source: Buehlmann and Straub, Mitteilungen der Vereinigung schweizerischer
Versicherungsmathematiker 70 (1970) 111. A player without other matches has the mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.play.matches import SIDES
from bgrating.rating.fibs import Floats

FIGURES = (
    "unforced_moves", "chequer_error_emg", "cube_error_emg", "close_cube_decisions", "close_cube_decisions_2003",
)  # fmt: skip


def pairs(matches: pd.DataFrame, figures: Sequence[str] = FIGURES) -> pd.DataFrame:
    """Return the decided matches of a collection with luck, one row each, the left column's player as `player`.

    `matches` is a collection's table (one row per match and player). Columns: `file, match,
    match_length, player, opponent`, the figures of both as `player_…` and `opponent_…`, `luck_adjusted_result`
    (the player's, MWC less one half). A match needs both luck-adjusted results and an unforced move of either player.
    """
    usable = matches["luck_adjusted_result"].notna() & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)
    rows = matches[usable]
    about = ["file", "match", "match_length", "luck_adjusted_result"]
    left = rows[rows["side"] == "left"][[*about, "player", *figures]]
    right = rows[rows["side"] == "right"][["file", "match", "player", *figures]]
    left = left.rename(columns={name: f"player_{name}" for name in figures})
    right = right.rename(columns={"player": "opponent", **{name: f"opponent_{name}" for name in figures}})
    table = left.merge(right, on=["file", "match"], how="inner", validate="1:1")
    numbers = [f"{side}_{name}" for side in SIDES for name in figures]
    numbers += ["match_length", "luck_adjusted_result"]
    return table.astype(dict.fromkeys(numbers, np.float64)).reset_index(drop=True)


def column(table: pd.DataFrame, name: str) -> Floats:
    return table[name].to_numpy(np.float64)


def both(table: pd.DataFrame, name: str) -> Floats:
    """Return a figure of both players, matches by two."""
    return np.column_stack([column(table, f"{side}_{name}") for side in SIDES])


@dataclass(frozen=True)
class Credibility:
    """The overall mean rate, and the decisions that it counts as (infinite: players do not differ)."""

    mean: float
    worth: float

    def rate(self, errors: Floats, decisions: Floats) -> Floats:
        if math.isinf(self.worth):
            return np.full(len(errors), self.mean)
        mass = decisions + self.worth
        shrunk = (errors + self.worth * self.mean) / np.where(mass > 0, mass, 1.0)
        return np.where(mass > 0, shrunk, self.mean)


def credibility(player: NDArray[np.intp], errors: Floats, decisions: Floats) -> Credibility:
    """Estimate the mean rate and its worth from single matches: a player's number, errors and decisions of each.

    With no player of two matches, or where players differ less than chance makes them, the worth is infinite.
    """
    used = decisions > 0
    player, errors, decisions = player[used], errors[used], decisions[used]
    if not len(player):
        return Credibility(math.nan, math.inf)
    mean, within = float(errors.sum() / decisions.sum()), within_variance(player, errors, decisions)
    total, sums = (np.bincount(player, values) for values in (decisions, errors))
    mass = total[total > 0]
    rates = sums[total > 0] / mass
    scale = float(mass.sum() - (mass**2).sum() / mass.sum())
    spread = float((mass * (rates - mean) ** 2).sum()) - (len(mass) - 1) * within
    between = spread / scale if scale else 0.0
    if not between > 0:  # NaN if no player has two matches
        return Credibility(mean, math.inf)
    # The mean over players, weighted by how certain each is: heavy players would otherwise be the overall mean.
    share = mass / (mass + within / between)
    return Credibility(float(np.average(rates, weights=share)), within / between)


def within_variance(player: NDArray[np.intp], errors: Floats, decisions: Floats) -> float:
    """Return the variance of players' rates over their matches, per decision, pooled; NaN if no player has two."""
    used = decisions > 0
    player, errors, decisions = player[used], errors[used], decisions[used]
    total, sums, matches = np.bincount(player, decisions), np.bincount(player, errors), np.bincount(player)
    free = float((matches[matches > 0] - 1).sum())
    off = errors / decisions - sums[player] / total[player]
    return float((decisions * off**2).sum()) / free if free else math.nan


def numbered(table: pd.DataFrame) -> NDArray[np.intp]:
    """Return the players' numbers (matches by two sides).

    A player without a name is a player of that match alone.
    """
    names = np.column_stack([table[side].fillna("").to_numpy(object) for side in SIDES])
    labels = np.array([name or f"\0{place}" for place, name in enumerate(map(str, names.ravel()))], dtype=object)
    _, number = np.unique(labels.astype(str), return_inverse=True)
    return number.reshape(-1, 2).astype(np.intp)


def rates_elsewhere(number: NDArray[np.intp], errors: Floats, decisions: Floats) -> Floats:
    """Return each player's rate over the other matches, shrunk towards the mean; all arrays are matches by sides."""
    flat = number.ravel()
    shrinkage = credibility(flat, errors.ravel(), decisions.ravel())
    # Sums less one of their parts may miss 0 by a rounding error.
    total, count = (
        np.maximum(np.bincount(flat, values.ravel())[flat] - values.ravel(), 0.0) for values in (errors, decisions)
    )
    return shrinkage.rate(total, count).reshape(number.shape)
