"""A player's practice list: the cost of errors by game plan, by kind and by score, beside the cost to others.

Within a family the costs add up to the PR. A row stands out under two conditions. The player's PR in it is above that
of all others. Its share of the player's losses is significantly larger than its share of the others' losses. The test
is Student's t over matches, 5 % for all rows of a player together (Bonferroni), for players with checked matches only.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgmatch.scales import performance_rating
from bgrating.decisions.thresholds import COSTLY
from bgrating.people.plans import chequers, plans

CHANCE = 0.05
LEAST_MATCHES, LEAST_PLAYERS = 5, 5
"""Smallest numbers of the player's matches and of other players for a row to stand out."""
SMALLER = "all smaller losses"
FAMILIES = {"plan": "Game plan", "error": "Kind of error", "score": "Score"}
_MATCH = ["player", "file", "match"]


class Row(NamedTuple):
    """A cell of a family: the player's errors, the PR of all the player's losses in it, and the PR of all others."""

    label: str
    errors: int
    pr: float
    others: float
    stands_out: bool


class Practice:
    """Losses by player and cell, added up over the parts of decisions.parquet."""

    def __init__(self, decisions: Mapping[str, float], checked: set[str]) -> None:
        """`decisions` has each player's number of decisions; `checked` the players whose matches are all checked."""
        self._decisions, self._checked = decisions, checked
        self._parts: list[pd.DataFrame] = []

    def add(self, part: pd.DataFrame) -> None:
        """Add decisions with a loss, with their `cells`; a match is in one part only."""
        for family in FAMILIES:
            rows = part[_MATCH].assign(family=family, cell=part[family], loss=part["loss_emg"])
            rows["errors"] = part["loss_emg"] >= COSTLY
            rows["is_cube"] = part["kind"] != "play"
            self._parts.append(rows.groupby([*_MATCH, "family", "cell", "is_cube"]).sum())

    def of(self, player: str) -> dict[str, list[Row]]:
        """Return the rows of each family, the costliest first; nothing for a player without a loss."""
        return self._found.get(player, {})

    def by_match(self, player: str) -> pd.DataFrame:
        """Return a player's losses by file, match, family, cell and whether they are of the cube."""
        places = self._places.get(player, [])
        return self._cells.iloc[places].reset_index() if len(places) else pd.DataFrame()

    @cached_property
    def _cells(self) -> pd.DataFrame:
        return pd.concat(self._parts)

    @cached_property
    def _places(self) -> dict[Any, Any]:
        return self._cells.groupby(level="player").indices if self._parts else {}

    @cached_property
    def _found(self) -> dict[str, dict[str, list[Row]]]:
        """The rows of all players, computed at once; a loop over players takes a hundred times as long."""
        if not self._parts:
            return {}
        cells = self._cells.groupby([*_MATCH, "family", "cell"]).sum()
        of_match = cells["loss"].groupby([*_MATCH, "family"]).transform("sum")
        each = cells.assign(square=cells["loss"] ** 2, cross=cells["loss"] * of_match)
        own: Any = each.groupby(["player", "family", "cell"]).sum()
        others = own.groupby(level=["family", "cell"]).transform("sum") - own
        losses = of_match.groupby(level=_MATCH).first()
        totals = pd.DataFrame({"loss": losses, "square": losses**2, "matches": 1}).groupby("player").sum()
        totals["decisions"] = [self._decisions[name] for name in totals.index]
        players = own.index.get_level_values("player")
        total = totals.loc[players].set_axis(own.index)
        total_of_others = totals.sum() - total
        share, variance = _share(own, total)
        usual, doubt = _share(others, total_of_others)
        t = (share - usual) / np.sqrt(variance + doubt)
        tests = own["loss"].groupby(level="player").transform("size")
        limit = special.stdtrit(total["matches"] - 1, 1 - CHANCE / tests)
        is_tested = players.isin(self._checked) & (total["matches"] >= LEAST_MATCHES) & (len(totals) > LEAST_PLAYERS)
        table = own.assign(
            pr=performance_rating(own["loss"], total["decisions"]),
            others=performance_rating(others["loss"], total_of_others["decisions"]),
        )
        table["stands_out"] = is_tested & (t > limit) & (table["pr"] > table["others"])
        found: dict[str, dict[str, list[Row]]] = {name: {family: [] for family in FAMILIES} for name in totals.index}
        for row in table.sort_values("pr", ascending=False).reset_index().to_dict("records"):
            values = (row[name] for name in ("cell", "errors", "pr", "others", "stands_out"))
            found[row["player"]][row["family"]].append(Row(*values))
        return found


def _share(cells: Any, total: Any) -> tuple[Any, Any]:
    """Return each cell's share of all losses, and its variance over matches by the delta method for a ratio."""
    share = cells["loss"] / total["loss"]
    squares = (cells["square"] - 2 * share * cells["cross"] + share**2 * total["square"]).clip(lower=0)
    return share, squares / total["loss"] ** 2 * total["matches"] / (total["matches"] - 1)


def cells(part: pd.DataFrame) -> pd.DataFrame:
    """Return decisions with their game plan, kind of error, and score, columns as in FAMILIES."""
    return part.assign(
        plan=plans(part["xgid"].tolist(), part["theme"].tolist()), error=_errors(part), score=_scores(part)
    )


def _scores(part: pd.DataFrame) -> NDArray[np.str_]:
    own, other = part["match_length"] - part["score"], part["match_length"] - part["opponent_score"]
    rules = {
        "for money": part["match_length"] == 0,
        "both one point away": (own == 1) & (other == 1),
        "one player one point away": (own == 1) | (other == 1),
        "one player two points away": (own == 2) | (other == 2),
        "ahead": own < other,
        "behind": own > other,
    }
    return np.select(list(rules.values()), list(rules), "at level score")


def _errors(part: pd.DataFrame) -> NDArray[np.str_]:
    kind = part["kind"]
    rules = {
        SMALLER: part["loss_emg"] < COSTLY,
        "wrong take": kind == "take",
        "wrong pass": kind == "pass",
        "missed double": (kind == "double") & (part["played"] == "no double"),
        "wrong double": kind == "double",
    }
    plays = np.full(len(part), "other play", dtype="<U20")
    places = np.flatnonzero((kind == "play") & ~rules[SMALLER])
    own, _ = chequers(part["xgid"].iloc[places].tolist())
    notations = zip(part["played"].iloc[places], part["best"].iloc[places], strict=True)
    plays[places] = [_play_error(side, played, best) for side, (played, best) in zip(own, notations, strict=True)]
    return np.select(list(rules.values()), list(rules), plays)


def _play_error(own: NDArray[np.int64], played: str, best: str) -> str:
    """Return the kind of error of a play, compared with the best play."""
    if "*" in best and "*" not in played:
        return "hit not made"
    after, better = _after(own, played), _after(own, best)
    if (better[19:25] >= 2).sum() > (after[19:25] >= 2).sum():
        return "anchor broken"
    return "blot left" if (after[1:25] == 1).sum() > (better[1:25] == 1).sum() else "other play"


def _after(own: NDArray[np.int64], play: str) -> NDArray[np.int64]:
    """Return a side's chequers after a play in words, such as bar/20*/15 6/4(2)."""
    after = own.copy()
    for word in play.replace("*", "").split():
        path, _, times = word.rstrip(")").partition("(")
        stops: Sequence[str] = path.replace("bar", "25").replace("off", "0").split("/")
        count = int(times or 1)
        after[int(stops[0])] -= count
        after[int(stops[-1])] += count
    return after
