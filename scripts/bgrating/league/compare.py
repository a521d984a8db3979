"""Ratings side by side: the league table, pairs that met, several methods on one scale, players beside diluted ones."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from bgrating.league import logistic
from bgrating.league.cells import meetings, totals
from bgrating.league.games import RatingsError, require_players
from bgrating.rating.fibs import log_odds_per_point
from bgrating.tables.dictionary import columns

COMPARED = columns("ratings/methods")
AGREEMENT = columns("ratings/agreement")
ELO_POINTS = 400 / math.log(10)
"""Points of the Elo scale for one unit of the logit."""
MOST_MATRIX = 500
"""Players that a matrix has room for; of more, those with most games."""
MOST_PAIRS = 60
"""Players up to whose number every pair has a row, whether it met or not."""
_RATINGS = {"elo": "rating", "logistic": "score", "fibs": "rating", "history": "rating"}


def on_one_scale(tables: Mapping[str, pd.DataFrame], slopes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Write ratings of several methods as Elo points above the mean of the players whom all of them rate.

    Each table has `player`, `rating`, `ci_low`, `ci_high`; `slopes` gives the logit per point of a method that is not
    on the Elo scale (ln 10 / 400). Intervals move along. Returns COMPARED.
    """
    slopes = slopes or {}
    kept = {method: table.dropna(subset="rating") for method, table in tables.items()}
    common = set.intersection(*(set(table["player"]) for table in kept.values())) if kept else set()
    rows = []
    for method, table in kept.items():
        factor = slopes.get(method, 1 / ELO_POINTS) * ELO_POINTS
        level = table.loc[table["player"].isin(common), "rating"].mean() if common else table["rating"].mean()
        moved = (table[["rating", "ci_low", "ci_high"]] - level) * factor
        rows.append(moved.assign(player=table["player"], method=method)[COMPARED])
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=COMPARED)


def agreement(compared: pd.DataFrame) -> pd.DataFrame:
    """Return for every two methods how their ratings of the same players agree, Elo points (AGREEMENT)."""
    wide = compared.pivot_table(index="player", columns="method", values="rating")
    rows = []
    for method, other in combinations(dict.fromkeys(compared["method"]), 2):
        both = wide[[method, other]].dropna()
        own, theirs, apart = both[method], both[other], both[method] - both[other]
        correlations = (own.corr(theirs, min_periods=3), own.rank().corr(theirs.rank(), min_periods=3))
        rows.append((method, other, len(both), *correlations, math.sqrt((apart**2).mean()), apart.abs().max()))
    return pd.DataFrame(rows, columns=AGREEMENT)


def comparable(ratings: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """Say for every player which diluted player, of whose moves a share is a weak one's, would have that rating.

    `ratings` has `player` and `elo` and perhaps `ci_low`, `ci_high`; `shares` says of the diluted players what share of
    their moves is the weak one's (0 to 1). Returns ratings/diluted: shares are interpolated between the two diluted
    players around a rating, which must fall as the share grows. Outside their range there is no share, and only one of
    the two names. Raises RatingsError for a share outside 0 to 1, two equal shares, fewer than two diluted players, and
    ratings that do not fall.
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


def chosen(games: pd.DataFrame, subset: Sequence[str], least: int) -> list[str]:
    """Return the players that tables show, most games first: those named, or at most MOST_MATRIX with `least` games."""
    if subset:
        return list(dict.fromkeys(subset))
    table = totals(games).sort_values(["games", "player"], ascending=[False, True], kind="stable")
    return table.loc[table["games"] >= least, "player"].head(MOST_MATRIX).tolist()


def by_length(games: pd.DataFrame) -> logistic.Fit:
    """Fit one rating per player as FIBS rates: the log-odds of a match to N points are ln(10) sqrt(N) / 2000 a point.

    So a long match says more than a short one. The mean is 1500. Games without a length are left out.
    """
    return logistic.fit(games[games["length"].notna()], bias=False, lengths=True)


def chances(
    games: pd.DataFrame, fitted: logistic.Fit, players: Sequence[str], match_length: float | None = None
) -> pd.DataFrame:
    """Set results of pairs of the players (of many: that met) beside their chances by the fit (ratings/head_to_head).

    Intervals are normal in the log-odds, by the covariance of both scores. With a match length it is the chance in such
    a match, by the FIBS formula.
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

    Columns: ratings/league, with the rating by each method of `tables`.
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
