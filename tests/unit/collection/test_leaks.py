"""A planted leak is found again, and players without one are seldom told of one."""

import numpy as np
import pandas as pd
import pytest

from bgrating.collection.leaks import CHANCE, LEAST_MATCHES, CellLosses

PHASES = {"opening": 0.2, "contact": 0.5, "race": 0.2, "bearoff": 0.1}
COST = {"opening": 0.008, "contact": 0.012, "race": 0.003, "bearoff": 0.004, "double": 0.02, "take": 0.02}


def decisions(players: int, matches: int, seed: int, leak: tuple[str, float] = ("", 1.0)) -> pd.DataFrame:
    """Return decisions of players of different strength; the first has a leak: so many times the loss in one phase."""
    random = np.random.default_rng(seed)
    parts = []
    for player in range(players):
        strength = random.lognormal(0.0, 0.5)
        count = matches * 70
        kinds = random.choice(["play", "double", "take"], count, p=[0.85, 0.11, 0.04])
        themes = random.choice(list(PHASES), count, p=list(PHASES.values()))
        cell = np.where(kinds == "play", themes, kinds)
        mean = np.array([COST[name] for name in cell]) * strength
        if player == 0:
            mean = np.where(cell == leak[0], mean * leak[1], mean)
        # Most decisions cost nothing, a few much.
        loss = np.where(random.random(count) < 0.15, random.gamma(0.5, mean / 0.15 / 0.5), 0.0)
        parts.append(
            pd.DataFrame(
                {
                    "player": f"player {player}",
                    "file": f"{player}.mat",
                    "match": np.repeat(np.arange(matches), 70),
                    "kind": kinds,
                    "theme": themes,
                    "unforced": True,
                    "loss_emg": loss,
                    "checked_by": None,
                    "xg_by": None,
                    "match_length": 7,
                    "score": random.integers(0, 7, count),
                    "opponent_score": random.integers(0, 7, count),
                }
            )
        )
    return pd.concat(parts)


def found(table: pd.DataFrame, plies: int = 0) -> dict[str, list[str]]:
    cells = CellLosses(plies)
    cells.add(table)
    return {name: [leak.words for leak in leaks] for name, (leaks, _) in cells.of_players().items()}


@pytest.mark.slow
def test_a_planted_leak_is_found_again() -> None:
    hits = [found(decisions(20, 60, seed, ("bearoff", 4.0)))["player 0"] for seed in range(10)]
    assert sum(leaks[:1] == ["Bearing off"] for leaks in hits) >= 8, hits


def test_players_without_a_leak_are_seldom_told_of_one() -> None:
    told = [bool(leaks) for seed in range(8) for leaks in found(decisions(25, 20, 100 + seed)).values()]
    assert len(told) == 200
    # 5 % of 200 are 10; by chance 16 or more come about once in thirty.
    assert sum(told) <= 200 * CHANCE + 6, sum(told)


def test_nothing_is_said_of_too_few_matches_or_players() -> None:
    assert not any(found(decisions(20, LEAST_MATCHES - 1, 1, ("bearoff", 9.0))).values())
    assert not any(found(decisions(3, 40, 1, ("bearoff", 9.0))).values())
    assert CellLosses(0).of_players() == {}


def test_a_cube_error_that_only_0_ply_knows_of_is_no_leak() -> None:
    """The first player loses much by doubling in bear-offs, which a deeper analysis alone can tell."""
    table = decisions(20, 60, 1)
    wrong = (table["player"] == "player 0") & (table["kind"] == "double") & (table["theme"] == "bearoff")
    table = table.assign(loss_emg=table["loss_emg"].mask(wrong, 0.29))
    assert found(table, 2)["player 0"][0] == "Doubling"
    assert found(table, 0)["player 0"] == []
