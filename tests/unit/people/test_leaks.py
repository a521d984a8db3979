"""A planted leak is found again, and players without one are seldom told of one."""

import numpy as np
import pandas as pd
import pytest

from bgrating.people.leaks import CHANCE, FEW, LEAST_MATCHES, LIKELY, POSSIBLE, CellLosses

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
                    "played": np.where(np.arange(count) % 2, "double", "no double"),
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
    found = cells.of_players().items()
    return {name: [theme.words for theme in themes if theme.sure == LIKELY] for name, (themes, _) in found}


def test_there_is_always_an_answer_with_cost_interval_and_number() -> None:
    table = decisions(20, 12, 3, ("bearoff", 20.0))
    cells = CellLosses(0)
    cells.add(table)
    for name, (themes, _) in cells.of_players().items():
        assert len(themes) == 3, name
        for theme in themes:
            assert theme.matches == 12
            assert theme.low < theme.excess < theme.high or theme.sure == FEW
            assert theme.excess == pytest.approx(theme.cost - theme.expected)
            assert theme.sure in {LIKELY, POSSIBLE, FEW}
    own = table[(table["player"] == "player 0") & (table["kind"] == "play")]
    themes = {theme.words: theme for theme in cells.of_players()["player 0"][0]}
    bearing_off = own[own["theme"] == "bearoff"]
    assert themes["Bearing off"].cost == pytest.approx(bearing_off["loss_emg"].sum() / 12)
    assert themes["Bearing off"].decisions == len(bearing_off)


def test_late_doubles_near_the_end_are_a_theme_of_their_own() -> None:
    """The first player waits too long where somebody is two points away, in 60 matches of 7 points."""
    table = decisions(20, 60, 5)
    near = (table["score"] == 5) | (table["opponent_score"] == 5)
    late = (table["kind"] == "double") & (table["played"] == "no double") & near & (table["player"] == "player 0")
    leaks = found(table.assign(loss_emg=table["loss_emg"].mask(late, 0.15)))["player 0"]
    assert "Not doubling where it is close with a player two points away" in leaks


def test_one_match_of_a_player_gives_themes_that_are_too_few_to_tell() -> None:
    cells = CellLosses(0)
    cells.add(decisions(2, 1, 1))
    for themes, _ in cells.of_players().values():
        assert {theme.sure for theme in themes} == {FEW}
        assert len(themes) == 3


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
