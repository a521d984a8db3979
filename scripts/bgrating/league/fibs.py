"""Ratings by the FIBS formula: a point of difference is worth log-odds of ln(10) sqrt(N) / 2000 in a match to N points.

This is the logistic fit without a bias, with the root of each match's length as the weight of its difference.
"""

from bgrating.league import logistic
from bgrating.league.settings import ABSENT, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.intervals import CONFIDENCE


def problem(settings: RatingsSettings, field: GamesToRate) -> str:
    if "length" not in field.games or field.games["length"].isna().all():
        return f"{ABSENT} lengths of matches, which fibs needs: a column length"
    return logistic.problem(settings, field)


def rated(settings: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate the matches whose length is known, by players' mean 1500; chances are of matches to `match_length`."""
    fitted = logistic.fit(field.games[field.games["length"].notna()], bias=False, lengths=True)
    length = float(settings.match_length or field.games["length"].dropna().mode().iloc[0])
    ratings = fitted.players.rename(columns={"score": "rating"})
    order = logistic.players_shown(fitted, field.listed)
    files = {"fibs.csv": ratings, "fibs_chances.csv": logistic.chances(field.games, fitted, order, length)}
    return MethodRatings(files, ratings, {"confidence": CONFIDENCE, "match_length": length})
