"""What a player's errors cost by game plan, by kind and by score, and what to practise first.

Within a family the shares add up to the PR. Game plans are compared with players of the same level:
`plans.csv` says what a plan costs them (study/people/plans.py). A player's cost in a plan is shrunk
towards theirs by credibility theory: r = (L + k) / (E + k), with the loss L, the loss E of players
of this level in as many decisions, and k as people/pairs.py has it. The chance that r is above 1 is
that of a gamma distribution, the posterior of Poisson counts in units of the variance within
players (Buehlmann and Gisler, A Course in Credibility Theory (2005), chapter 2). The plan that
costs the player most beyond E comes first.
"""

import math
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

SMALLER = "all smaller losses"
FAMILIES = {"plan": "Game plan", "error": "Kind of error", "score": "Score"}
SURE = 2 / 3
"""Smallest chance that a plan costs a player more than others of the level for it to be advised."""
CAUTION = 0.75
"""Share of the log-odds of a chance that holds for simulated players: chosen by
benchmarks/calibration/practice.py."""
_MATCH = ["player", "file", "match"]


class Row(NamedTuple):
    """A cell of a family.

    A player's errors, their share of the PR, and the PR of the decisions in the cell.

    `usual` is the PR there of players of this level. `beyond` is what the cell adds to the PR
    beyond that, shrunk, and `chance` the chance that it adds anything. NaN where players of the
    level are unknown.
    """

    label: str
    errors: int
    share: float
    pr: float
    usual: float
    beyond: float
    chance: float


class Practice:
    """Losses by player and cell, added up over the parts of decisions.parquet."""

    def __init__(self, decisions: Mapping[str, float], usual: pd.DataFrame) -> None:
        """`decisions` has each player's number of decisions, `usual` the table of game plans
        (people/plans).
        """
        self._decisions, self._usual = decisions, usual.set_index("plan")
        self._parts: list[pd.DataFrame] = []

    def add(self, part: pd.DataFrame) -> None:
        """Add decisions with their `cells`; a match is in one part only."""
        for family in FAMILIES:
            rows = part[_MATCH].assign(family=family, cell=part[family], loss=part["loss_emg"])
            rows["errors"] = part["loss_emg"] >= COSTLY
            rows["decisions"] = part["unforced"]
            rows["is_cube"] = part["kind"] != "play"
            self._parts.append(rows.groupby([*_MATCH, "family", "cell", "is_cube"]).sum())

    def of(self, player: str) -> dict[str, list[Row]]:
        """Return the rows of each family, the costliest first.

        Nothing for a player without a loss.
        """
        return self._found.get(player, {})

    def by_match(self, player: str) -> pd.DataFrame:
        """Return a player's losses by file, match, family, cell and whether they are of the
        cube.
        """
        places = self._places.get(player, [])
        return self._cells.iloc[places].reset_index() if len(places) else pd.DataFrame()

    @cached_property
    def _cells(self) -> pd.DataFrame:
        cells = pd.concat(self._parts)
        return cells[cells["loss"] > 0]

    @cached_property
    def _places(self) -> dict[Any, Any]:
        return self._cells.groupby(level="player").indices if self._parts else {}

    @cached_property
    def _found(self) -> dict[str, dict[str, list[Row]]]:
        """The rows of all players, computed at once.

        A loop over players takes a hundred times as long.
        """
        if not self._parts:
            return {}
        table = pd.concat(self._parts).groupby(["player", "family", "cell"]).sum().reset_index()
        table = table[table["loss"] > 0]
        total = table["player"].map(self._decisions)
        table["share"] = performance_rating(table["loss"], total)
        is_counted = (table["family"] != "error") & (table["decisions"] > 0)
        table["pr"] = performance_rating(table["loss"], table["decisions"].where(is_counted))
        of_player = (
            table["share"]
            .where(table["family"] == "plan")
            .groupby(table["player"])
            .transform("sum")
        )
        table = table.assign(
            **self._beside_others(table, of_player / performance_rating(1.0, 1.0), total)
        )
        names = dict.fromkeys(table["player"])
        found: dict[str, dict[str, list[Row]]] = {
            name: {family: [] for family in FAMILIES} for name in names
        }
        for row in table.sort_values("share", ascending=False).to_dict("records"):
            values = (row[name] for name in ("cell", *Row._fields[1:]))
            found[row["player"]][row["family"]].append(Row(*values))
        return found

    def _beside_others(
        self, table: pd.DataFrame, rate: pd.Series, total: pd.Series
    ) -> dict[str, pd.Series]:
        """Return `usual`, `beyond` and `chance` of every row.

        `rate` is the player's error in a decision (EMG).
        """
        known = self._usual.reindex(table["cell"].where(table["family"] == "plan")).set_axis(
            table.index
        )
        usual = np.exp(known["const"] + known["slope"] * np.log(rate))
        expected = usual * table["decisions"]
        ratio = (table["loss"] + known["k"]) / (expected + known["k"])
        # The player's level is uncertain too: `rate` has the relative variance of all the player's
        # losses.
        of_level = self._usual["within"].mean() / (rate * total)
        weight = expected / (expected + known["k"])
        variance = (
            ratio * known["within"] / (expected + known["k"]) + of_level * (ratio * weight) ** 2
        )
        chance = special.expit(
            CAUTION * special.logit(special.gammaincc(ratio**2 / variance, ratio / variance))
        )
        beyond = performance_rating(expected * (ratio - 1), total)
        return {
            "usual": performance_rating(usual, 1.0),
            "beyond": beyond,
            "chance": pd.Series(chance, table.index),
        }


def advice(rows: Mapping[str, Sequence[Row]]) -> Row | None:
    """Return the game plan that costs a player most beyond others of the level, the costliest if
    those are unknown.
    """
    every = rows.get("plan", ())
    known = [row for row in every if not math.isnan(row.beyond)]
    return max(known, key=lambda row: row.beyond) if known else next(iter(every), None)


def cells(part: pd.DataFrame) -> pd.DataFrame:
    """Return decisions with their game plan, kind of error, and score, columns as in FAMILIES."""
    return part.assign(
        plan=plans(part["xgid"].tolist(), part["theme"].tolist()),
        error=_errors(part),
        score=_scores(part),
    )


def _scores(part: pd.DataFrame) -> NDArray[np.str_]:
    own = part["match_length"] - part["score"]
    other = part["match_length"] - part["opponent_score"]
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
    plays[places] = [
        _play_error(side, played, best) for side, (played, best) in zip(own, notations, strict=True)
    ]
    return np.select(list(rules.values()), list(rules), plays)


def _play_error(own: NDArray[np.int64], played: str, best: str) -> str:
    """Return the kind of error of a play, compared with the best play."""
    if "*" in best and "*" not in played:
        return "hit not made"
    after = _after(own, played)
    better = _after(own, best)
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
