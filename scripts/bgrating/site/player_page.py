"""The page of a player.

How good and how certain, what to practise, the rating over time, a quiz.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgmatch.records import Json
from bgmatch.scales import PR, performance_rating
from bgrating.decisions.thresholds import COSTLY
from bgrating.pages.charts import Line, curves
from bgrating.pages.positions import for_boards
from bgrating.pages.words import grade, number
from bgrating.people.players import OUTSIDE, errors_of
from bgrating.people.practice import FAMILIES, SMALLER, SURE, Row, advice
from bgrating.rating.calculator import GRADES
from bgrating.rating.player import ratings
from bgrating.site.collection_page import Collection, rating_bar, scale_of
from bgrating.site.filters import LEAST_TREND, MOST_POINTS, WINDOW

Places = NDArray[np.intp]

WORST = 5
"""Most errors in the row of the worst."""


class Matches:
    """Columns of all matches as arrays.

    Slicing the table for every player would be a hundred times as slow.
    """

    def __init__(self, collection: Collection) -> None:
        table = collection.of_players.reset_index(drop=True)

        def figures(*names: str) -> NDArray[np.float64]:
            total: NDArray[np.float64] = np.nan_to_num(table[list(names)].to_numpy(float)).sum(
                axis=1
            )
            return total

        self.collection = collection
        self.axis = scale_of(collection.players, collection.offset)
        self.rating = table["rating"].to_numpy(float)
        self.decisions = figures("unforced_moves", "close_cube_decisions")
        self.error = figures("chequer_error_emg", "cube_error_emg")
        self.xg_decisions = figures("xg_decisions")
        self.xg_error = figures("xg_pr") / PR * self.xg_decisions
        self.errors = errors_of(collection.rated_by, collection.model)
        won = table["won"].astype(float) - table["net_luck_mwc"].astype(float)
        self.won_without_luck = won.where(table["luck_adjusted_result"].notna()).to_numpy(float)
        day = pd.to_datetime(
            table["date"].fillna("").replace("", None), format="ISO8601", errors="coerce"
        )
        self.has_day = day.notna().to_numpy()
        self.day = day.dt.strftime("%Y-%m-%d").fillna("").tolist()
        order = (
            table.assign(day=day)
            .sort_values(["day", "file", "match"], kind="stable")
            .index.to_numpy()
        )
        self._rank = np.argsort(order)

    def as_played(self, places: Places) -> Places:
        """Return matches in the order of play; those without a date are the last."""
        return places[np.argsort(self._rank[places])]

    def in_order(self, places: Places) -> tuple[Places, int]:
        """Return the rated matches with a date in the order of play, and the number of rated
        matches without a date.
        """
        rated = places[~np.isnan(self.rating[places])]
        dated = rated[self.has_day[rated]]
        return self.as_played(dated), len(rated) - len(dated)


def player_contents(
    matches: Matches,
    places: Places,
    about: Json,
    costly: Sequence[Json],
    practice: Mapping[str, Sequence[Row]],
) -> Json:
    """Return the variables of the template of a player, without the list of matches.

    `places` are the rows of the player's matches, `about` is the row of players.csv. `costly` are
    the questions of the quiz, each with the address `page` of its match. `practice` has the rows of
    practice.py.
    """
    ordered, undated = matches.in_order(places)
    is_rated = not math.isnan(about["rating"])
    size = min(WINDOW, len(ordered) // 2) if is_rated and len(ordered) >= LEAST_TREND else 0
    worst = sorted(range(len(costly)), key=lambda place: -costly[place]["loss_emg"])[:WORST]
    below = matches.collection.below.get(about["player"], [])
    errors = sum(row.errors for row in practice.get("error", []) if row.label != SMALLER)
    words = [row[family] for row in costly for family in FAMILIES]
    is_certain = is_rated and not math.isnan(about["ci_low"])
    return {
        "about": about,
        "is_rated": is_rated,
        "is_certain": is_certain,
        "is_outside": about["domain"] == OUTSIDE,
        "bar": rating_bar(about, matches.axis),
        "axis": matches.axis,
        "grade": grade(below),
        "below": below,
        "xg": _by_xg(matches, places[(matches.xg_decisions * matches.decisions)[places] > 0]),
        "without_luck": _without_luck(matches.won_without_luck[places]),
        "errors_each": errors / len(places),
        "practice": [(FAMILIES[family], rows) for family, rows in practice.items()],
        "advice": advice(practice),
        "least_chance": SURE,
        "points_per_pr": (matches.collection.offset - about["rating"]) / about["pr"]
        if about["pr"] > 0
        else math.nan,
        "asked_of": Counter(words),
        "window": size,
        "undated": undated,
        "rating_trend": rating_trend(matches, ordered, size),
        "costly": list(range(len(costly))),
        "worst": worst,
        "worst_rows": [costly[place] for place in worst],
        "grade_limits": list(GRADES),
        "decisions": for_boards(costly)
        | {
            name: [row[name] for row in costly]
            for name in ("player", "opponent", "page", *FAMILIES)
        }
        | {"costly": COSTLY},
    }


def _by_xg(matches: Matches, judged: Places) -> Json | None:
    """Return XG's PR over the matches whose files have its analysis, and ours over the same
    matches.
    """
    if not len(judged):
        return None
    theirs = performance_rating(matches.xg_error[judged].sum(), matches.xg_decisions[judged].sum())
    ours = performance_rating(matches.error[judged].sum(), matches.decisions[judged].sum())
    return {"pr": float(theirs), "ours": float(ours), "matches": len(judged)}


def _without_luck(each: NDArray[np.floating[Any]]) -> str:
    """Say how many of the complete matches the player would win without luck.

    Matches won less net luck.
    """
    decided = each[~np.isnan(each)]
    if not len(decided):
        return ""
    return f"{number(decided.sum(), 1)} of {number(len(decided))} ({100 * decided.mean():.0f} %)"


def rating_trend(matches: Matches, ordered: Places, size: int) -> str:
    """Return the chart of the rating over time, each point from `size` matches.

    Empty for fewer than two points.

    There are MOST_POINTS at most, in equal steps back from the last match.
    """
    if not 0 < size < len(ordered):
        return ""
    step = math.ceil((len(ordered) - size + 1) / MOST_POINTS)
    ends = list(range(len(ordered), size - 1, -step))[::-1]
    collection = matches.collection
    windows = [ordered[end - size : end] for end in ends]
    number = np.repeat(np.arange(len(ends)), size)
    errors = matches.errors.at(np.concatenate(windows))
    found = ratings(errors, number, collection.model.formula, collection.offset)
    rows = [
        (float(place), *each)
        for place, each in enumerate(found[["rating", "low", "high"]].to_numpy().tolist())
    ]
    words = f"Rating over time, each point from {size} matches"
    first, last = (matches.day[ordered[end - 1]] for end in (ends[0], ends[-1]))
    return curves([Line("Rating", rows)], (first, last), words)
