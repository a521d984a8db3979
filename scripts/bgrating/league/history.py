"""Whole-history ratings (Coulom 2008): a rating of every player for every day of play, by the library `whr`.

A player's strength moves at random from day to day, by `drift` Elo points in a year (standard deviation). All days are
fitted to all results at once, so later results also inform earlier days. Every player has two drawn virtual games on
the first day. A match counts as one game, whatever its length. Intervals hold 90 % (normal, from the library's
curvature, which treats the ratings of the opponents as known).
"""

import numpy as np
import pandas as pd

from bgrating.league.games import players_of
from bgrating.league.logistic import REACH
from bgrating.league.settings import ABSENT, GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/history")
MOST = 200_000
MEAN, DRIFT = 1500.0, 50.0
_DAYS = 365.25
_BLOCK, _BLOCKS = 20, 200
MONTH = 30  # days before the last result from which a player's change is measured
_STILL = 0.01  # Elo points that a rating may still move in a block of steps


def problem(_: RatingsSettings, field: GamesToRate) -> str:
    if "date" not in field.games or (field.games["date"] == "").all():
        return f"{ABSENT} dates, which history needs: a column date"
    total = int(field.games["count"].sum())
    if total <= MOST:
        return ""
    return (
        f"whole-history ratings of {total:,} games take about {total / 1e6:.1f} hours; up to {MOST:,} are rated: "
        "use --since and --through"
    )


def rated(_: RatingsSettings, field: GamesToRate) -> MethodRatings:
    table = history(field.games)
    about = {"confidence": CONFIDENCE, "drift": DRIFT}
    return MethodRatings({"history.csv": table}, with_month_ago(latest(table), field.games), about)


def history(games: pd.DataFrame, drift: float = DRIFT) -> pd.DataFrame:
    """Rate dated games: `player`, `date`, `rating` (Elo points, the mean of the latest ratings 1500) and its interval.

    Games without a date are left out. Raises RatingsError for scores other than 1, 0.5 and 0, and without convergence.
    """
    import whr  # noqa: PLC0415 - a package that most lists need not have

    dated = games[games["date"] != ""]
    results = dated["first_score"].map({1.0: "B", 0.0: "W", 0.5: "D"})
    if results.isna().any():
        raise RatingsError("whole-history ratings take wins, draws and losses only; leave history out of --method")
    day = pd.to_datetime(dated["date"])
    start = day.min()
    number = (day - start).dt.days
    model = whr.Base(config={"w2": drift**2 / _DAYS})
    rows = zip(dated["first"], dated["second"], results, number, dated["count"], strict=True)
    model.create_games([[a, b, result, int(when), 0.0] for a, b, result, when, count in rows for _ in range(count)])
    players = players_of(dated)
    before = np.zeros(0)
    for _ in range(_BLOCKS):
        model.iterate(_BLOCK)
        table = pd.DataFrame(
            [(name, *point) for name in players for point in model.ratings_for_player(name)],
            columns=["player", "day", "rating", "std_error"],
        )
        table["rating"] += MEAN - table.groupby("player")["rating"].last().mean()
        now = table["rating"].to_numpy()
        if len(before) and np.abs(now - before).max() < _STILL:
            break
        before = now
    else:
        raise RatingsError(f"the whole-history ratings do not converge in {_BLOCK * _BLOCKS} steps")
    half = REACH * table["std_error"]
    dates = (start + pd.to_timedelta(table["day"], unit="D")).dt.strftime("%Y-%m-%d")
    return table.assign(date=dates, ci_low=table["rating"] - half, ci_high=table["rating"] + half)[COLUMNS]


def with_month_ago(ratings: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """Add `month_ago`: the rating that the games until MONTH days before the last one give; NaN for newer players.

    `month_sd` is the standard deviation of the change from chance: new results make a strength better known, and what
    they take from its variance is the variance of the change.

    The curve of all games cannot tell: later results move its earlier days too, so it hardly changes in a month.
    """
    until = (pd.to_datetime(games["date"].max()) - pd.Timedelta(days=MONTH)).strftime("%Y-%m-%d")
    earlier = games[(games["date"] != "") & (games["date"] <= until)]
    if earlier.empty:
        return ratings.assign(month_ago=np.nan, month_sd=np.nan)
    before = latest(history(earlier)).set_index("player")
    then, now = (((table["ci_high"] - table["ci_low"]) / (2 * REACH)) ** 2 for table in (before, ratings))
    days = (pd.to_datetime(ratings["date"]) - pd.to_datetime(ratings["player"].map(before["date"]))).dt.days
    gained = ratings["player"].map(then) + DRIFT**2 * days / _DAYS - now
    return ratings.assign(month_ago=ratings["player"].map(before["rating"]), month_sd=np.sqrt(gained.clip(lower=0)))


def latest(table: pd.DataFrame) -> pd.DataFrame:
    last = table.drop_duplicates("player", keep="last")
    return last.sort_values("rating", ascending=False, kind="stable", ignore_index=True)
