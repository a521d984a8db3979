"""The diluted player that is as strong as a given one: how much of a strong player's play it takes."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.ratings.games import RatingsError, require_players


def comparable(ratings: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """Say for every player which diluted player would have his rating.

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
