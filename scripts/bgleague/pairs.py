"""What the ratings of a standing say of players together.

They say who is first, who is better, and who wins the next match.
"""

import math

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr

from bgleague.games import Names
from bgleague.logistic import REACH
from bgleague.pair_counts import meetings
from bgleague.settings import MethodRatings
from bgrating.rating.fibs_formula import Floats

DRAWS = 10_000
MOST_DRAWN = 20_000_000  # numbers, for memory


def _joint(system: MethodRatings, players: Names) -> tuple[pd.Series, Floats]:
    """Return the ratings of the players that have one, and their covariance or, if it is not known,
    their variances.
    """
    assert system.ratings is not None  # the standing has such a system
    table = system.ratings.dropna(subset=["rating"]).set_index("player")
    table = table.loc[[name for name in players if name in table.index]]
    if system.covariance is None:
        return table["rating"], ((table["ci_high"] - table["ci_low"]) / (2 * REACH)).to_numpy() ** 2
    return table["rating"], system.covariance.loc[table.index, table.index].to_numpy()


def first_chances(system: MethodRatings, players: Names, seed: int) -> pd.Series:
    """Return the chance of every player to be the strongest of them all, by draws from the joint
    posterior.
    """
    rating, covariance = _joint(system, players)
    random = np.random.default_rng(seed)
    number = min(DRAWS, max(1, MOST_DRAWN // len(rating)))
    normal = random.standard_normal((number, len(rating)))
    if covariance.ndim == 1:
        drawn = normal * np.sqrt(covariance)
    else:
        values, vectors = np.linalg.eigh(covariance)
        drawn = (normal * np.sqrt(values.clip(min=0.0))) @ vectors.T
    first = np.bincount((rating.to_numpy() + drawn).argmax(axis=1), minlength=len(rating))
    return pd.Series(first / number, rating.index)


def head_to_head(games: pd.DataFrame, system: MethodRatings, players: Names) -> pd.DataFrame:
    """Return results and chances of the pairs that met (ratings/head_to_head).

    A chance has the log-odds of the difference of both ratings, for a match of the list's usual
    length. It is the mean over what is open about the difference (MacKay 1992), and its interval is
    normal in the log-odds. Without a covariance the errors of both ratings count as independent.
    """
    rating, covariance = _joint(system, players)
    pairs = meetings(games, list(rating.index))
    p, q = (rating.index.get_indexer(pd.Index(pairs[side])) for side in ("player_p", "player_q"))
    log_odds = system.slope * (rating.to_numpy()[p] - rating.to_numpy()[q])
    if covariance.ndim == 1:
        variance = covariance[p] + covariance[q]
    else:
        variance = covariance[p, p] + covariance[q, q] - 2 * covariance[p, q]
    error = system.slope * np.sqrt(variance.clip(min=0.0))
    return pairs.assign(
        p_better=ndtr(np.divide(log_odds, error, out=np.zeros_like(log_odds), where=error > 0)),
        chance=expit(log_odds / np.sqrt(1 + math.pi / 8 * error**2)),
        chance_ci_low=expit(log_odds - REACH * error),
        chance_ci_high=expit(log_odds + REACH * error),
    )
