"""Few matches: a known spread comes back, intervals cover, also that of one match."""

import math

import numpy as np
import pandas as pd
import pytest

from bgrating.people.players import errors_of
from bgrating.rating import population as fields
from bgrating.rating.choose import choose
from bgrating.rating.player import losses
from bgrating.rating.population import (
    LEAST_MOVES,
    Population,
    Roots,
    population_of,
    posterior,
    shrink,
)
from bgrating.rating.result_files import results_of

MEAN, SD, SCATTER, OFFSET = 3.55, 0.25, 9.0, 2050.0


def crowd(rng: np.random.Generator, players: int, matches: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return players with fourth roots about MEAN, a tenth strangers, and the true losses."""
    truth = rng.normal(MEAN, np.where(rng.random(players) < 0.1, 2 * SD, SD))
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


@pytest.mark.parametrize("sd", [0.3, 10.0])
def test_an_end_of_one_root_is_that_of_its_normal_distribution(sd: float) -> None:
    root = Roots(np.ones((1, 1)), np.full((1, 1), 3.5), np.full((1, 1), sd))
    ends = [root.at(chance)[0] for chance in (0.05, 0.95)]
    assert ends == pytest.approx([3.5 - 1.644854 * sd, 3.5 + 1.644854 * sd], abs=1e-5)


def test_a_known_field_comes_back_and_its_intervals_cover() -> None:
    players, truth = crowd(np.random.default_rng(5), 1500, 4)
    population = population_of(players)
    assert population.mean == pytest.approx(MEAN, abs=4 * population.mean_se)
    assert population.sd == pytest.approx(SD, rel=0.1)
    assert population.scatter == pytest.approx(SCATTER, rel=0.1)
    found = shrink(players, population, OFFSET)
    few = (players["matches"] == 1).to_numpy()
    for low, high in ((found["own_low"], found["own_high"]), (found["ci_low"], found["ci_high"])):
        inside = (low <= OFFSET - truth) & (OFFSET - truth <= high)
        assert 0.87 < inside.mean() < 0.93
        assert 0.86 < inside[few].mean() < 0.94  # one match has an interval too
    error, shrunk_error = (
        OFFSET - truth - value for value in (OFFSET - players["loss"], found["rating"])
    )
    assert (shrunk_error**2).mean() < 0.8 * (error**2).mean()
    assert abs(shrunk_error.mean()) < 3


def test_fourth_roots_of_noise_scatter_alike_at_every_strength() -> None:
    """Equal noise at both, 1,000 frozen matches or more: losses differ by a factor of 34."""
    chosen = choose("fitted", "1.07.001")
    matches = pd.read_parquet(results_of("1.07.001") / "part1" / "frozen" / "7.parquet")
    number, _ = pd.factorize(matches["player"])
    own = matches.rename(columns=lambda name: str(name).removeprefix("player_"))
    players = losses(errors_of(own, chosen), number, chosen.formula)
    scatter = np.array(
        [fields.pooled_scatter(players[place : place + 1]) for place in range(len(players))]
    )
    square = 4 * scatter * np.sqrt(players["loss"])  # of square roots, by the delta method
    assert players["loss"].max() > 30 * players["loss"].min()
    assert scatter.max() < 1.4 * scatter.min()
    assert square.max() > 5 * square.min()


def test_a_player_counts_from_two_matches_and_the_least_number_of_moves() -> None:
    players, _ = crowd(np.random.default_rng(8), 200, 2)
    assert population_of(players.assign(moves=LEAST_MOVES)) is not None
    assert population_of(players.assign(moves=LEAST_MOVES - 1)) is None


def test_errors_that_all_matches_share_are_not_shrunk_away() -> None:
    population = Population(MEAN, 0.1, SD, SCATTER, 100, 100)
    players = pd.DataFrame(
        {"loss": [150.0], "own_se": [math.nan], "matches": [1], "moves": [1e9], "known_se": [20.0]}
    )
    found = shrink(players, population, OFFSET)
    assert found["ci_high"][0] - found["ci_low"][0] == pytest.approx(2 * 1.6448536 * 20, rel=1e-3)
    assert found["rating"][0] == pytest.approx(OFFSET - 150, abs=0.01)


def test_a_shrunk_rating_and_its_ends_agree_with_a_sum_over_a_fine_grid() -> None:
    """The true root's density is the prior's times the result's, without a normal formula."""
    population = Population(MEAN, 0.0, SD, SCATTER, 100, 100)
    players = pd.DataFrame(
        {"loss": [700.0], "own_se": [math.nan], "matches": [1], "moves": [150.0], "known_se": [0.0]}
    )
    grid = np.linspace(0.5, 9.0, 400_001)
    variance = SCATTER / 150 * 20 / 18  # Student's t with the pool's 20 degrees of freedom
    ordinary, stranger = (np.exp(-(((grid - MEAN) / sd) ** 2) / 2) / sd for sd in (SD, 2 * SD))
    density = (0.9 * ordinary + 0.1 * stranger) * np.exp(-((700**0.25 - grid) ** 2) / 2 / variance)
    density /= density.sum()
    found = shrink(players, population, OFFSET)
    assert found["rating"][0] == pytest.approx(OFFSET - density @ grid**4, abs=0.01)
    ends = [
        OFFSET - grid[np.searchsorted(density.cumsum(), chance)] ** 4 for chance in (0.95, 0.05)
    ]
    assert (found["ci_low"][0], found["ci_high"][0]) == pytest.approx(ends, abs=0.1)


def test_a_doubtful_mean_of_the_field_makes_a_root_doubtful() -> None:
    """Precision-weighted by hand, no strangers: the mean within 0.3, then a root within 0.2."""
    (found,) = (posterior(np.array([4.0]), np.array([0.04]), Population(3.5, 0.3, 0.2, 9.0, 5, 5)),)
    assert found.mean[0, 0] == pytest.approx(3.75)
    assert found.sd[0, 0] == pytest.approx(math.hypot(0.2 * math.sqrt(0.5), 0.5 * 0.3))


def test_quantiles_and_chances_of_two_distributions_by_hand() -> None:
    """Two that lie far apart: half of the lower one, with a quarter of the weight, is an eighth."""
    roots = Roots(np.array([[0.25], [0.75]]), np.array([[1.0], [9.0]]), np.array([[0.1], [0.1]]))
    assert roots.below(1.0)[0] == pytest.approx(0.125)
    assert roots.at(0.125)[0] == pytest.approx(1.0, abs=1e-6)
    assert roots.at(0.625)[0] == pytest.approx(9.0, abs=1e-6)


def test_a_collection_moves_the_prior_the_more_the_more_players_it_has() -> None:
    prior = Population(MEAN, 0.01, SD, SCATTER, 1000, 500)
    weaker = crowd(np.random.default_rng(3), 300, 2)[0].assign(
        loss=lambda players: (players["loss"] ** 0.25 + 1) ** 4
    )
    means = [population_of(weaker[:count], prior).mean for count in (1, 5, 300)]
    assert MEAN < means[0] < means[1] < means[2]
    assert means[2] == pytest.approx(MEAN + 1, abs=0.1)
    assert population_of(weaker[:1], prior).mean_se > population_of(weaker, prior).mean_se


def test_a_field_is_described_by_hand() -> None:
    """At a root of 4 a point of it is 256 rating points; 150 moves of scatter 6 know it to 0.2."""
    alone, with_others = (
        Population(4.0, 0.1, 0.5, 6.0, 30, 50, others).description(2050.0) for others in (0, 1200)
    )
    assert (
        alone
        == "Ratings of few matches are pulled towards the mean of 30 players here. It is 1794; two"
        f" thirds of these players lie between {2050 - 4.5**4:.0f} and {2050 - 3.5**4:.0f}. After"
        " 150 unforced moves the standard error is about 51 points."
    )
    assert "30 players here and 1,200 of other collections. It is" in with_others
