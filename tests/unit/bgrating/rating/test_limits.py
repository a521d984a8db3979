"""Chances that a true PR is below a limit: calibrated, and sensible at the ends."""

import csv

import numpy as np
import pandas as pd
import pytest

from bgrating.rating.limits import (
    LimitError,
    chances_below,
    pr_below,
    pr_players,
    stored_pr_population,
)
from bgrating.rating.population import population_of
from bgrating.rating.result_files import population_table


def crowd(rng: np.random.Generator, players: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Return matches of players (1 to 12 each) and true PRs; variances grow as PR^(3/2)."""
    truth = np.maximum(rng.normal(1.6, 0.2, players), 0.8) ** 4
    number = np.repeat(np.arange(players), rng.integers(1, 13, players))
    decisions = 60 + rng.poisson(38, len(number))
    rate = truth[number] / 500
    variance = decisions * 0.0014 * (rate / 0.013) ** 1.5
    errors = rng.gamma((decisions * rate) ** 2 / variance, variance / (decisions * rate))
    table = pd.DataFrame(
        {"player": [f"p{one:04d}" for one in number], "unforced_moves": decisions - 10}
    )
    return table.assign(
        chequer_error_emg=0.7 * errors, cube_error_emg=0.3 * errors, close_cube_decisions=10
    ), truth


def test_the_decisions_of_a_point_are_moves_and_close_cube_decisions() -> None:
    with population_table("1.08").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    total = sum(float(row["unforced_moves"]) + float(row["close_cube_decisions"]) for row in rows)
    assert stored_pr_population()[1] == pytest.approx(
        total / sum(float(row["match_length"]) for row in rows)
    )


@pytest.mark.slow
def test_chances_are_calibrated() -> None:
    predicted, below = [], []
    for seed in range(8):
        matches, truth = crowd(np.random.default_rng(seed))
        assert population_of(pr_players(matches)) is not None
        for found, pr in zip(chances_below(matches).values(), truth, strict=True):
            predicted += [one.chance for one in found]
            below += [pr < one.limit for one in found]
    chance, came = np.array(predicted), np.array(below)
    for low, high in (
        (0.0, 0.05),
        (0.05, 0.2),
        (0.2, 0.4),
        (0.4, 0.6),
        (0.6, 0.8),
        (0.8, 0.95),
        (0.95, 1.0),
    ):
        here = (chance >= low) & (chance <= high)
        expected, seen, sd = (
            chance[here].sum(),
            came[here].sum(),
            np.sqrt((chance * (1 - chance))[here].sum()),
        )
        # The model's own share, 2 percentage points, beside four standard errors of chance.
        assert abs(seen - expected) < 4 * sd + 0.02 * here.sum()


def test_a_chance_grows_certain_with_matches() -> None:
    sure = pr_below(3.0, 10**5, 7, [2.5, 4.0])
    assert [round(one.chance, 6) for one in sure] == [0.0, 1.0]
    assert [one.description for one in sure] == ["below 2.5: 0 %", "below 4: 100 %"]
    few, more = (pr_below(3.0, matches, 7, [4.0])[0].chance for matches in (1, 20))
    assert 0.1 < few < 0.9 < more < 1.0


def test_a_player_without_a_decision_has_no_chances() -> None:
    matches = crowd(np.random.default_rng(2), 3)[0]
    idle = matches.iloc[[0]].assign(player="idle", unforced_moves=0, close_cube_decisions=0)
    found = chances_below(pd.concat([matches, idle]))
    assert sorted(found) == ["p0000", "p0001", "p0002"]
    assert stored_pr_population()[0].players > 1000


@pytest.mark.parametrize("limit", [0.0, -4.0, float("nan"), float("inf")])
def test_an_impossible_limit_is_refused(limit: float) -> None:
    with pytest.raises(LimitError, match="a limit of PR is above 0, not"):
        pr_below(3.0, 4, 7, [limit])


def test_a_pr_by_hand() -> None:
    """2 and 1 EMG over 100 and 50 decisions, 20 in the last match; an empty one is left out."""
    rows = [
        ("ann", 1.5, 80, 0.5, 20),
        ("ann", 0.6, 40, 0.4, 10),
        ("ann", 0.0, 0, 0.0, 0),
        ("bob", 1.0, 40, 0.0, 10),
    ]
    names = [
        "player",
        "chequer_error_emg",
        "unforced_moves",
        "cube_error_emg",
        "close_cube_decisions",
    ]
    ann, bob = pr_players(pd.DataFrame(rows, columns=names)).to_dict("records")
    assert (ann["player"], ann["loss"], ann["matches"], ann["moves"]) == (
        "ann",
        pytest.approx(500 * 3 / 150),
        2,
        150,
    )
    assert ann["own_se"] == pytest.approx((500 * 2 / 100 - 500 * 1 / 50) / 2)
    assert (bob["player"], bob["loss"], bob["matches"], bob["moves"]) == (
        "bob",
        pytest.approx(10),
        1,
        50,
    )
