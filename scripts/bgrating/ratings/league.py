"""What a club asks of its results: the league table, who met whom with what result, and who beats whom."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bgrating.formula.fibs import log_odds_per_point
from bgrating.ratings import logistic
from bgrating.ratings.cells import meetings, totals

MOST_MATRIX = 500
"""Players that a matrix has room for; of more, those with most games."""
MOST_PAIRS = 60
"""Players up to whose number every pair has a row, whether it met or not."""
_RATINGS = {"elo": "rating", "logistic": "score", "fibs": "rating", "history": "rating"}


def chosen(games: pd.DataFrame, subset: Sequence[str], least: int, most: int = MOST_MATRIX) -> list[str]:
    """Return the players that tables show, most games first: those named, or at most `most` with `least` games."""
    if subset:
        return list(dict.fromkeys(subset))
    table = totals(games).sort_values(["games", "player"], ascending=[False, True], kind="stable")
    return table.loc[table["games"] >= least, "player"].head(most).tolist()


def by_length(games: pd.DataFrame) -> logistic.Fit:
    """Fit one rating per player as FIBS rates: the log-odds of a match to N points are ln(10) sqrt(N) / 2000 a point.

    So a long match says more than a short one. The mean is 1500. Games without a length are left out.
    """
    return logistic.fit(games[games["length"].notna()], bias=False, lengths=True)


def chances(
    games: pd.DataFrame, fitted: logistic.Fit, players: Sequence[str], match_length: float | None = None
) -> pd.DataFrame:
    """Set results of pairs beside their chances.

    One row per pair of the players (of many, per pair that met): `player_p`, `player_q`; `p_wins`, `q_wins` (draws
    half), `last` (date of the last meeting, where dates are known); `chance` of P by the fit with its 90 % interval
    `chance_ci_low`, `chance_ci_high` (normal, in the log-odds, by the covariance of both scores). With a match length
    it is the chance in such a match, by the FIBS formula.
    """
    rated = [name for name in players if name in fitted.scores]
    slope = fitted.slope if match_length is None else -float(log_odds_per_point(match_length))
    met = meetings(games, rated)
    if len(rated) <= MOST_PAIRS:
        first, second = np.triu_indices(len(rated), 1)
        every = pd.DataFrame({"player_p": np.array(rated)[first], "player_q": np.array(rated)[second]})
        met = every.merge(met, on=["player_p", "player_q"], how="left").fillna(
            {"p_wins": 0.0, "q_wins": 0.0, "last": ""}
        )
    place = pd.Series(range(len(fitted.covariance)), index=fitted.covariance.index)
    i, j = (place[met[side]].to_numpy() for side in ("player_p", "player_q"))
    covariance = fitted.covariance.to_numpy()
    error = slope * np.sqrt(np.maximum(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
    logit = slope * (met["player_p"].map(fitted.scores) - met["player_q"].map(fitted.scores)).to_numpy(float)
    ends = {"": 0.0, "_ci_low": -logistic.REACH, "_ci_high": logistic.REACH}
    return met.assign(**{f"chance{end}": 1 / (1 + np.exp(-(logit + reach * error))) for end, reach in ends.items()})


def league(games: pd.DataFrame, tables: Mapping[str, pd.DataFrame], players: Sequence[str]) -> pd.DataFrame:
    """Return the league table of some players, best first by the first of logistic, Elo and the others that is there.

    Columns: `place`, `player`, `games`, `wins` (a draw is half a win), `share`; `first`, `last` (dates, where they are
    known); the rating by each method of `tables` with `_ci_low`, `_ci_high`.
    """
    table = totals(games)
    table = table[table["player"].isin(players)].assign(share=lambda rows: rows["wins"] / rows["games"])
    if "date" in games:
        seats = [games[[seat, "date"]].set_axis(["player", "date"], axis=1) for seat in ("first", "second")]
        dates = pd.concat(seats)
        ends = dates[dates["date"] != ""].groupby("player")["date"].agg(first="min", last="max")
        table = table.merge(ends, on="player", how="left").fillna({"first": "", "last": ""})
    for method, rated in tables.items():
        named = {_RATINGS[method]: method, "ci_low": f"{method}_ci_low", "ci_high": f"{method}_ci_high"}
        table = table.merge(rated[["player", *named]].rename(columns=named), on="player", how="left")
    order = next((method for method in ("logistic", "elo", "fibs", "history") if method in tables), "share")
    table = table.sort_values(order, ascending=False, kind="stable", ignore_index=True)
    table.insert(0, "place", np.arange(len(table)) + 1)
    return table


def usual_length(games: pd.DataFrame) -> float:
    """Return the match length that most matches have; nan where none is known."""
    lengths = games["length"].dropna() if "length" in games else pd.Series(dtype=float)
    return float(lengths.mode().iloc[0]) if len(lengths) else math.nan
