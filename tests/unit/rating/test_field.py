"""Few matches: a field of known spread comes back, intervals cover, and one match has an interval too."""

import math

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.nets import committed_results
from bgrating.people.players import errors_of, rated
from bgrating.rating.choose import choose
from bgrating.rating.field import COLLECTION, Field, field_of, pooled_scatter, random_effects, shrink

MEAN, SD, SCATTER, OFFSET = 3.55, 0.25, 9.0, 2050.0


def crowd(rng: np.random.Generator, players: int, matches: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return players whose fourth root of the loss is normal about MEAN, and the true losses."""
    truth = rng.normal(MEAN, SD, players)
    number = rng.integers(1, matches + 1, players)
    rows = []
    for root, count in zip(truth, number, strict=True):
        moves = rng.integers(80, 220, count).astype(float)
        each = root + rng.normal(0, np.sqrt(SCATTER / moves))
        found = float(np.average(each, weights=moves))
        off = (each - found) * moves / moves.sum()
        own = math.sqrt(float((off**2).sum()) * count / (count - 1)) if count > 1 else math.nan
        rows.append((found**4, 4 * found**3 * own, count, moves.sum(), 0.0))
    return pd.DataFrame(rows, columns=["loss", "own_se", "matches", "moves", "known_se"]), truth**4


def test_a_known_field_comes_back_and_its_intervals_cover() -> None:
    players, truth = crowd(np.random.default_rng(5), 1500, 4)
    field = field_of(players)
    assert field is not None
    assert field.mean == pytest.approx(MEAN, abs=4 * field.mean_se)
    assert field.sd == pytest.approx(SD, rel=0.1)
    assert field.scatter == pytest.approx(SCATTER, rel=0.1)
    found = shrink(players, field, OFFSET)
    few = (players["matches"] == 1).to_numpy()
    for low, high in ((found.low, found.high), (found.shrunk_low, found.shrunk_high)):
        inside = (low <= OFFSET - truth) & (OFFSET - truth <= high)
        assert 0.87 < inside.mean() < 0.93
        assert 0.86 < inside[few].mean() < 0.94  # one match has an interval too
    error, shrunk_error = (OFFSET - truth - value for value in (OFFSET - players["loss"], found.shrunk))
    assert (shrunk_error**2).mean() < 0.8 * (error**2).mean()
    assert abs(shrunk_error.mean()) < 3


def test_fourth_roots_of_noise_scatter_alike_at_every_strength() -> None:
    """Players of the same noise at both, 1,000 frozen matches or more each: their losses differ by a factor of 34."""
    chosen = choose("fitted", "1.07.001")
    matches = pd.read_parquet(committed_results("1.07.001") / "part1" / "frozen" / "7.parquet")
    players = pd.DataFrame(
        rated(errors_of(own.rename(columns=lambda name: str(name).removeprefix("player_")), chosen), chosen, OFFSET)
        for _, own in matches.groupby("player")
    )
    scatter = np.array([pooled_scatter(players[place : place + 1]) for place in range(len(players))])
    square = 4 * scatter * np.sqrt(players["loss"])  # of square roots, by the delta method
    assert players["loss"].max() > 30 * players["loss"].min()
    assert scatter.max() < 1.4 * scatter.min()
    assert square.max() > 5 * square.min()


def test_too_few_players_are_no_field() -> None:
    players, _ = crowd(np.random.default_rng(6), 19, 9)
    assert field_of(players) is None
    alone, _ = crowd(np.random.default_rng(7), 200, 1)
    assert field_of(alone) is None


def test_errors_that_all_matches_share_are_not_shrunk_away() -> None:
    field = Field(MEAN, 0.1, SD, SCATTER, 100, 100, COLLECTION)
    players = pd.DataFrame({"loss": [150.0], "own_se": [math.nan], "matches": [1], "moves": [1e9], "known_se": [20.0]})
    found = shrink(players, field, OFFSET)
    assert found.shrunk_high[0] - found.shrunk_low[0] == pytest.approx(2 * 1.6448536 * 20, rel=1e-3)
    assert found.shrunk[0] == pytest.approx(OFFSET - 150, abs=0.01)


def test_random_effects_agree_with_statsmodels() -> None:
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(2)
    variance = rng.uniform(1, 9, 30)
    value = rng.normal(5, np.sqrt(variance + 4))
    mean, error, between = random_effects(value, variance)
    theirs = combine_effects(value, variance, method_re="pm", use_t=True)
    assert between == pytest.approx(theirs.tau2, rel=1e-4)
    assert mean == pytest.approx(theirs.mean_effect_re, rel=1e-6)
    assert error == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-4)
