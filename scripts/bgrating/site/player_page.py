"""The page of a player: how good and how certain, what to practise, the rating over time, a quiz."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.decisions.thresholds import COSTLY
from bgrating.pages.charts import Line, curves
from bgrating.pages.positions import for_boards
from bgrating.pages.words import grade, number
from bgrating.people.players import OUTSIDE, errors_of
from bgrating.people.practice import FAMILIES, SMALLER, Row
from bgrating.rating.player import ratings
from bgrating.site.collection_page import Collection, rating_bar, scale_of

Json = dict[str, Any]
Places = NDArray[np.intp]

LEAST_MOVES = 20
"""Unforced moves that a match must have to be among the best or the worst."""
MOST_POINTS = 40
"""Points of a trend."""
WINDOW = 20
"""Matches that a point of a trend is made from."""
LEAST_TREND = 10
"""Matches below which there is no trend: its points would be made from less than five."""


class Matches:
    """What the pages of players need of all matches, as arrays made once: a table is cut a hundred times as slowly."""

    def __init__(self, collection: Collection) -> None:
        table = collection.of_players.reset_index(drop=True)

        def figures(*names: str) -> NDArray[np.float64]:
            total: NDArray[np.float64] = np.sum([np.nan_to_num(table[name].to_numpy(float)) for name in names], axis=0)
            return total

        self.collection = collection
        self.axis = scale_of(collection.players, collection.offset)
        self.rating, self.pr = table["rating"].to_numpy(float), table["pr"].to_numpy(float)
        self.moves = figures("unforced_moves")
        self.decisions = figures("unforced_moves", "close_cube_decisions")
        self.error = figures("chequer_error_emg", "cube_error_emg")
        self.xg_decisions = figures("xg_decisions")
        self.xg_error = figures("xg_pr") / 500.0 * self.xg_decisions
        self.errors = errors_of(collection.rated_by, collection.model)
        won = table["won"].astype(float) - table["net_luck_mwc"].astype(float)
        self.won_without_luck = won.where(table["luck_adjusted_result"].notna()).to_numpy(float)
        day = pd.to_datetime(table["date"].fillna("").replace("", None), format="ISO8601", errors="coerce")
        self.has_day = day.notna().to_numpy()
        self.day = day.dt.strftime("%Y-%m-%d").tolist()
        order = table.assign(day=day).sort_values(["day", "file", "match"], kind="stable").index.to_numpy()
        self._rank = np.empty(len(order), dtype=np.intp)
        self._rank[order] = np.arange(len(order))

    def in_order(self, places: Places) -> tuple[Places, int]:
        """Return the rated matches among some that have a date, in the order of play, and how many have none."""
        rated = places[~np.isnan(self.rating[places])]
        dated = rated[self.has_day[rated]]
        return dated[np.argsort(self._rank[dated])], len(rated) - len(dated)


def player_contents(
    matches: Matches,
    places: Places,
    about: Json,
    costly: Sequence[Json],
    practice: Mapping[str, Sequence[Row]],
) -> Json:
    """Return what the template of a player needs, all but the lists of matches.

    `places` are those of the player's matches, `about` is the row of players.csv. `costly` are the costliest checked
    decisions; `page` links each. `practice` are the rows of practice.py. `best` and `worst` are places.
    """
    ordered, undated = matches.in_order(places)
    is_rated = not math.isnan(about["rating"])
    size = window(ordered) if is_rated else 0
    rated = places[~np.isnan(matches.rating[places]) & (matches.moves[places] >= LEAST_MOVES)]
    best = worst = None
    if len(rated) > 1:
        best, worst = int(rated[matches.pr[rated].argmin()]), int(rated[matches.pr[rated].argmax()])
    errors = sum(row.errors for row in practice.get("error", []) if row.words != SMALLER)
    words = [row[family] for row in costly for family in FAMILIES]
    is_certain = is_rated and not math.isnan(about["ci_low"])
    return {
        "about": about,
        "is_rated": is_rated,
        "is_certain": is_certain,
        "is_shrunk": about["rating"] != about["own_rating"] and not math.isnan(about["own_rating"]),
        "is_outside": about["domain"] == OUTSIDE,
        "bar": rating_bar(about, matches.axis),
        "axis": matches.axis,
        "grade": grade(matches.collection.below.get(about["player"], [])),
        "below": matches.collection.below.get(about["player"], []),
        "xg": _by_xg(matches, places[(matches.xg_decisions * matches.decisions)[places] > 0]),
        "without_luck": _without_luck(matches.won_without_luck[places]),
        "errors_each": errors / len(places),
        "practice": [(FAMILIES[family], rows) for family, rows in practice.items()],
        "advice": [row.words for rows in practice.values() for row in rows if row.stands_out],
        "asked_of": Counter(words),
        "window": size,
        "undated": undated,
        "rating_trend": rating_trend(matches, ordered, size),
        "best": best,
        "worst": worst,
        "costly": list(range(len(costly))),
        "decisions": for_boards(costly)
        | {name: [row[name] for row in costly] for name in ("player", "opponent", "page", *FAMILIES)}
        | {"costly": COSTLY},
    }


def _by_xg(matches: Matches, judged: Places) -> Json | None:
    """Return XG's PR over the matches that it judged in their files, and ours of the same matches."""
    if not len(judged):
        return None
    theirs = float(matches.xg_error[judged].sum() / matches.xg_decisions[judged].sum())
    ours = float(matches.error[judged].sum() / matches.decisions[judged].sum())
    return {"pr": 500 * theirs, "ours": 500 * ours, "matches": len(judged)}


def _without_luck(each: NDArray[np.floating[Any]]) -> str:
    """Say how many of the decided matches among some the player would have won: those won less the net luck."""
    decided = each[~np.isnan(each)]
    if not len(decided):
        return ""
    return f"{number(decided.sum(), 1)} of {number(len(decided))} ({100 * decided.mean():.0f} %)"


def window(ordered: Places) -> int:
    """Return from how many matches a point of a trend is made; 0 where they are too few for a trend."""
    return min(WINDOW, len(ordered) // 2) if len(ordered) >= LEAST_TREND else 0


def rating_trend(matches: Matches, ordered: Places, size: int) -> str:
    """Return the chart of the rating over time, points of `size` matches by the list's formula; empty for too few."""
    ends = window_ends(len(ordered), size) if size else []
    if len(ends) < 2:
        return ""
    collection, windows = matches.collection, [ordered[end - size : end] for end in ends]
    number = np.repeat(np.arange(len(ends)), size)
    errors = matches.errors.at(np.concatenate(windows))
    found = ratings(errors, number, collection.model.formula, collection.offset)
    rows = [(float(place), *each) for place, each in enumerate(found[["rating", "low", "high"]].to_numpy().tolist())]
    words = f"Rating over time, each point from {size} matches"
    first, last = (matches.day[ordered[end - 1]] for end in (ends[0], ends[-1]))
    return curves([Line("Rating", rows)], (first, last), words)


def window_ends(matches: int, size: int) -> list[int]:
    """Return where windows of `size` matches end: after every match, or in equal steps back from the last one."""
    step = math.ceil((matches - size + 1) / MOST_POINTS)
    return list(range(matches, size - 1, -step))[::-1]
