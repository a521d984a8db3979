"""Results of every pair, and the chance of the next match by the rating of the standing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from bgrating.league.cells import meetings
from bgrating.league.logistic import REACH
from bgrating.league.settings import MethodRatings


def head_to_head(games: pd.DataFrame, rated: MethodRatings, players: Sequence[str]) -> pd.DataFrame:
    """Return results and chances of the pairs that met (ratings/head_to_head).

    A chance has the log-odds of the difference of both ratings, for a match of the list's usual length. Intervals are
    normal in the log-odds; without a covariance the errors of both ratings count as independent.
    """
    assert rated.ratings is not None  # the standing has such a system
    table = rated.ratings.dropna(subset=["rating"]).set_index("player")
    met = meetings(games, [name for name in players if name in table.index])
    own, other = (table.loc[met[side]] for side in ("player_p", "player_q"))
    logit = rated.slope * (own["rating"].to_numpy() - other["rating"].to_numpy())
    error = rated.slope * np.sqrt(_variance(rated, own, other))
    ends = {"chance": 0.0, "chance_ci_low": -REACH, "chance_ci_high": REACH}
    return met.assign(**{name: expit(logit + reach * error) for name, reach in ends.items()})


def _variance(rated: MethodRatings, own: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Return the variance of the difference of two ratings, in squared points."""
    if rated.covariance is None:
        one, two = ((table["ci_high"] - table["ci_low"]).to_numpy() / (2 * REACH) for table in (own, other))
        return np.asarray(one**2 + two**2)
    covariance = rated.covariance.to_numpy()
    i, j = (rated.covariance.index.get_indexer(table.index) for table in (own, other))
    return np.asarray(np.maximum(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
