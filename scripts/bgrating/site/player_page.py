"""The page of a player: how good and how certain, what to practise, better or worse than before, a quiz."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.pages.charts import Point, trend
from bgrating.pages.positions import ASKED, COSTLY, PROGRAM_NAMES, asked_at, for_boards
from bgrating.pages.template import embedded
from bgrating.pages.words import counted, grade, number
from bgrating.people.leaks import PHASES, Theme
from bgrating.people.players import OUTSIDE, PLAIN, SHRUNK, TENTATIVE, errors_of
from bgrating.people.questions import chance_of_match, later_against_earlier
from bgrating.rating.limits import chances_below
from bgrating.rating.player import rating
from bgrating.site.card import card
from bgrating.site.collection_page import Collection, rating_bar, scale_of

Json = dict[str, Any]
Places = NDArray[np.intp]

LISTED = 25
"""A player's costliest decisions that are listed."""
LEAST_MOVES = 20
"""Unforced moves that a match must have to be among the best or the worst."""
MOST_POINTS = 40
"""Points of a trend."""
WINDOW = 20
"""Matches that a point of a trend is made from."""
LEAST_TREND = 10
"""Matches below which there is no trend: its points would be made from less than five."""

KINDS = {
    "chequer play": ("chequer_error_emg",),
    "missed doubles": ("missed_double_below_cp_emg", "missed_double_above_cp_emg"),
    "wrong doubles": ("wrong_double_below_dp_emg", "wrong_double_above_tg_emg"),
    "wrong takes": ("wrong_take_emg",),
    "wrong passes": ("wrong_pass_emg",),
}
"""Kinds of errors, and the columns that make them up."""


class Matches:
    """What the pages of players need of all matches, as arrays made once: a table is cut a hundred times as slowly."""

    def __init__(self, collection: Collection) -> None:
        table = collection.matches.reset_index(drop=True)

        def figures(*names: str) -> NDArray[np.float64]:
            total: NDArray[np.float64] = np.sum([np.nan_to_num(table[name].to_numpy(float)) for name in names], axis=0)
            return total

        self.collection = collection
        self.axis = scale_of(collection.players, collection.offset)
        self.rating, self.pr = table["rating"].to_numpy(float), table["pr"].to_numpy(float)
        self.moves = figures("unforced_moves")
        self.decisions = figures("unforced_moves", "close_cube_decisions")
        self.error = figures("chequer_error_emg", "cube_error_emg")
        program = table["program"].astype(object).fillna("")  # a column without any is one of numbers
        self.program, self.program_decisions = program.to_numpy(str), figures("program_decisions")
        self.program_error = figures("program_pr") / 500.0 * self.program_decisions
        self.kinds = {kind: figures(*names) for kind, names in KINDS.items()}
        self.errors = errors_of(table, collection.model)
        self.below = chances_below(table)
        day = pd.to_datetime(table["date"].fillna("").replace("", None), format="ISO8601", errors="coerce")
        self.has_day = day.notna().to_numpy()
        self.match = list(zip(table["file"], table["match"], strict=True))
        self.day = day.dt.strftime("%Y-%m-%d").tolist()
        order = table.assign(day=day).sort_values(["day", "file", "match"], kind="stable").index.to_numpy()
        self._rank = np.empty(len(order), dtype=np.intp)
        self._rank[order] = np.arange(len(order))

    def in_order(self, places: Places) -> tuple[Places, list[str], str]:
        """Return the rated matches among some in the order of play, the name of each, and what order that is.

        Where none has a date they are in the order of their files; where some have one, the others are left out.
        """
        rated = places[~np.isnan(self.rating[places])]
        rated = rated[np.argsort(self._rank[rated])]
        dated = rated[self.has_day[rated]]
        if not len(dated):
            names = [f"match {place}" for place in range(1, len(rated) + 1)]
            return rated, names, "The matches have no dates: they are in the order of their files."
        left_out = len({self.match[place] for place in rated[~self.has_day[rated]]})
        days = [self.day[place] for place in dated]
        return dated, days, f"Left out: {counted(left_out, 'matches')} without a date." * (left_out > 0)


def player_contents(
    matches: Matches,
    places: Places,
    about: Json,
    costly: Sequence[Json],
    leaks: tuple[list[Theme], dict[str, tuple[float, float]]],
    counts: tuple[int, int],
) -> Json:
    """Return what the template of a player needs, all but the lists of matches.

    `places` are those of the player's matches, `about` is the row of players.csv. `costly` are the costliest checked
    decisions; `page` links each. `leaks` are themes and profile of leaks.py, `counts` all errors and blunders. `best`
    and `worst` are places.
    """
    collection = matches.collection
    model, offset, field = collection.model, collection.offset, collection.field
    ordered, names, order_words = matches.in_order(places)
    is_rated = not math.isnan(about["rating"])
    size = window(ordered, WINDOW) if is_rated else 0
    change = later_against_earlier(matches.errors.at(ordered), model, offset, field) if field and size else None
    rated = places[~np.isnan(matches.rating[places]) & (matches.moves[places] >= LEAST_MOVES)]
    best = worst = None
    chance = math.nan
    if len(rated) > 1:
        best, worst = int(rated[matches.pr[rated].argmin()]), int(rated[matches.pr[rated].argmax()])
        if field is not None:
            among = int(np.flatnonzero(rated == best)[0])
            chance = chance_of_match(matches.errors.at(rated), among, model, offset, field)
    themes, profile = leaks
    decided = float(matches.decisions[places].sum())
    kinds = [(kind, 500 * float(loss[places].sum()) / decided) for kind, loss in matches.kinds.items() if decided]
    is_certain = is_rated and not math.isnan(about["ci_low"])
    return {
        "about": about,
        "is_rated": is_rated,
        "is_certain": is_certain,
        "is_shrunk": not math.isnan(about["shrunk_rating"]),
        "is_outside": about["domain"] == OUTSIDE,
        "shown": _shown(about, matches.axis),
        "picture": embedded(
            _picture(about, len(places), matches.axis, collection.name, model.formula.confidence).encode(), ".svg"
        ),
        "axis": matches.axis,
        "grade": grade(about["pr"]),
        "below": matches.below.get(about["player"], []),
        "unsettled": next((title for title in matches.below.get(about["player"], []) if title.more_matches != 0), None),
        "programs": _programs(matches, places[(matches.program_decisions * matches.decisions)[places] > 0]),
        "without_luck": _without_luck(about),
        "asked": ASKED,
        "asked_at": asked_at(collection.plies),
        "errors_each": counts[0] / len(places),
        "blunders_each": counts[1] / len(places),
        "themes": themes,
        "profile": [(words, *profile[name]) for name, words in PHASES.items() if name in profile],
        "profile_most": max((max(pair) for pair in profile.values()), default=1.0),
        "kinds": kinds if any(rate for _, rate in kinds) else [],
        "kinds_most": max((rate for _, rate in kinds), default=1.0),
        "window": size,
        "order_words": order_words,
        **trends(matches, ordered, names, size),
        "change": change.words() if change else "",
        "best": best,
        "worst": worst,
        "once_in": 0 if math.isnan(chance) else round(1 / max(chance, 1e-4)),
        "costly": list(range(len(costly))),
        "decisions": for_boards(costly)
        | {name: [row[name] for row in costly] for name in ("player", "opponent", "page")}
        | {"phases": PHASES, "costly": COSTLY},
    }


def _programs(matches: Matches, places: Places) -> list[Json]:
    """Return each program's own PR over the matches that it has judged in their files, and ours of the same matches."""
    found = []
    for name in sorted(set(matches.program[places])):
        own = places[matches.program[places] == name]
        theirs = float(matches.program_error[own].sum() / matches.program_decisions[own].sum())
        ours = float(matches.error[own].sum() / matches.decisions[own].sum())
        found.append({"name": PROGRAM_NAMES[name], "pr": 500 * theirs, "ours": 500 * ours, "matches": len(own)})
    return found


def _shown(about: Json, axis: tuple[float, float]) -> Json:
    """Return the one rating that a player's page shows first: as in the ranking, the shrunk one where there is one."""
    names = PLAIN if math.isnan(about["shrunk_rating"]) else SHRUNK
    return {"bar": rating_bar(about, names, axis)} | dict(
        zip(("rating", "low", "high"), (about[name] for name in names), strict=True)
    )


def _without_luck(about: Json) -> str:
    """Say how many of a player's decided matches he would have won without luck: those won, less the net luck."""
    decided, share = about["decided_matches"], 0.5 + about["luck_adjusted_result"]
    return "" if math.isnan(share) else f"{number(decided * share, 1)} of {number(decided)} ({100 * share:.0f} %)"


def _picture(about: Json, matches: int, axis: tuple[float, float], name: str, confidence: float) -> str:
    figures = [("PR", number(about["pr"], 1))]
    bar, between, counts = None, "", matches
    if not math.isnan(about["rating"]):
        counts = about["rated_matches"]
        figures.insert(
            0, ("provisional rating" if about["standing"] == TENTATIVE else "rating", number(about["rating"]))
        )
        if not math.isnan(about["ci_low"]):
            ends = (about[name] for name in ("rating", "ci_low", "ci_high"))
            value, low, high = (min(1.0, max(0.0, (end - axis[0]) / (axis[1] - axis[0]))) for end in ends)
            bar = value, low, high
            between = f"{confidence:.0%} sure between {number(about['ci_low'])} and {number(about['ci_high'])}, "
    outside = ", outside the formula's range" if about["domain"] == OUTSIDE else ""
    notes = f"{between}from {counted(counts, 'matches')}{outside}", f"Collection {name}. Judged by GNU Backgammon."
    return card(about["player"], figures, bar, notes)


def window(ordered: Places, most: int) -> int:
    """Return from how many matches a point of a trend is made; 0 where they are too few for a trend."""
    return min(most, len(ordered) // 2) if len(ordered) >= LEAST_TREND else 0


def trends(matches: Matches, ordered: Places, names: Sequence[str], size: int, of: str = "matches") -> Json:
    """Return the charts of rating and PR over time, points `of` so many; empty where there are too few matches."""
    ends = window_ends(len(ordered), size, MOST_POINTS) if size else []
    if len(ends) < 2:
        return {"rating_trend": "", "pr_trend": ""}
    collection, ratings, rates = matches.collection, [], []
    for end in ends:
        part = ordered[end - size : end]
        estimate = rating(matches.errors.at(part), collection.model.formula, collection.offset)
        ratings.append(Point(names[end - 1], estimate.value, estimate.low, estimate.high))
        error, count = 500 * matches.error[part], matches.decisions[part]
        if total := count.sum():
            rate = float(error.sum() / total)
            # A ratio's standard error (delta method); nine in ten are within 1.65 of it.
            squares = float(np.square(error - rate * count).sum())
            spread = 1.65 * math.sqrt(squares * size / (size - 1)) / total if size > 1 else math.nan
            rates.append(Point(names[end - 1], rate, max(0.0, rate - spread), rate + spread))
    return {
        "rating_trend": trend(ratings, f"Rating over time, each point from {size} {of}"),
        "pr_trend": trend(rates, f"PR over time, each point from {size} {of}", 1) if len(rates) > 1 else "",
    }


def window_ends(matches: int, size: int, most: int) -> list[int]:
    """Return where windows of `size` matches end: after every match, or in equal steps back from the last one."""
    step = math.ceil((matches - size + 1) / most)
    return list(range(matches, size - 1, -step))[::-1]
