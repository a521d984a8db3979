"""The league table, the standing of a club and the reason for its rating, results of pairs, months
and years.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from bgleague.games import Names, both_seats
from bgleague.history import MEAN
from bgleague.pair_counts import results, totals
from bgleague.settings import MethodRatings
from bgmatch.records import Json
from bgrating.pages.charts import interval
from bgrating.pages.formatting import number, short, span
from bgrating.pages.template import records
from bgrating.tables.dictionary import columns

REASONS = {
    "history": (
        "It is fitted to all results at once, follows players over time, and knows how far few"
        " results tell."
    ),
    "fibs": "It counts long matches more than short ones, as FIBS does.",
    "logistic": "It is fitted to all results at once; their order does not matter.",
    "elo": "It goes from game to game, as most clubs rate.",
}
"""The systems that can order a league, the preferred ones first, each with the reason."""
PERIODS = columns("ratings/periods")
MOST_MATRIX = 500  # players of a matrix: those with most games
MEMBERS = 60  # players with a section on a page
GRID = 30  # players whose results against each other fit on a page


def chosen(games: pd.DataFrame, subset: Names, min_games: int) -> list[str]:
    """Return the players that tables show, most games first.

    They are those with `min_games`, MOST_MATRIX at most. If `subset` names players, it is returned.
    """
    if subset:
        return list(subset)
    table = totals(games).sort_values("games", ascending=False, kind="stable")
    return table.loc[table["games"] >= min_games, "player"].head(MOST_MATRIX).tolist()


def league(
    games: pd.DataFrame,
    by_method: Mapping[str, MethodRatings],
    players: Names,
    provisional: int = 0,
) -> pd.DataFrame:
    """Return the league table of some players, best first by the main rating or, without one, by
    the share of wins.

    Columns: ratings/league, with the rating by each method that belongs in it. Players with fewer
    games than `provisional` are marked.
    """
    table = totals(games)
    table = table[table["player"].isin(players)]
    table = table.assign(share=table["wins"] / table["games"])
    if provisional:
        table["provisional"] = table["games"] < provisional
    if "date" in games:
        dates = both_seats(games[games["date"] != ""]).groupby("player")["date"]
        ends = dates.agg(first="min", last="max")
        table = table.join(ends, on="player").fillna({"first": "", "last": ""})
    for method, ratings in by_method.items():
        if ratings.ratings is not None:
            values = ratings.ratings.set_index("player")[["rating", "ci_low", "ci_high"]]
            names = [method, f"{method}_ci_low", f"{method}_ci_high"]
            table = table.join(values.set_axis(names, axis=1), on="player")
    # Ratings that differ only by rounding are in the order of the names, and share a place.
    by = table[main_rating(table) or "share"].round(6)
    rank = by.rank(method="min", ascending=False, na_option="bottom").astype(int)
    table.insert(0, "place", rank)
    return table.sort_values("place", kind="stable", ignore_index=True)


def main_rating(league: pd.DataFrame) -> str:
    """Return the first system of REASONS that is a column of a league table, or nothing."""
    return next((method for method in REASONS if method in league), "")


def why(main: str, length: float | None) -> str:
    """Explain the rating of a standing and its scale.

    `length` is the match length of whole-history ratings.
    """
    if length is None:
        return REASONS[main]
    points = f"{length:.1f}".removesuffix(".0")
    return (
        f"{REASONS[main]} It is on the FIBS scale, for matches to {points} points; the mean is"
        f" {number(MEAN)}."
    )


MOST_FIRST = 5
"""Most players whose chances of being first are reported."""


def first_of_all(league: pd.DataFrame, shown: Callable[[str], str] = short) -> str:
    """Say how likely each of the first players of a league table is the strongest.

    The sentence is empty if that is not known. `shown` writes a name: for a page `isolated`, since
    a name written right to left would reorder the sentence.
    """
    if "p_first" not in league or len(league) < 2:
        return ""
    best = league.nlargest(MOST_FIRST, "p_first")
    chances = [
        f"{shown(name)} {share:.0%}"
        for name, share in zip(best["player"], best["p_first"], strict=True)
    ]
    return f"Chance of being the strongest: {', '.join(chances)}."


def standing(main: str, league: pd.DataFrame) -> list[Json]:
    """Return a row for each player of a league table that is ordered by the `main` rating.

    Keys: the columns of the table, and `rating`, `ci_low`, `ci_high`, `bar` (SVG), `between`,
    `lost`, `link` (to the section of a member).
    """
    ratings = league[[main, f"{main}_ci_low", f"{main}_ci_high"]].to_numpy(float)
    hundreds = ratings / 100.0
    axis = 100.0 * math.floor(np.nanmin(hundreds)), 100.0 * math.ceil(np.nanmax(hundreds) + 1e-9)
    rows: list[Json] = []
    for row, (rating, low, high) in zip(records(league), ratings.tolist(), strict=True):
        place = len(rows) + 1
        derived = {
            "rating": rating,
            "ci_low": low,
            "ci_high": high,
            "bar": interval(rating, low, high, axis),
            "between": span(low, high),
            "lost": row["games"] - row["wins"],
            "link": f"#member-{place}" if place <= MEMBERS else "",
        }
        rows.append(row | derived)
    return rows


def periods(games: pd.DataFrame, history: pd.DataFrame | None) -> dict[str, pd.DataFrame]:
    """Return the table periods.csv (ratings/periods) if games have dates.

    It has the results of every player in each month and each year, the latest period first.

    `rating` is that of `history` after the player's last match of the period. Players are ordered
    by wins, then by their share of wins; equal players share a place.
    """
    if "date" not in games or (games["date"] == "").all():
        return {}
    seats = both_seats(games[games["date"] != ""])
    tables = []
    for letters in (len("2026-03"), len("2026")):
        period = seats["date"].str[:letters].rename("period")
        table = results(seats, ["player", period]).reset_index()
        table["share"] = table["wins"] / table["games"]
        order = ["period", "wins", "share", "player"]
        table = table.sort_values(order, ascending=[False, False, False, True])
        table["place"] = table.groupby("period").cumcount() + 1
        table["place"] = table.groupby(order[:3])["place"].transform("min")
        if history is not None:
            of_period = history["date"].str[:letters].rename("period")
            last = history.groupby(["player", of_period])["rating"].last()
            table = table.join(last, on=["player", "period"])
        tables.append(table)
    return {"periods.csv": pd.concat(tables, ignore_index=True).reindex(columns=PERIODS)}


def grid(members: Sequence[Json]) -> Json:
    """Return the `names` of the best players, and for each a row of results such as "3–1".

    A result is empty if two players never met.
    """
    best = members[:GRID]
    names = [member["player"] for member in best]
    rows = []
    for member in best:
        results = {
            pair["player"]: f"{pair['won']:,.9g}–{pair['lost']:,.9g}"
            for pair in member["opponents"]
        }
        rows.append((member["player"], [results.get(name, "") for name in names]))
    return {"names": names, "rows": rows}
