"""Make the variables of the page of a player.

The page shows how good the player is and how certain that is, and the worst errors. It also shows
what to practise, PR over time, and a quiz.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgmatch.scales import performance_rating
from bgrating.decisions.thresholds import COSTLY
from bgrating.pages.formatting import grade, number
from bgrating.pages.positions import columns_of, for_boards
from bgrating.people.players import OUTSIDE
from bgrating.people.practice import FAMILIES, SMALLER, SURE, Families, advice
from bgrating.rating.calculator import GRADES
from bgrating.site.collection_page import Collection, rating_bar

WORST = 5
"""Most errors in the row of the worst."""


def player_variables(
    collection: Collection,
    rows: pd.DataFrame,
    player: Json,
    costly: Sequence[Json],
    practice: Families,
) -> Json:
    """Return the variables of the template of a player, without the list of matches.

    `rows` are the player's rows of `player_matches`, `player` is the row of players.csv. `costly`
    are the questions of the quiz, each with the address `page` of its match. `practice` has the
    rows of practice.py.
    """
    worst = sorted(range(len(costly)), key=lambda index: -costly[index]["loss_emg"])[:WORST]
    below = collection.below.get(player["player"], [])
    errors = sum(row.errors for row in practice.get("error", []) if row.label != SMALLER)
    points = collection.offset - player["rating"]
    return {
        "player": player,
        "is_rated": not math.isnan(player["rating"]),
        "is_certain": not math.isnan(player["rating"] + player["ci_low"]),
        "is_outside": player["domain"] == OUTSIDE,
        "bar": rating_bar(player, collection.axis),
        "axis": collection.axis,
        "grade": grade(below),
        "below": below,
        "xg": _by_xg(rows),
        "without_luck": _without_luck(rows),
        "errors_each": errors / len(rows),
        "practice": [(FAMILIES[family], plan_rows) for family, plan_rows in practice.items()],
        "advice": advice(practice),
        "least_chance": SURE,
        "points_per_pr": points / player["pr"] if player["pr"] > 0 else math.nan,
        "asked_of": Counter(row[family] for row in costly for family in FAMILIES),
        "costly": costly,
        "worst": worst,
        "worst_rows": [costly[index] for index in worst],
        "grade_limits": list(GRADES),
        "decisions": for_boards(costly)
        | columns_of(costly, ("player", "opponent", "page", *FAMILIES))
        | {"costly": COSTLY, "root": "../"},
    }


def _by_xg(rows: pd.DataFrame) -> Json | None:
    """Return XG's PR over the matches whose files have its analysis, and ours over the same
    matches.
    """
    common = rows[(rows["xgDecisions"] > 0) & (rows["moves"] + rows["close"] > 0)]
    if common.empty:
        return None
    errors = common[["chequer", "cube"]].to_numpy().sum()
    return {
        "pr": np.average(common["xgPr"], weights=common["xgDecisions"]),
        "ours": performance_rating(errors, common[["moves", "close"]].to_numpy().sum()),
        "matches": len(common),
    }


def _without_luck(rows: pd.DataFrame) -> str:
    """Say how many of the complete matches the player would win without luck.

    These are the matches won less the net luck.
    """
    decided = (rows["won"] - rows["luck"]).dropna()
    if decided.empty:
        return ""
    return f"{number(decided.sum(), 1)} of {number(len(decided))} ({100 * decided.mean():.0f} %)"
