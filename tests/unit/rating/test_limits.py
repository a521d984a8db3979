"""Chances that a true PR is below a limit: calibrated for simulated players, and sensible at the ends."""

import numpy as np
import pandas as pd
import pytest

from bgrating.rating.field import field_of
from bgrating.rating.limits import LimitError, below_limits, chances_below, pr_below, pr_players, stored_pr_field


def crowd(rng: np.random.Generator, players: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Return matches of players (one to twelve each) and their true PRs; variances grow as PR to the power 3/2."""
    truth = np.maximum(rng.normal(1.6, 0.2, players), 0.8) ** 4
    number = np.repeat(np.arange(players), rng.integers(1, 13, players))
    decisions = 60 + rng.poisson(38, len(number))
    rate = truth[number] / 500
    variance = decisions * 0.0014 * (rate / 0.013) ** 1.5
    errors = rng.gamma((decisions * rate) ** 2 / variance, variance / (decisions * rate))
    table = pd.DataFrame(
        {
            "player": [f"p{one:04d}" for one in number], "chequer_error_emg": 0.7 * errors,
            "cube_error_emg": 0.3 * errors, "unforced_moves": decisions - 10, "close_cube_decisions": 10,
        }
    )  # fmt: skip
    return table, truth


@pytest.mark.slow
def test_chances_are_calibrated() -> None:
    predicted, below = [], []
    for seed in range(8):
        matches, truth = crowd(np.random.default_rng(seed))
        field = field_of(pr_players(matches))
        assert field is not None
        for found, pr in zip(below_limits(pr_players(matches), field), truth, strict=True):
            predicted += [one.chance for one in found]
            below += [pr < one.limit for one in found]
    chance, came = np.array(predicted), np.array(below)
    for low, high in ((0.0, 0.05), (0.05, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0)):
        here = (chance >= low) & (chance <= high)
        expected, seen, sd = chance[here].sum(), came[here].sum(), np.sqrt((chance * (1 - chance))[here].sum())
        print(
            f"{low:.2f} to {high:.2f}: {here.sum()} chances, {expected / here.sum():.3f}, seen {seen / here.sum():.3f}"
        )
        # The model's own share, 2 percentage points, beside four standard errors of chance.
        assert abs(seen - expected) < 4 * sd + 0.02 * here.sum()


def test_so_many_more_matches_settle_it_and_one_less_does_not() -> None:
    """After so many more matches at the expected PR the chance is beyond 95 %, and not one match earlier."""
    pr, matches, limit = 3.0, 4, 4.0
    (found,) = pr_below(pr, matches, 7, [limit])
    assert found.more_matches is not None
    assert found.more_matches > 1
    assert found.words == f"below 4: {100 * found.chance:.0f} % ({found.more_matches:,} more matches would settle it)"
    field, per_point = stored_pr_field()
    share = field.sd**2 / (field.sd**2 + field.scatter / (matches * 7 * per_point))
    expected = field.mean + share * (pr**0.25 - field.mean)

    def chance_after(more: int) -> float:
        root = (matches * pr**0.25 + more * expected) / (matches + more)
        return pr_below(root**4, matches + more, 7, [limit])[0].chance

    assert chance_after(found.more_matches) >= 0.95 > chance_after(found.more_matches - 1)


def test_many_matches_leave_no_doubt_and_none_is_at_the_limit() -> None:
    sure = pr_below(3.0, 10**5, 7, [2.5, 4.0])
    assert [round(one.chance, 6) for one in sure] == [0.0, 1.0]
    assert [one.words for one in sure] == ["below 2.5: 0 % (settled)", "below 4: 100 % (settled)"]
    assert pr_below(4.0, 10**7, 7, [4.0])[0].more_matches is None


def test_a_small_collection_takes_the_kept_field_and_a_player_without_decisions_has_no_chances() -> None:
    matches = crowd(np.random.default_rng(2), 3)[0]
    idle = matches.iloc[[0]].assign(player="idle", unforced_moves=0, close_cube_decisions=0)
    found = chances_below(pd.concat([matches, idle]))
    assert sorted(found) == ["p0000", "p0001", "p0002"]
    field, _ = stored_pr_field()
    assert list(found.values()) == below_limits(pr_players(matches), field)


@pytest.mark.parametrize(("pr", "matches", "limit"), [(-1, 4, 4), (3, 0, 4), (3, 4, 0), (float("nan"), 4, 4)])
def test_what_cannot_be_is_refused(pr: float, matches: int, limit: float) -> None:
    with pytest.raises(LimitError):
        pr_below(pr, matches, 7, [limit])
