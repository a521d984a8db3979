"""What a player's errors cost by game plan, by kind and by score, and what to practise first.

Within a family the shares add up to the PR. Game plans are compared with players of the same level:
`plans.csv` says what a plan costs them (study/people/plan_costs.py). A player's cost in a plan is
shrunk towards theirs by credibility theory: r = (L + k) / (E + k). L is the player's loss. E is the
loss of players of this level in as many decisions, and k is as in study/people/match_pairs.py. The
chance that r is above 1 is that of a gamma distribution. This is the posterior of Poisson counts in
units of the variance within players. The source is Buehlmann and Gisler, A Course in Credibility
Theory (2005), chapter 2. The plan that costs the player most beyond E comes first.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgmatch.scales import performance_rating
from bgrating.decisions.thresholds import COSTLY
from bgrating.people.plans import plans

SMALLER = "all smaller losses"
FAMILIES = {"plan": "Game plan", "error": "Kind of error", "score": "Score"}
SURE = 2 / 3
"""Smallest chance that a plan costs a player more than others of the level for it to be advised."""
CAUTION = 0.8
"""Share of the log-odds of a chance that holds for simulated players.

It was chosen by `best_caution` of benchmarks/calibration/practice.py (0.81, standard error 0.04),
whose players are others than those of the table of calibration.
"""
_MATCH = ["player", "file", "match"]


class Row(NamedTuple):
    """A cell of a family.

    It has a player's errors, their share of the PR, and the PR of the decisions in the cell.

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


Families = dict[str, list[Row]]
"""The rows of each family."""


class Practice:
    """Losses by player and cell, added up over the parts of decisions.parquet."""

    def __init__(self, decisions: pd.Series, usual: pd.DataFrame) -> None:
        """`decisions` has each player's number of decisions, `usual` the table of game plans
        (people/plans).
        """
        self._decisions = decisions
        self._usual = usual.set_index("plan")
        self._sums: list[pd.DataFrame] = []

    def add(self, decisions: pd.DataFrame) -> None:
        """Add decisions with their `cells`; a match is in one part only."""
        rows = decisions.assign(
            loss=decisions["loss_emg"],
            errors=decisions["loss_emg"] >= COSTLY,
            decisions=decisions["unforced"],
            is_cube=decisions["kind"] != "play",
        )
        sums = ["loss", "errors", "decisions"]
        long = rows.melt([*_MATCH, "is_cube", *sums], [*FAMILIES], "family", "label")
        self._sums.append(long.groupby([*_MATCH, "family", "label", "is_cube"])[sums].sum())

    def of(self, player: str) -> Families:
        """Return the rows of each family, the costliest first.

        A player without a loss has no row.
        """
        return self._rows_by_player.get(player, {})

    def by_match(self, player: str) -> pd.DataFrame:
        """Return a player's losses by file, match, family, label and whether they are of the
        cube.
        """
        return self._losses_by_player.get(player, pd.DataFrame(columns=["family", "label"]))

    @cached_property
    def _losses_by_player(self) -> dict[str, pd.DataFrame]:
        if not self._sums:
            return {}
        losses = pd.concat(self._sums).query("loss > 0").reset_index()
        return {str(name): rows for name, rows in losses.groupby("player")}

    @cached_property
    def _rows_by_player(self) -> dict[str, Families]:
        """The rows of all players, computed at once.

        A loop over players would take a hundred times as long.
        """
        if not self._sums:
            return {}
        table = pd.concat(self._sums).groupby(["player", "family", "label"]).sum().reset_index()
        table = table[table["loss"] > 0]
        total = table["player"].map(self._decisions).astype(float)  # without a row it is text
        table["share"] = performance_rating(table["loss"], total)
        is_counted = (table["family"] != "error") & (table["decisions"] > 0)
        table["pr"] = performance_rating(table["loss"], table["decisions"].where(is_counted))
        of_plans = table["loss"].where(table["family"] == "plan")
        rate = of_plans.groupby(table["player"]).transform("sum") / total
        table = table.assign(**self._beside_others(table, rate, total))
        rows_by_player: dict[str, Families] = {}
        for row in table.sort_values("share", ascending=False).to_dict("records"):
            families = rows_by_player.setdefault(row["player"], {family: [] for family in FAMILIES})
            families[row["family"]].append(Row(*(row[name] for name in Row._fields)))
        return rows_by_player

    def _beside_others(
        self, table: pd.DataFrame, rate: pd.Series, total: pd.Series
    ) -> dict[str, pd.Series]:
        """Return `usual`, `beyond` and `chance` of every row.

        `rate` is the player's error in a decision (EMG).
        """
        costs = self._usual.reindex(table["label"].where(table["family"] == "plan")).set_axis(
            table.index
        )
        usual = np.exp(costs["const"] + costs["slope"] * np.log(rate))
        expected = usual * table["decisions"]
        ratio = (table["loss"] + costs["k"]) / (expected + costs["k"])
        # The player's level is uncertain too: `rate` has the relative variance of all the player's
        # losses.
        of_level = self._usual["within"].mean() / (rate * total)
        weight = expected / (expected + costs["k"])
        variance = (
            ratio * costs["within"] / (expected + costs["k"]) + of_level * (ratio * weight) ** 2
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


def advice(rows: Families) -> Row | None:
    """Return the game plan that costs a player most beyond others of the level, the costliest if
    those are unknown.
    """
    plan_rows = rows.get("plan", ())
    compared = [row for row in plan_rows if not math.isnan(row.beyond)]
    return max(compared, key=lambda row: row.beyond) if compared else next(iter(plan_rows), None)


def cells(decisions: pd.DataFrame) -> pd.DataFrame:
    """Return decisions with their game plan, kind of error, and score, columns as in FAMILIES."""
    return decisions.assign(
        plan=plans(decisions["xgid"].tolist(), decisions["theme"].tolist()),
        error=_errors(decisions),
        score=_scores(decisions),
    )


def _scores(decisions: pd.DataFrame) -> NDArray[np.str_]:
    away = decisions["match_length"] - decisions["score"]
    opponent_away = decisions["match_length"] - decisions["opponent_score"]
    rules = {
        "for money": decisions["match_length"] == 0,
        "both one point away": (away == 1) & (opponent_away == 1),
        "one player one point away": (away == 1) | (opponent_away == 1),
        "one player two points away": (away == 2) | (opponent_away == 2),
        "ahead": away < opponent_away,
        "behind": away > opponent_away,
    }
    return np.select(list(rules.values()), list(rules), "at level score")


def _errors(decisions: pd.DataFrame) -> NDArray[np.str_]:
    kind = decisions["kind"]
    rules = {
        SMALLER: decisions["loss_emg"] < COSTLY,
        "wrong take": kind == "take",
        "wrong pass": kind == "pass",
        "missed double": (kind == "double") & (decisions["played"] == "no double"),
        "wrong double": kind == "double",
    }
    return np.select(list(rules.values()), list(rules), "chequer play")
