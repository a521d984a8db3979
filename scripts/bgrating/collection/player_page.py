"""The page of a player: how good and how certain, what to practise, better or worse than before, a quiz."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bgrating.collection.leaks import PHASES, Leak
from bgrating.collection.page import KINDS, Collection, in_order, windows
from bgrating.collection.questions import chance_of_match, later_against_earlier
from bgrating.pages.charts import Point, interval, trend
from bgrating.pages.positions import for_boards
from bgrating.pages.template import records
from bgrating.pages.words import grade, number

Json = dict[str, Any]

LISTED = 25
"""A player's costliest decisions that are listed."""
LEAST_MOVES = 20
"""Unforced moves that a match must have to be among the best or the worst."""
MOST_POINTS = 40
"""Points of a trend."""
WINDOW = 20
"""Matches that a point of a trend is made from."""


def player_contents(
    collection: Collection,
    about: Json,
    own: pd.DataFrame,
    scale: tuple[float, float],
    costly: Sequence[Json],
    leaks: tuple[list[Leak], dict[str, tuple[float, float]]],
    counts: tuple[int, int],
) -> Json:
    """Return what the template of a player needs, all but the lists of matches.

    `about` is the row of players.csv, `own` the player's matches (columns of
    matches.csv, and `day`, of `dated`), `scale` that of all ratings, `costly` the costliest
    decisions (`page` leads to each), `leaks` what leaks.py found, `counts` all errors and blunders. `best` and `worst`
    are indices of `own`.
    """
    rated = own[own["rating"].notna() & (own["unforced_moves"] >= LEAST_MOVES)].sort_values("rating", ascending=False)
    ordered, order_words = in_order(own)
    size = min(WINDOW, len(ordered) // 2)
    field = collection.field
    change = later_against_earlier(ordered, collection.chosen, collection.offset, field) if field and size else None
    best, worst = (rated.index[0], rated.index[-1]) if len(rated) > 1 else (None, None)
    chance = math.nan
    if field is not None and best is not None:
        chance = chance_of_match(rated, best, collection.chosen, collection.offset, field)
    found, profile = leaks
    losses = [float(np.nansum([own[column].to_numpy(float) for column in columns])) for columns in KINDS.values()]
    decided = float(
        np.nansum(own["unforced_moves"].to_numpy(float)) + np.nansum(own["close_cube_decisions"].to_numpy(float))
    )
    kinds = (
        [(kind, 500 * loss / decided) for kind, loss in zip(KINDS, losses, strict=True)]
        if decided and sum(losses)
        else []
    )
    is_rated = not math.isnan(about["rating"])
    certain = is_rated and not math.isnan(about["ci_low"])
    words = f"Rating {number(about['rating'])}"
    words += f", {number(about['ci_low'])} to {number(about['ci_high'])}" if certain else ""
    adjusted = about["luck_adjusted_result"]
    return {
        "about": about,
        "is_rated": is_rated,
        "is_certain": certain,
        "bar_svg": interval(about["rating"], about["ci_low"], about["ci_high"], scale, words) if is_rated else "",
        "axis": scale,
        "grade": grade(about["pr"]),
        "without_luck": "" if math.isnan(adjusted) else f"{100 * min(1.0, max(0.0, 0.5 + adjusted)):.0f} %",
        "errors_each": counts[0] / len(own),
        "blunders_each": counts[1] / len(own),
        "leaks": found,
        "profile": [(words, *profile[name]) for name, words in PHASES.items() if name in profile],
        "profile_most": max((max(pair) for pair in profile.values()), default=1.0),
        "kinds": kinds,
        "kinds_most": max((rate for _, rate in kinds), default=1.0),
        "window": size,
        "order_words": order_words,
        **_trends(collection, ordered, size),
        "change": change.words() if change else "",
        "best": best,
        "worst": worst,
        "chance": chance,
        "costly": list(range(len(costly))),
        "decisions": for_boards(costly) | {
            name: [row[name] for row in costly] for name in ("player", "opponent", "page")
        },
    }  # fmt: skip


def _trends(collection: Collection, ordered: pd.DataFrame, size: int) -> Json:
    """Return the charts of rating and PR over time; empty where there are too few matches."""
    curves = windows(ordered, collection.chosen, collection.offset, size, MOST_POINTS) if size else ordered.head(0)
    if len(curves) < 2:
        return {"rating_trend": "", "pr_trend": ""}
    rows = records(curves)
    ratings = [Point(row["name"], row["value"], row["low"], row["high"]) for row in rows]
    # Sums of all matches up to each: a window is the difference of two.
    error = (ordered["chequer_error_emg"] + ordered["cube_error_emg"]).fillna(0.0).to_numpy(float)
    count = (ordered["unforced_moves"] + ordered["close_cube_decisions"]).fillna(0.0).to_numpy(float)
    rates = []
    for row in rows:
        part = slice(row["end"] - size, row["end"])
        rate = 500 * error[part].sum() / count[part].sum() if count[part].sum() else math.nan
        spread = math.nan
        if size > 1 and not math.isnan(rate):
            residual = 500 * error[part] - rate * count[part]
            # A ratio's standard error (delta method), two thirds of the time within one of it: 1.65 for nine in ten.
            spread = 1.65 * math.sqrt(float(np.square(residual).sum()) * size / (size - 1)) / count[part].sum()
        if not math.isnan(rate):
            rates.append(Point(row["name"], rate, max(0.0, rate - spread), rate + spread))
    return {
        "rating_trend": trend(ratings, f"Rating over time, each point from {size} matches"),
        "pr_trend": trend(rates, f"PR over time, each point from {size} matches", 1) if len(rates) > 1 else "",
    }
