"""What to practise adds up to the PR, and is compared with players of the level."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bgmatch.position import read_xgid, theme
from bgrating.people.plans import plans
from bgrating.people.practice import FAMILIES, SMALLER, Practice, advice, cells
from corpus import cases

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


USUAL = pd.DataFrame({"plan": ["prime", "holding", "race"], "const": [0.3, 0.0, -1.0]})
USUAL = USUAL.assign(slope=1.0, k=[2.0, math.inf, 0.5], within=[0.2, 0.2, 0.05])
NO_TABLE = USUAL.head(0)


def decisions(player: str, plan: str, losses: list[float], **more: Any) -> pd.DataFrame:
    """Return decisions of a player in a game plan, ten a match."""
    match = np.arange(len(losses)) // 10
    about = {"player": player, "file": f"{player}.mat", "match": match, "plan": plan}
    about |= {"kind": "play", "unforced": True}
    return pd.DataFrame(
        {**about, "error": "chequer play", "score": "ahead", "loss_emg": losses, **more}
    )


def practice_of(*parts: pd.DataFrame, usual: pd.DataFrame = USUAL) -> Practice:
    every = pd.concat(parts)
    made = Practice(every.groupby("player")["unforced"].sum(), usual)
    for part in parts:
        made.add(part)
    return made


def test_each_family_adds_up_to_the_pr_of_a_player() -> None:
    made = practice_of(
        decisions(
            "ann", "prime", [0.1, 0.0, 0.3], error=["chequer play", SMALLER, "missed double"]
        ),
        decisions("ann", "race", [0.0, 0.02, 0.0, 0.01, 0.0, 0.0, 0.0]),
        decisions("bob", "race", [0.5]),
    )
    found = made.of("ann")
    assert list(found) == list(FAMILIES)
    assert all(
        sum(row.share for row in rows) == pytest.approx(500 * 0.43 / 10) for rows in found.values()
    )
    prime, race = found["plan"]
    assert (prime.label, prime.errors, race.label, race.errors) == ("prime", 2, "race", 1)
    assert (prime.pr, race.pr) == pytest.approx((500 * 0.4 / 3, 500 * 0.03 / 7))
    assert all(math.isnan(row.pr) for row in found["error"]), (
        "kinds of error have no decisions of their own"
    )
    assert made.of("nobody") == {}
    assert Practice(pd.Series(dtype=float), USUAL).of("nobody") == {}


def test_the_cost_beyond_the_level_is_shrunk_as_credibility_theory_says() -> None:
    """Ann errs by 0.04 a decision; in races players of her level err by 0.04 / e = 0.0147."""
    made = practice_of(
        decisions("ann", "race", [0.03] * 10), decisions("ann", "prime", [0.05] * 10)
    )
    (prime, race) = made.of("ann")["plan"]
    expected = 10 * 0.04 * math.exp(-1)
    ratio = (0.3 + 0.5) / (expected + 0.5)
    assert race.usual == pytest.approx(500 * 0.04 * math.exp(-1))
    assert race.beyond == pytest.approx(500 * expected * (ratio - 1) / 20)
    of_level = 0.15 / 0.8  # the mean variance within players over all the losses
    variance = (
        ratio * 0.05 / (expected + 0.5) + of_level * (ratio * expected / (expected + 0.5)) ** 2
    )
    odds = stats.gamma(a=ratio**2 / variance, scale=variance / ratio).sf(1)
    assert race.chance == pytest.approx(1 / (1 + ((1 - odds) / odds) ** 0.8))
    assert advice(made.of("ann")) == race
    assert prime.share > race.share, "the costliest plan is not the one that costs more than usual"


def test_without_players_of_the_level_the_costliest_plan_comes_first() -> None:
    parts = decisions("ann", "race", [0.03] * 10), decisions("ann", "holding", [0.05] * 10)
    unknown = advice(practice_of(*parts, usual=NO_TABLE).of("ann"))
    assert unknown
    assert (unknown.label, math.isnan(unknown.beyond)) == ("holding", True)
    players_alike = practice_of(decisions("ann", "holding", [0.05] * 10)).of("ann")["plan"][0]
    assert math.isnan(players_alike.chance), "players do not differ in this plan beyond chance"
    assert advice({}) is None


def kinds_of(**values: Any) -> tuple[str, str, str]:
    """Return error, plan and score of a loss; by default a take in an opening, 5 to 0 of 7."""
    row = {"kind": "take", "xgid": OPENING, "played": "take", "best": "pass"}
    row |= {"loss_emg": 0.1, "double_take": np.nan}
    row |= {"match_length": 7, "score": 5, "opponent_score": 0} | values
    row["theme"] = theme(read_xgid(str(row["xgid"])))
    error, plan, score = cells(pd.DataFrame([row])).iloc[0][["error", "plan", "score"]]
    return error, plan, score


@pytest.mark.parametrize(
    ("kind", "played", "best", "more", "error"), cases("values.kinds_of_errors")
)
def test_an_error_has_a_kind(
    kind: str, played: str, best: str, more: dict[str, Any], error: str
) -> None:
    found = kinds_of(kind=kind, played=played, best=best, **more)
    assert found == (error, "opening", "one player two points away")


@pytest.mark.parametrize(("length", "score", "other", "words"), cases("values.score_names"))
def test_a_score_has_a_name(length: int, score: int, other: int, words: str) -> None:
    assert kinds_of(match_length=length, score=score, opponent_score=other)[2] == words


def test_plans_agree_with_labels_that_are_older_than_the_rules(project: Path) -> None:
    with (project / "tests/oracles/game_plans.csv").open(encoding="utf-8", newline="") as file:
        labels = list(csv.DictReader(file))
    xgids = [row["xgid"] for row in labels]
    found = plans(xgids, [theme(read_xgid(xgid)) for xgid in xgids])
    alike = [
        row["plan"].split()[0] == plan.split()[0] for row, plan in zip(labels, found, strict=True)
    ]
    assert (len(alike), sum(alike)) == (200, 165)
