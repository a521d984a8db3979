"""The standing of a club: one rating and why that one, results, form, change in a month, and who beat whom."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pandas as pd

from bgrating.league.compare import ELO_POINTS
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
"""Why a system is the main rating."""
FORM = 10
"""Results that a player's form shows."""
MONTH = 30
"""Days over which a change in a month is measured."""
GRID = 30
"""Players whose results against each other fit on a page."""


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

    Keys: `place`, `player`, `rating`, `ci_low`, `ci_high`, `bar` (SVG), `between`, `played`, `won`, `lost`, `points`
    (lengths of the matches won, where known), `form` (the last results, the latest last; empty without dates), `change`
    (of the whole-history rating in the last month, or NaN). Whole-history ratings are in FIBS points where lengths are
    known.
    """
    ends, factor = [main, f"{main}_ci_low", f"{main}_ci_high"], on_fibs_scale(main, games)
    scaled = league.assign(**{name: MEAN + factor * (league[name] - MEAN) for name in ends})
    axis = _axis(pd.concat([scaled[name] for name in ends]))
    points, forms, changes = _points(games), _forms(games), _changes(history)
    rows = []
    for place, row in enumerate(records(scaled), 1):
        value, bottom, top = (float(row[name]) for name in ends)
        between = "" if math.isnan(bottom + top) else f"{number(bottom)} to {number(top)}"
        words = f"{number(value)}, {between}" if between else number(value)
        name = row["player"]
        rows.append(
            {
                "place": place, "player": name, "rating": value, "ci_low": bottom, "ci_high": top, "between": between,
                "played": row["games"],
                "bar": "" if math.isnan(value) else interval(value, bottom, top, axis, words), "won": row["wins"],
                "lost": row["games"] - row["wins"], "points": points.get(name, 0.0), "form": forms.get(name, ""),
                "change": factor * changes.get(name, math.nan),
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


def _points(games: pd.DataFrame) -> dict[str, float]:
    points: dict[str, float] = defaultdict(float)
    for name, score, row in _results(games[games["length"].notna()] if "length" in games else games.head(0)):
        points[name] += row.get("length", 0.0) * (score == 1) * row["count"]
    return points


def _forms(games: pd.DataFrame) -> dict[str, str]:
    if "date" not in games:
        return {}
    letters: dict[str, str] = defaultdict(str)
    for name, score, _ in _results(games[games["date"] != ""].sort_values("date", kind="stable")):
        letters[name] += {1.0: "W", 0.0: "L"}.get(score, "D")
    return {name: form[-FORM:] for name, form in letters.items()}


def _results(games: pd.DataFrame) -> Iterator[tuple[str, float, Json]]:
    """Yield player, score and the game's row, first from the first seat, then from the second."""
    for row in records(games):
        yield row["first"], float(row["first_score"]), row
        yield row["second"], 1.0 - row["first_score"], row


def _changes(history: pd.DataFrame | None) -> dict[str, float]:
    """Return how much the whole-history ratings changed in the last month of the list."""
    if history is None or history.empty:
        return {}
    days = pd.to_datetime(history["date"])
    before = history[days <= days.max() - pd.Timedelta(days=MONTH)].groupby("player")["rating"].last()
    change = history.groupby("player")["rating"].last() - before
    return {str(name): float(value) for name, value in change.dropna().items()}
