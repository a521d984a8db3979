"""Ratings in which long matches say more, as FIBS rates: a match to N points has log-odds of ln(10) sqrt(N) / 2000.

That is the logistic fit without a bias, with the root of each match's length as the weight of its difference.
"""

import pandas as pd

from bgrating.league import logistic
from bgrating.league.settings import ABSENT, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE


def problem(settings: RatingsSettings, field: GamesToRate) -> str:
    """Say why the games cannot be rated."""
    if "length" not in field.games or field.games["length"].isna().all():
        return f"{ABSENT} lengths of matches, which fibs needs: a column length"
    return logistic.problem(settings, field)


def rated(settings: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate the matches whose length is known; chances are of matches to the length asked for, or the usual one."""
    fitted = by_length(field.games)
    length = float(settings.match_length or field.games["length"].dropna().mode().iloc[0])
    order = logistic.players_shown(fitted, field.shown)
    files = {
        "fibs.csv": fitted.players.rename(columns={"score": "rating"}),
        "fibs_chances.csv": logistic.chances(field.games, fitted, order, length),
    }
    ratings, from_mean = logistic.both_intervals(fitted)
    about = {"confidence": CONFIDENCE, "match_length": length}
    return MethodRatings(files, ratings, from_mean, -float(log_odds_per_point(length)), about)


def by_length(games: pd.DataFrame) -> logistic.LogisticFit:
    """Fit one rating per player, their mean 1500. Games without a length are left out."""
    return logistic.fit(games[games["length"].notna()], bias=False, lengths=True)
