"""Results of every pair, and the chance of the next match by the rating of the standing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from bgleague.cells import meetings
from bgleague.logistic import REACH
from bgleague.settings import MethodRatings


def head_to_head(games: pd.DataFrame, rated: MethodRatings, players: Sequence[str]) -> pd.DataFrame:
    """Return results and chances of the pairs that met (ratings/head_to_head).

    A chance has the log-odds of the difference of both ratings, for a match of the list's usual length. Intervals are
    normal in the log-odds; without a covariance the errors of both ratings count as independent.
    """
    assert rated.ratings is not None  # the standing has such a system
    table = rated.ratings.dropna(subset=["rating"]).set_index("player")
    table = table.loc[[name for name in players if name in table.index]]
    met = meetings(games, list(table.index))
    p, q = (table.index.get_indexer(pd.Index(met[side])) for side in ("player_p", "player_q"))
    rating = table["rating"].to_numpy()
    logit = rated.slope * (rating[p] - rating[q])
    if rated.covariance is None:
        own = ((table["ci_high"] - table["ci_low"]) / (2 * REACH)).to_numpy() ** 2
        variance = own[p] + own[q]
    else:
        covariance = rated.covariance.loc[table.index, table.index].to_numpy()
        variance = covariance[p, p] + covariance[q, q] - 2 * covariance[p, q]
    error = rated.slope * np.sqrt(variance.clip(min=0.0))
    ends = {"chance": 0.0, "chance_ci_low": -REACH, "chance_ci_high": REACH}
    return met.assign(**{name: expit(logit + reach * error) for name, reach in ends.items()})
