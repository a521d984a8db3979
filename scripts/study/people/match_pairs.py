"""Matches of people in the layout of the simulated ones.

A match has one row, with both players' figures side by side.

A match can be predicted from the players' other matches alone. Uncertain rates are shrunk towards
the overall mean by credibility theory: a player's rate is (errors + k mean) / (decisions + k). Here
k is the variance within players per decision over the variance between players. Source: Buehlmann
and Straub, Mitteilungen der Vereinigung schweizerischer Versicherungsmathematiker 70 (1970) 111. A
player without other matches has the mean.
"""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.play.match_tables import SIDES
from bgrating.rating.fibs_formula import Floats


def pairs(matches: pd.DataFrame, figures: Iterable[str]) -> pd.DataFrame:
    """Return the decided matches of a collection with luck, one row each, the left column's player
    as `player`.

    `matches` is a collection's table (one row per match and player). Columns: `match_length,
    player, opponent`, the figures of both as `player_…` and `opponent_…`, `luck_adjusted_result`
    (the player's, MWC less one half). Both players of a match need a luck-adjusted result and an
    unforced move.
    """
    usable = (
        matches["luck_adjusted_result"].notna()
        & (matches["match_length"] > 0)
        & (matches["unforced_moves"] > 0)
    )
    rows = matches[usable].set_index(["file", "match"])
    left, right = (rows[rows["side"] == side] for side in ("left", "right"))
    table = left[["match_length", "luck_adjusted_result", "player"]].join(
        right["player"].rename("opponent")
    )
    sides = zip((left, right), SIDES, strict=True)
    return table.join(
        [of_side[list(figures)].add_prefix(f"{side}_") for of_side, side in sides], how="inner"
    )


def both(table: pd.DataFrame, name: str) -> Floats:
    """Return a figure of both players, matches by two."""
    return table[[f"{side}_{name}" for side in SIDES]].to_numpy(float)


def credibility(
    player: NDArray[np.intp], errors: Floats, decisions: Floats
) -> tuple[float, float, float]:
    """Return the overall mean rate, k, and the variance within players per decision.

    Arguments have an element per match; `player` numbers the players. k is infinite if no player
    has two matches, or if players differ no more than by chance.
    """
    used = decisions > 0
    errors = errors[used]
    decisions = decisions[used]
    player = np.unique(player[used], return_inverse=True)[1]
    total = np.bincount(player, decisions)
    rates = np.bincount(player, errors) / total
    mean = float(errors.sum() / decisions.sum())
    dof = len(player) - len(total)
    if not dof:
        return mean, math.inf, math.nan
    within = float((decisions * (errors / decisions - rates[player]) ** 2).sum()) / dof
    spread = float((total * (rates - mean) ** 2).sum()) - (len(total) - 1) * within
    between = spread / float(total.sum() - (total**2).sum() / total.sum())
    if between <= 0:
        return mean, math.inf, within
    # Weighted by credibility: otherwise players with very many decisions would determine the mean.
    share = total / (total + within / between)
    return float(np.average(rates, weights=share)), within / between, within


def numbered(table: pd.DataFrame) -> NDArray[np.intp]:
    """Return the players' numbers (matches by two sides).

    A player without a name has a number for that match alone.
    """
    names = np.column_stack([table[side].fillna("").to_numpy(object) for side in SIDES]).ravel()
    labels = np.where(names == "", [f"\0{index}" for index in range(len(names))], names)
    return np.unique(labels.astype(str), return_inverse=True)[1].reshape(-1, 2).astype(np.intp)


def rates_elsewhere(number: NDArray[np.intp], errors: Floats, decisions: Floats) -> Floats:
    """Return each player's rate over the other matches, shrunk towards the mean.

    All arrays are matches by sides.
    """
    flat = number.ravel()
    mean, k, _ = credibility(flat, errors.ravel(), decisions.ravel())
    if math.isinf(k):
        return np.full(number.shape, mean)
    # A sum less one of its parts may differ from 0 by a rounding error.
    total, count = (
        np.maximum(np.bincount(flat, values.ravel())[flat] - values.ravel(), 0.0)
        for values in (errors, decisions)
    )
    rates = np.full(len(flat), mean)
    np.divide(total + k * mean, count + k, out=rates, where=count + k > 0)
    return rates.reshape(number.shape)
