"""Ratings by the FIBS formula.

A point of difference is worth log-odds of ln(10) sqrt(N) / 2000 in a match to N points.

This is the logistic fit without a bias; a match weighs the difference of its players by the root of
its length.
"""

from bgleague import logistic
from bgleague.history import usual_length
from bgleague.settings import ABSENT, GamesToRate, MethodRatings, RatingsSettings
from bgrating.rating.fibs_formula import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE


def problem(settings: RatingsSettings, games: GamesToRate) -> str:
    if "length" not in games.games or games.games["length"].isna().all():
        return f"{ABSENT} lengths of matches, which fibs needs: a column length"
    return logistic.problem(settings, games)


def rate(_: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate the matches whose length is known; the mean of the players is 1500."""
    known = games.games[games.games["length"].notna()]
    fitted = logistic.fit(known, bias=False, lengths=True)
    slope = abs(float(log_odds_per_point(usual_length(known))))
    table = fitted.players.rename(columns={"score": "rating"})
    return fitted.ratings({"fibs.csv": table}, {"confidence": CONFIDENCE}, slope)
