"""Every system gives back known ratings; intervals cover; players may have any order."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from bgleague.pair_counts import pair_counts
from bgleague.tournament.played import (
    FIGURES,
    TournamentError,
    TournamentMatches,
    error_totals,
    in_rounds,
)
from bgleague.tournament.systems import (
    SYSTEMS,
    error_rates,
    from_errors,
    luck_adjusted,
    rate_all,
    rate_with_replicates,
)
from bgrating.rating.choose import choose
from bgrating.rating.intervals import interval_of_draws

ENGINE_VERSION = "1.07.001"
TRUE = np.array([250.0, 120.0, 0.0, -60.0, -310.0])
NAMES = ("ann", "bob", "cat", "dan", "eve")
LENGTH = 3
PUBLISHED = choose("published", ENGINE_VERSION)


def simulated(
    seed: int, games: int, true: np.ndarray = TRUE, names: tuple[str, ...] = NAMES
) -> TournamentMatches:
    """Play matches by the FIBS formula, `games` a cell; errors cost by the published one."""
    random = np.random.default_rng(seed)
    first, second = np.nonzero(~np.eye(len(true), dtype=bool))
    first, second = np.tile(first, games), np.tile(second, games)
    chance = 1 / (1 + 10 ** (-(true[first] - true[second]) * math.sqrt(LENGTH) / 2000))
    table = pd.DataFrame(index=range(len(first)))
    a2 = 8798 + 25526 / LENGTH
    for side, players in (("player", first), ("opponent", second)):
        table[f"{side}_chequer_error_emg"] = (
            20 * (400 - true[players]) / a2 * random.gamma(4, 1 / 4, len(players))
        )
        table[f"{side}_unforced_moves"] = 20.0
        table[f"{side}_cube_error_emg"] = 0.0
        table[f"{side}_close_cube_decisions"] = 3.0
    table["first"] = np.array(names, dtype=object)[first]
    table["second"] = np.array(names, dtype=object)[second]
    table["first_score"] = (random.random(len(first)) < chance).astype(float)
    table["chance"] = chance + random.normal(0, 0.12, len(first))
    return TournamentMatches(names, LENGTH, table.assign(count=1))


@pytest.mark.slow
def test_every_system_gives_back_known_ratings() -> None:
    ratings = rate_all(simulated(1, 800), PUBLISHED, seed=1)
    assert list(ratings.columns) == [*SYSTEMS, "p_champion"]
    assert ratings[list(SYSTEMS)].mean().abs().max() < 1e-9
    centred = TRUE - TRUE.mean()
    for system, tolerance in (
        ("elo", 30),
        ("logistic", 30),
        ("eloworld", 30),
        ("luck_adjusted", 8),
    ):
        assert np.abs(ratings[system].to_numpy() - centred).max() < tolerance, system
    assert np.abs(ratings["errors_fitted"].to_numpy() - centred).max() < 12


def test_luck_adjusted_ratings_of_two_players_are_the_formula_of_the_mean_chance() -> None:
    true = np.array([100.0, -100.0])
    games = simulated(3, 200, true, ("ann", "bob"))
    chance = games.table["chance"]
    mean = chance.where(games.table["first"] == "ann", 1 - chance).mean()
    fitted = luck_adjusted(games)
    difference = 2000 / math.sqrt(LENGTH) * math.log10(mean / (1 - mean))
    assert fitted.ratings[0] - fitted.ratings[1] == pytest.approx(difference, abs=1e-3)
    assert (fitted.dof, fitted.chi_square) == (0, pytest.approx(0, abs=1e-6))


def test_luck_adjusted_chances_beyond_one_are_no_obstacle() -> None:
    games = simulated(4, 50, np.array([2500.0, 0.0, -2500.0]), ("ann", "bob", "cat"))
    assert (games.table["chance"] > 1).any()
    assert (np.diff(luck_adjusted(games).ratings) < -500).all()


def test_the_fit_to_luck_adjusted_chances_by_another_optimiser() -> None:
    """The variance of a pair has two matches more, of the variance that all pairs have in common."""
    games = simulated(2, 2, TRUE[:3], NAMES[:3])
    pairs = [(0, 1), (0, 2), (1, 2)]
    cells = dict(iter(games.table.groupby(["first", "second"])["chance"]))
    chances = [
        np.append(cells[NAMES[first], NAMES[second]], 1 - cells[NAMES[second], NAMES[first]])
        for first, second in pairs
    ]
    common = np.mean([values.var(ddof=1) for values in chances])
    weights = [4 / ((3 * values.var(ddof=1) + 2 * common) / 5) for values in chances]

    def misfit(ratings: np.ndarray) -> float:
        differences = [(*ratings, 0.0)[first] - (*ratings, 0.0)[second] for first, second in pairs]
        expected = 1 / (1 + 10 ** (-np.array(differences) * math.sqrt(LENGTH) / 2000))
        means = np.array([values.mean() for values in chances])
        return float((weights * (means - expected) ** 2).sum())

    best = minimize(misfit, [0.0, 0.0], method="Nelder-Mead", options={"fatol": 1e-12})
    fitted = luck_adjusted(games)
    assert fitted.chi_square == pytest.approx(best.fun, rel=1e-4)
    assert fitted.ratings[:2] - fitted.ratings[2] == pytest.approx(best.x, abs=0.1)


def test_the_misfit_of_luck_adjusted_results_is_chi_square() -> None:
    values = [luck_adjusted(simulated(seed, 40)).chi_square for seed in range(60)]
    assert luck_adjusted(simulated(0, 40)).dof == 6
    assert np.mean(values) == pytest.approx(6, abs=4 * math.sqrt(12 / 60))


def test_the_rating_from_errors_is_the_published_formula() -> None:
    games = simulated(5, 30)
    epm, epc = error_rates(games, "close_cube_decisions")
    loss = (8798 + 25526 / LENGTH) * epm + (863 - 519 / LENGTH) * epc
    assert from_errors(games, PUBLISHED) == pytest.approx(-loss.to_numpy(), rel=1e-4)
    assert error_totals(games)["unforced_moves"].tolist() == [30 * 8 * 20] * 5
    cube = [name for name in games.table if "cube" in name]
    nobody = replace(games, table=games.table.assign(**dict.fromkeys(cube, 0.0)))
    assert (error_rates(nobody, "close_cube_decisions")[1] == 0).all()


@pytest.mark.slow
def test_results_do_not_depend_on_the_order_of_players() -> None:
    games = simulated(7, 80)
    reordered = replace(games, players=("dan", "bob", "eve", "ann", "cat"))
    for system in ("elo", "logistic", "luck_adjusted", "errors_fitted"):
        one, two = (rate_all(g, PUBLISHED, seed=1, runs=1)[system] for g in (games, reordered))
        assert two[list(NAMES)].to_numpy() == pytest.approx(one.to_numpy(), abs=1e-3), system


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    hits: dict[str, list[bool]] = {"logistic": [], "luck_adjusted": []}
    centred = TRUE - TRUE.mean()
    for seed in range(8):
        _, replicates = rate_with_replicates(
            simulated(100 + seed, 50), PUBLISHED, seed=seed, replicates=30
        )
        low, high = interval_of_draws(replicates)
        for system, covered in hits.items():
            index = SYSTEMS.index(system)
            covered += list((low[:, index] <= centred) & (centred <= high[:, index]))
    for system, covered in hits.items():
        assert 0.75 <= np.mean(covered) <= 0.99, system


def test_a_resample_draws_within_cells_alone() -> None:
    games = simulated(9, 30)
    drawn = games.resampled(np.random.default_rng(1))
    assert drawn.table[["first", "second"]].equals(games.table[["first", "second"]])
    assert not drawn.table["first_score"].equals(games.table["first_score"])
    assert set(drawn.table["chance"]) < set(games.table["chance"])


def matches(cells: list[tuple[str, str, int]]) -> pd.DataFrame:
    """Make a table of matches with just the columns that are read."""
    rows = [
        {
            "match_length": LENGTH,
            "player": a,
            "opponent": b,
            "shard": 0,
            "match": k,
            "actual_result": 0.5 - k % 2,
        }
        for a, b, number in cells
        for k in range(number)
    ]
    figures = {f"{side}_{name}": 1.0 for side in ("player", "opponent") for name in FIGURES}
    return pd.DataFrame(rows).assign(luck_adjusted_result=0.1, **figures)


def test_matches_are_arranged_in_rounds_of_all_cells() -> None:
    table = matches(
        [("a", "b", 4), ("b", "a", 3), ("a", "c", 3), ("c", "a", 3), ("b", "c", 3), ("c", "b", 3)]
    )
    arranged = in_rounds(table.sample(frac=1, random_state=1), ["a", "b", "c"], LENGTH, seed=1)
    cells = list(arranged.table[["first", "second"]].itertuples(index=False, name=None))
    assert [len(set(cells[start : start + 6])) for start in (0, 6, 12)] == [6, 6, 6]
    assert cells[:6] != cells[6:12]
    assert len(arranged.table) == 19
    assert arranged.table["first_score"].head(6).tolist() == [1.0] * 6
    assert arranged.table["chance"][0] == pytest.approx(0.6)
    assert pair_counts(arranged.table, arranged.players).games[0].tolist() == [0, 4, 3]


def test_a_cell_without_matches_and_matches_without_luck_are_refused() -> None:
    some = matches([("a", "b", 4), ("b", "a", 3), ("a", "c", 3)])
    unlucky = matches([("a", "b", 2), ("b", "a", 2)]).assign(luck_adjusted_result=np.nan)
    missing = "3 cells have no match to 3 points, the first of them b against c"
    for table, names, sentence in (
        (some, "abc", missing),
        (unlucky, "ab", "analysed without luck"),
    ):
        with pytest.raises(TournamentError, match=sentence):
            in_rounds(table, list(names), LENGTH, seed=1)
