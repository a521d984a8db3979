"""The league table, and the standing of a club: one rating and why that one, form, change, and who beat whom."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bgrating.league.cells import totals
from bgrating.league.games import WHO, both_seats
from bgrating.league.history import MEAN
from bgrating.pages.charts import interval
from bgrating.pages.template import records
from bgrating.pages.words import number
from bgrating.rating.fibs import log_odds_per_point

Json = dict[str, Any]

WHY = {
    "history": "It is fitted to all results at once and follows how players change over time.",
    "fibs": "It counts long matches more than short ones, as FIBS does.",
    "logistic": "It is fitted to all results at once; their order does not matter.",
    "elo": "It goes from game to game, as most clubs rate.",
}
"""The systems that order a league, the first that rates it, and why."""
ELO_POINTS = 400 / math.log(10)  # points of the Elo scale for one unit of the logit
MOST_MATRIX = 500  # players that a matrix has room for; of more, those with most games
FORM = 10  # results that a player's form shows
SEATS = {"first": 1.0, "second": 0.0}  # and the score of a game that each of them won
GRID = 30  # players whose results against each other fit on a page


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
        dated = games[games["date"] != ""]
        of_seats = [dated.groupby(seat)["date"].agg(first="min", last="max") for seat in SEATS]
        ends = pd.concat(of_seats).groupby(level=0).agg({"first": "min", "last": "max"})
        table = table.join(ends, on="player").fillna({"first": "", "last": ""})
    for method, ratings in tables.items():
        named = {"rating": method, "ci_low": f"{method}_ci_low", "ci_high": f"{method}_ci_high"}
        table = table.merge(ratings[["player", *named]].rename(columns=named), on="player", how="left")
    table = table.sort_values(main_rating(table) or "share", ascending=False, kind="stable", ignore_index=True)
    table.insert(0, "place", np.arange(len(table)) + 1)
    return table


def main_rating(league: pd.DataFrame) -> str:
    """Return the first system of WHY that is a column of a league table, or nothing."""
    return next((method for method in WHY if method in league), "")


def usual_length(games: pd.DataFrame) -> float:
    """Return the match length whose root is the mean root of the games' lengths; NaN where none is known.

    On the FIBS scale a match's log-odds grow with the root of its length.
    """
    known = games[games["length"].notna()] if "length" in games else games.head(0).assign(length=0.0)
    count = known["count"].sum()
    return float((known["length"] ** 0.5 * known["count"]).sum() / count) ** 2 if count else math.nan


def on_fibs_scale(main: str, games: pd.DataFrame) -> float:
    """Return by what the standing multiplies distances from the mean: it shows the whole history in FIBS points.

    Whole-history ratings are Elo points, log-odds of ln(10) / 400 each, for matches of any length. A FIBS point has
    ln(10) sqrt(N) / 2000, here with N the usual length of these matches. The factor is 1 without lengths and for other
    systems.
    """
    length = usual_length(games) if main == "history" else math.nan
    return 1.0 if math.isnan(length) else 1 / (ELO_POINTS * abs(float(log_odds_per_point(length))))


def why(main: str, games: pd.DataFrame) -> str:
    """Explain why a standing shows this rating, and on what scale it is."""
    if main != "history" or math.isnan(length := usual_length(games)):
        return WHY.get(main, "")
    lengths = sorted(games["length"].dropna().unique())
    points = f"{lengths[0]:.0f} points" if len(lengths) == 1 else f"{length:.1f} points, as these are on average"
    return f"{WHY[main]} It is on the FIBS scale, for matches to {points}; the mean is {number(MEAN)}."


def standing(main: str, league: pd.DataFrame, games: pd.DataFrame, history: pd.DataFrame | None) -> list[Json]:
    """Return a row for each player of a league table that is ordered by the `main` rating.

    `history`: the ratings of history.py, with those of a month ago.

    Keys: `place`, `player`, `rating`, `ci_low`, `ci_high`, `bar` (SVG), `between`, `played`, `won`, `lost`, `points`
    (lengths of the matches won, where known), `form` (the last results, the latest last; empty without dates), `change`
    (of the whole-history rating since a month ago, or NaN), `by_chance` (how often chance alone changes it as much),
    `month` (both in words). Whole-history ratings are in FIBS points where lengths are known.
    """
    ends, factor = [main, f"{main}_ci_low", f"{main}_ci_high"], on_fibs_scale(main, games)
    scaled = league.assign(**{name: MEAN + factor * (league[name] - MEAN) for name in ends})
    axis = _axis(pd.concat([scaled[name] for name in ends]))
    points, forms, changes, chances = _points(games), _forms(games), _changes(history), _by_chance(history)
    rows = []
    for place, row in enumerate(records(scaled), 1):
        value, bottom, top = (float(row[name]) for name in ends)
        between = "" if math.isnan(bottom + top) else f"{number(bottom)} to {number(top)}"
        words = f"{number(value)}, {between}" if between else number(value)
        name = row["player"]
        change, chance = factor * changes.get(name, math.nan), chances.get(name, math.nan)
        rows.append(
            {
                "place": place, "player": name, "rating": value, "ci_low": bottom, "ci_high": top, "between": between,
                "played": row["games"],
                "bar": "" if math.isnan(value) else interval(value, bottom, top, axis, words), "won": row["wins"],
                "lost": row["games"] - row["wins"], "points": points.get(name, 0.0), "form": forms.get(name, ""),
                "change": change, "by_chance": chance,
                "month": "" if math.isnan(chance) else f"{change:+.0f} ({100 * chance:.0f} %)",
            }
        )  # fmt: skip
    return rows


def grid(rows: list[Json], pairs: pd.DataFrame | None) -> Json:
    """Return who beat whom: `names` of the best players, and for each a row of results ("3–1"; empty: never met)."""
    names = [row["player"] for row in rows[:GRID]]
    results = {}
    for pair in records(pairs) if pairs is not None else []:
        won, lost = number(pair["p_wins"]), number(pair["q_wins"])
        results[pair["player_p"], pair["player_q"]] = f"{won}–{lost}"
        results[pair["player_q"], pair["player_p"]] = f"{lost}–{won}"
    return {"names": names, "rows": [(name, [results.get((name, other), "") for other in names]) for name in names]}


def _axis(values: pd.Series) -> tuple[float, float]:
    known = values.dropna()
    if known.empty:
        return 0.0, 1.0
    return 100.0 * math.floor(known.min() / 100.0), 100.0 * math.ceil(known.max() / 100.0 + 1e-9)


def _points(games: pd.DataFrame) -> "pd.Series[float]":
    points = games.get("length", 0.0) * games["count"]
    won = [(points * (games["first_score"] == score)).groupby(games[seat]).sum() for seat, score in SEATS.items()]
    return won[0].add(won[1], fill_value=0.0)


def _forms(games: pd.DataFrame) -> dict[str, str]:
    if "date" not in games:
        return {}
    dated = games.loc[games["date"] != "", [*WHO, "date"]].sort_values("date", kind="stable", ignore_index=True)
    late = [dated.groupby(seat).tail(FORM).index for seat in SEATS]
    last = both_seats(dated.loc[late[0].union(late[1])]).sort_index(kind="stable").groupby("player").tail(FORM)
    letters = last["score"].map({1.0: "W", 0.0: "L"}).fillna("D").groupby(last["player"])
    return {str(name): "".join(form) for name, form in letters}


def _changes(history: pd.DataFrame | None) -> "pd.Series[float]":
    if history is None:
        return pd.Series(dtype=float)
    by_player = history.set_index("player")
    return by_player["rating"] - by_player["month_ago"]


def _by_chance(history: pd.DataFrame | None) -> "pd.Series[float]":
    """Return the chance of a change at least as large of a player whose strength drifts as all do; normal."""
    if history is None or "month_sd" not in history:
        return pd.Series(dtype=float)
    of_player = history[history["month_sd"] > 0].set_index("player")
    off = (of_player["rating"] - of_player["month_ago"]).abs() / of_player["month_sd"]
    return off.map(lambda z: math.erfc(z / math.sqrt(2)))
