"""Ratings by the FIBS formula.

A point of difference is worth log-odds of ln(10) sqrt(N) / 2000 in a match to N points.

This is the logistic fit without a bias; a match weighs the difference of its players by the root of
its length.
"""

from bgleague import logistic
from bgleague.history import usual_length
from bgleague.settings import ABSENT, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE


def problem(settings: RatingsSettings, field: GamesToRate) -> str:
    if "length" not in field.games or field.games["length"].isna().all():
        return f"{ABSENT} lengths of matches, which fibs needs: a column length"
    return logistic.problem(settings, field)


def rated(_: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate the matches whose length is known; the mean of the players is 1500."""
    games = field.games[field.games["length"].notna()]
    fitted = logistic.fit(games, bias=False, lengths=True)
    ratings = fitted.players.rename(columns={"score": "rating"})
    slope = abs(float(log_odds_per_point(usual_length(games))))
    facts = {"confidence": CONFIDENCE}
    return MethodRatings(
        {"fibs.csv": ratings}, ratings, facts, slope=slope, covariance=fitted.covariance
    )
