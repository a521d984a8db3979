"""What to practise adds up to the PR, names kinds and plans rightly, and seldom sends somebody after chance."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bgmatch.position import read_xgid, theme
from bgrating.people.plans import plans
from bgrating.people.practice import CHANCE, FAMILIES, LEAST_MATCHES, SMALLER, Practice, cells
from corpus import cases

CELLS = {"prime": 0.4, "holding": 0.4, "race": 0.2}
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
ANCHOR = "XGID=-b----D-C---eE---c-e-B--A-:0:0:1:31:0:0:0:7:10"


def losses(players: int, matches: int, seed: int, leak: float = 1.0) -> pd.DataFrame:
    """Return losses of players of different strength; the first loses so many times as much in races."""
    random = np.random.default_rng(seed)
    parts = []
    for player in range(players):
        strength = random.lognormal(0.0, 0.5)
        count = matches * 10
        plan = random.choice(list(CELLS), count, p=list(CELLS.values()))
        factor = np.where((plan == "race") & (player == 0), leak, 1.0)
        own = {
            "player": f"player {player}",
            "file": f"{player}.mat",
            "match": np.repeat(np.arange(matches), 10),
            "plan": plan,
            "error": random.choice(["hit not made", "blot left", SMALLER], count),
            "score": random.choice(["ahead", "behind"], count),
            "kind": "play",
            "loss_emg": random.gamma(0.5, 0.06 * strength, count) * factor,
        }
        parts.append(pd.DataFrame(own))
    return pd.concat(parts, ignore_index=True)


def advice(table: pd.DataFrame, checked: bool = True) -> dict[str, list[str]]:
    names = sorted(set(table["player"]))
    practice = Practice(dict.fromkeys(names, 500.0), set(names) if checked else set())
    practice.add(table)
    found = {name: [row for rows in practice.of(name).values() for row in rows] for name in names}
    return {name: [row.label for row in rows if row.stands_out] for name, rows in found.items()}


def test_each_family_adds_up_to_the_pr_and_stands_beside_the_others() -> None:
    table = losses(3, 4, 1)
    practice = Practice({"player 0": 300.0, "player 1": 100.0, "player 2": 100.0}, set())
    for player in (0, 1, 2):  # in parts, as they come
        practice.add(table[table["player"] == f"player {player}"])
    own, others = (table[(table["player"] == "player 0") == is_own] for is_own in (True, False))
    found = practice.of("player 0")
    assert list(found) == list(FAMILIES)
    for family, rows in found.items():
        assert sum(row.pr for row in rows) == pytest.approx(500 * own["loss_emg"].sum() / 300)
        assert [row.pr for row in rows] == sorted((row.pr for row in rows), reverse=True)
        for row in rows:
            of_cell = others[others[family] == row.label]
            assert row.others == pytest.approx(500 * of_cell["loss_emg"].sum() / 200)
            assert row.errors == (own.loc[own[family] == row.label, "loss_emg"] >= 0.02).sum()
    assert practice.of("nobody") == {}
    assert Practice({}, set()).of("nobody") == {}


def test_a_loss_counts_as_an_error_from_the_threshold_on() -> None:
    table = losses(1, 1, 1).head(3).assign(plan="race", error="x", score="y", loss_emg=[0.02, 0.0199, 0.5])
    practice = Practice({"player 0": 100.0}, set())
    practice.add(table)
    rows = [row for rows in practice.of("player 0").values() for row in rows]
    assert [(row.label, row.errors) for row in rows] == [("race", 2), ("x", 2), ("y", 2)]


def test_a_planted_leak_stands_out_and_chance_seldom_does() -> None:
    hits = [advice(losses(20, 60, seed, 4.0))["player 0"] for seed in range(10)]
    assert sum(words == ["race"] for words in hits) >= 8, hits
    told = [bool(words) for seed in range(8) for words in advice(losses(25, 20, 100 + seed)).values()]
    # 5 % of 200 are 10; by chance 16 or more come about once in thirty.
    assert sum(told) <= 200 * CHANCE + 6, sum(told)


def test_nothing_is_advised_from_few_matches_or_players_or_unchecked_losses() -> None:
    assert not any(advice(losses(20, LEAST_MATCHES - 1, 1, 9.0)).values())
    assert not any(advice(losses(4, 40, 1, 9.0)).values())
    assert not any(advice(losses(20, 60, 1, 9.0), checked=False).values())
    alone = losses(1, 9, 1)
    assert advice(alone) == {"player 0": []}


def test_a_player_who_is_better_than_all_others_there_is_not_sent_there() -> None:
    table = losses(20, 60, 2, 4.0)
    better = table["loss_emg"].where(table["player"] != "player 0", table["loss_emg"] / 50)
    assert advice(table.assign(loss_emg=better))["player 0"] == []


def kinds_of(**values: Any) -> tuple[str, str, str]:
    """Return error, plan and score of a loss; without values that of a take in an opening at 5 to 0 of 7 points."""
    row = {"kind": "take", "xgid": OPENING, "played": "take", "best": "pass", "loss_emg": 0.1, "double_take": np.nan}
    row |= {"match_length": 7, "score": 5, "opponent_score": 0} | values
    row["theme"] = theme(read_xgid(str(row["xgid"])))
    error, plan, score = cells(pd.DataFrame([row])).iloc[0][["error", "plan", "score"]]
    return error, plan, score


@pytest.mark.parametrize(("kind", "played", "best", "more", "error"), cases("values.kinds_of_errors"))
def test_an_error_has_a_kind(kind: str, played: str, best: str, more: dict[str, Any], error: str) -> None:
    found = kinds_of(kind=kind, played=played, best=best, **more)
    assert found == (error, "opening", "one player two points away")


def test_a_small_error_and_a_broken_anchor_have_kinds() -> None:
    assert kinds_of(kind="play", played="8/5 6/5", best="24/20", loss_emg=0.01)[0] == SMALLER
    assert kinds_of(kind="play", xgid=ANCHOR, played="21/18", best="8/5 6/5")[0] == "anchor broken"


def placed(**own: int) -> str:
    """Return the XGID of a position by the player's chequers: p6=5 are five on the player's 6 point."""
    letters = "".join(chr(ord("@") + own[f"p{point}"]) if f"p{point}" in own else "-" for point in range(26))
    return f"XGID={letters}:0:0:1:31:0:0:0:7:10"


@pytest.mark.parametrize(("own", "played", "best", "error"), cases("values.plays_beside_the_best"))
def test_a_play_is_compared_with_the_best_one_by_hand(own: dict[str, int], played: str, best: str, error: str) -> None:
    assert kinds_of(kind="play", xgid=placed(**own), played=played, best=best)[0] == error


@pytest.mark.parametrize(("length", "score", "other", "words"), cases("values.score_names"))
def test_a_score_has_a_name(length: int, score: int, other: int, words: str) -> None:
    assert kinds_of(match_length=length, score=score, opponent_score=other)[2] == words


def test_plans_agree_with_labels_that_are_older_than_the_rules(project: Path) -> None:
    with (project / "tests/oracles/game_plans.csv").open(encoding="utf-8", newline="") as file:
        labels = list(csv.DictReader(file))
    xgids = [row["xgid"] for row in labels]
    found = plans(xgids, [theme(read_xgid(xgid)) for xgid in xgids])
    alike = [row["plan"].split()[0] == plan.split()[0] for row, plan in zip(labels, found, strict=True)]
    assert (len(alike), sum(alike)) == (200, 165)
