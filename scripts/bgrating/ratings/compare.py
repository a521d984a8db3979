"""The ratings of several methods on one scale, how well they agree, and players beside diluted ones."""

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from bgrating.dictionary import columns
from bgrating.ratings.games import RatingsError, require_players

COMPARED = columns("ratings/methods")
AGREEMENT = columns("ratings/agreement")
ELO_POINTS = 400 / math.log(10)
"""Points of the Elo scale for one unit of the logit."""


def on_one_scale(tables: Mapping[str, pd.DataFrame], slopes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Write ratings of several methods as Elo points above the mean of the players whom all of them rate.

    Each table has `player`, `rating`, `ci_low`, `ci_high`; `slopes` gives the logit per point of a method that is not
    on the Elo scale (ln 10 / 400). Intervals move along. Returns `player`, `method`, `rating`, `ci_low`, `ci_high`.
    """
    slopes = slopes or {}
    kept = {method: table.dropna(subset="rating") for method, table in tables.items()}
    common = set.intersection(*(set(table["player"]) for table in kept.values())) if kept else set()
    rows = []
    for method, table in kept.items():
        factor = slopes.get(method, 1 / ELO_POINTS) * ELO_POINTS
        level = table.loc[table["player"].isin(common), "rating"].mean() if common else table["rating"].mean()
        moved = (table[["rating", "ci_low", "ci_high"]] - level) * factor
        rows.append(moved.assign(player=table["player"], method=method)[COMPARED])
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=COMPARED)


def agreement(compared: pd.DataFrame) -> pd.DataFrame:
    """Return for every two methods how their ratings of the same players agree.

    Columns: `method`, `other`, `n_players`, `correlation`, `rank_correlation` (of ranks), `mean_difference` (root of
    the mean squared difference, Elo points) and `largest_difference` (absolute).
    """
    wide = compared.pivot_table(index="player", columns="method", values="rating")
    rows = []
    for method, other in combinations(dict.fromkeys(compared["method"]), 2):
        both = wide[[method, other]].dropna()
        own, theirs, apart = both[method], both[other], both[method] - both[other]
        correlations = (own.corr(theirs, min_periods=3), own.rank().corr(theirs.rank(), min_periods=3))
        rows.append((method, other, len(both), *correlations, math.sqrt((apart**2).mean()), apart.abs().max()))
    return pd.DataFrame(rows, columns=AGREEMENT)


def comparable(ratings: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """Say for every player which diluted player, of whose moves a share is a weak one's, would have that rating.

    `ratings` has `player` and `elo` and perhaps `ci_low`, `ci_high`; `shares` says of the diluted players what share of
    their moves is the weak one's (0 to 1). Returns `player`, `elo`, `share` (interpolated between the two diluted
    players around his rating, which must fall as the share grows), `share_low` and `share_high` (at the upper and the
    lower end of the player's own interval), `below` and `above`: the two diluted players. Outside their range there is
    no share, and only one of the two names. Raises RatingsError for a share outside 0 to 1, two equal shares, fewer
    than two diluted players, and ratings that do not fall.
    """
    require_players(shares, ratings["player"].tolist(), "diluted")
    odd = [name for name, share in shares.items() if not 0 <= share <= 1]
    if odd:
        raise RatingsError(f"diluted={odd[0]}={shares[odd[0]]:g}: a share of moves is 0 to 1")
    if len(set(shares.values())) != len(shares) or len(shares) < 2:
        raise RatingsError("diluted: two diluted players at least, of different shares, are needed")
    by_name = ratings.set_index("player")["elo"]
    names = sorted(shares, key=lambda name: -shares[name])
    share, elo = np.array([shares[name] for name in names]), by_name[names].to_numpy(float)
    for weaker, stronger, rise in zip(names, names[1:], np.diff(elo), strict=False):
        if rise <= 0:
            raise RatingsError(f"diluted: {weaker} is diluted more than {stronger}, but rated no lower")

    def at(value: float) -> float:
        return float(np.interp(value, elo, share)) if elo[0] <= value <= elo[-1] else float("nan")

    rows = []
    for row in ratings.to_dict("records"):
        place = int(np.searchsorted(elo, row["elo"], side="right"))
        rows.append(
            {
                "player": row["player"],
                "elo": row["elo"],
                "share": at(row["elo"]),
                "share_low": at(row.get("ci_high", float("nan"))),
                "share_high": at(row.get("ci_low", float("nan"))),
                "below": names[place - 1] if place else "",
                "above": names[place] if place < len(names) else "",
            }
        )
    return pd.DataFrame(rows)
