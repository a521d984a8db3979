"""Ratings side by side: several methods on one scale, how far they agree, the league table."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from bgrating.league.cells import totals
from bgrating.league.games import both_seats
from bgrating.tables.dictionary import columns

COMPARED = columns("ratings/methods")
AGREEMENT = columns("ratings/agreement")
ELO_POINTS = 400 / math.log(10)
"""Points of the Elo scale for one unit of the logit."""
MOST_MATRIX = 500
"""Players that a matrix has room for; of more, those with most games."""
MAIN = ("history", "fibs", "logistic", "elo")
"""Systems by which a league is ordered, the first that rates it."""


def on_one_scale(tables: Mapping[str, pd.DataFrame], slopes: Mapping[str, float]) -> pd.DataFrame:
    """Write ratings of several methods as Elo points above the mean of the players whom all of them rate.

    Each table has `player`, `rating`, `ci_low`, `ci_high`; `slopes` gives the logit per point of each method. Returns
    COMPARED.
    """
    kept = {method: table.dropna(subset="rating") for method, table in tables.items()}
    common = set.intersection(*(set(table["player"]) for table in kept.values())) if kept else set()
    rows = []
    for method, table in kept.items():
        factor = slopes[method] * ELO_POINTS
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
        correlations = (frame.corr(min_periods=3).iloc[0, 1] for frame in (both, both.rank()))
        apart = both[method] - both[other]
        rows.append((method, other, len(both), *correlations, math.sqrt((apart**2).mean()), apart.abs().max()))
    return pd.DataFrame(rows, columns=AGREEMENT)


def chosen(games: pd.DataFrame, subset: Sequence[str], min_games: int) -> list[str]:
    """Return the players that tables show, most games first: those named, or MOST_MATRIX with `min_games`."""
    if subset:
        return list(dict.fromkeys(subset))
    table = totals(games).sort_values(["games", "player"], ascending=[False, True], kind="stable")
    return table.loc[table["games"] >= min_games, "player"].head(MOST_MATRIX).tolist()


def league(games: pd.DataFrame, tables: Mapping[str, pd.DataFrame], players: Sequence[str]) -> pd.DataFrame:
    """Return the league table of some players, best first by the main rating or, without one, by the share of wins.

    Each table has `player`, `rating`, `ci_low`, `ci_high`. Columns: ratings/league, with the rating by each method.
    """
    table = totals(games)
    table = table[table["player"].isin(players)].assign(share=lambda rows: rows["wins"] / rows["games"])
    if "date" in games:
        dates = both_seats(games, "date")
        ends = dates[dates["date"] != ""].groupby("player")["date"].agg(first="min", last="max")
        table = table.merge(ends, on="player", how="left").fillna({"first": "", "last": ""})
    for method, ratings in tables.items():
        named = {"rating": method, "ci_low": f"{method}_ci_low", "ci_high": f"{method}_ci_high"}
        table = table.merge(ratings[["player", *named]].rename(columns=named), on="player", how="left")
    table = table.sort_values(main_rating(table) or "share", ascending=False, kind="stable", ignore_index=True)
    table.insert(0, "place", np.arange(len(table)) + 1)
    return table


def main_rating(league: pd.DataFrame) -> str:
    """Return the first system of MAIN that is a column of a league table, or nothing."""
    return next((method for method in MAIN if method in league), "")
