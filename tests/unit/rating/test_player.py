"""Rate one player by hand."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bgrating.rating.choose import choose
from bgrating.rating.fibs import win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.player import (
    Errors,
    losses,
    luck_based_difference,
    match_luck_based_difference,
    match_rating,
    rating,
)

Floats = NDArray[np.float64]


OFFSET = 2050.0


NETS = "1.07.001"


@pytest.fixture(scope="module", name="published")
def _published() -> RatingFormula:
    return choose("published", NETS).formula


def one(length: float, chequer: float, moves: float, cube: float, decisions: float) -> Errors:
    return Errors(*(np.array([value], dtype=float) for value in (length, chequer, moves, cube, decisions)))


def test_one_match_as_gnubg_rates_it(published: RatingFormula) -> None:
    """lasse in match1484923 of lassehjorthmadsen+gnubg-scripts, as GNU Backgammon printed it."""
    errors = one(5, 2.091, 87, 0.0, 6)
    estimate = rating(errors, published, OFFSET)
    assert estimate.value == pytest.approx(1715.8, abs=0.1)
    assert math.isnan(estimate.low)
    assert match_rating(errors, published, OFFSET)[0] == pytest.approx(estimate.value, abs=1e-9)


def test_a_formula_of_one_length_rates_matches_of_that_length_only(published: RatingFormula) -> None:
    single = replace(
        published,
        terms=("a2", "b"),
        estimate=np.array([1.0e4, 1.0e3]),
        covariance=np.eye(2),
        match_lengths=(7,),
        dof=9.0,
    )
    errors = Errors(*(np.array(column, dtype=float) for column in ([5, 7], [9, 0.5], [50, 100], [9, 0.1], [5, 10])))
    estimate = rating(errors, single, OFFSET)
    assert estimate.matches == 1
    assert estimate.value == pytest.approx(OFFSET - 1.0e4 * 0.005 - 1.0e3 * 0.01)
    assert estimate.se_formula == pytest.approx(math.hypot(0.005, 0.01))
    assert np.isnan(match_rating(errors, single, OFFSET)).tolist() == [True, False]


def players(seed: int, matches: int, lengths: Floats) -> Iterator[Errors]:
    """Simulate a player whose true EPM is 0.008 and EPC 0.03, with wild errors and lengths drawn from those given."""
    random = np.random.default_rng(seed)
    while True:
        length = random.choice(lengths, matches)
        moves = np.maximum(1, random.poisson(12 * length))
        decisions = random.poisson(1.8 * length) * (length > 1)
        chequer = np.array([random.exponential(0.08, n)[random.random(n) < 0.1].sum() for n in moves])
        cube = np.array([random.exponential(0.15, n)[random.random(n) < 0.2].sum() for n in decisions])
        yield Errors(length, chequer, moves.astype(float), cube, decisions.astype(float))


def test_equal_moves_behind_tell_as_much_at_every_length(published: RatingFormula) -> None:
    """Chequer errors of exponential size, one move in four: a loss's fourth root scatters alike per move counted so."""
    rng = np.random.default_rng(3)
    scatter, plain = [], []
    for length in (1.0, 3.0, 11.0):
        moves = 100.0 * length
        errors = rng.gamma(np.maximum(rng.binomial(int(moves), 0.25, 4000), 1), 0.04)
        of = Errors(*(np.full(4000, value) for value in (length, 0.0, moves, 0.0, 0.0)))
        roots = (OFFSET - match_rating(replace(of, chequer_error=errors), published, OFFSET)) ** 0.25
        scatter.append(roots.var() * rating(one(length, 0.0, moves, 0.0, 0.0), published, OFFSET).moves)
        plain.append(roots.var() * moves)
    assert max(scatter) / min(scatter) < 1.1
    assert max(plain) / min(plain) > 1.6
    seven = one(7, 0.0, 80, 0.0, 0.0)
    assert rating(seven, published, OFFSET).moves == pytest.approx(80)
    both = Errors(
        *(np.concatenate(pair) for pair in zip(_parts(seven), _parts(one(1, 0.0, 80, 0.0, 0.0)), strict=True))
    )
    a2 = [published.coefficient("a2", length)[0] for length in (7.0, 1.0)]
    assert rating(both, published, OFFSET).moves == pytest.approx(160**2 / (80 + 80 * math.sqrt(a2[1] / a2[0])))


def test_all_players_at_once_give_what_each_gives_alone(published: RatingFormula) -> None:
    """Players of one match, of several, of money sessions alone and of matches without a move."""
    simulated = [next(players(seed, matches, np.array([1.0, 3.0, 7.0]))) for seed, matches in enumerate((1, 2, 6, 15))]
    simulated += [one(0, 0.5, 30, 0.1, 3), one(3, 0.0, 0, 0.0, 0)]
    together = Errors(*(np.concatenate(parts) for parts in zip(*map(_parts, simulated), strict=True)))
    number = np.repeat(np.arange(len(simulated)), [len(each.match_length) for each in simulated])
    found = losses(together, number, published)
    for place, each in enumerate(simulated):
        alone = rating(each, published, OFFSET)
        expected = OFFSET - alone.value, alone.se_matches, alone.matches, alone.moves or math.nan
        assert [found[name][place] for name in ("loss", "own_se", "matches", "moves")] == pytest.approx(
            expected, nan_ok=True
        )


def _parts(errors: Errors) -> tuple[Floats, ...]:
    return (
        errors.match_length,
        errors.chequer_error,
        errors.unforced_moves,
        errors.cube_error,
        errors.close_cube_decisions,
    )


def test_uncertain_coefficients_widen_the_interval(published: RatingFormula) -> None:
    errors = next(players(5, 30, np.array([5.0, 7.0])))
    alone = rating(errors, published, OFFSET)
    fitted = replace(published, covariance=np.diag([500.0**2, 0.0, 0.0, 0.0]), dof=20.0)
    wider = rating(errors, fitted, OFFSET)
    epm = errors.chequer_error.sum() / errors.unforced_moves.sum()
    assert wider.se_formula == pytest.approx(500.0 * epm, rel=0.1)
    assert wider.se_matches == pytest.approx(alone.se_matches)
    assert wider.high - wider.low > alone.high - alone.low
    assert wider.value == alone.value


def test_luck_based_difference_of_many_matches() -> None:
    random = np.random.default_rng(7)
    length = random.choice([3.0, 5.0, 11.0], 60)
    chance = 1.0 / (1.0 + 10.0 ** (-150.0 * np.sqrt(length) / 2000.0))
    covered = 0
    for _ in range(400):
        estimate = luck_based_difference(chance - 0.5 + random.normal(0.0, 0.15, 60), length)
        covered += estimate.low <= 150.0 <= estimate.high
    assert 0.86 <= covered / 400 <= 0.94


def test_luck_that_no_difference_explains_has_no_estimate() -> None:
    assert math.isnan(luck_based_difference(np.array([0.6]), np.array([5.0])).value)
    assert math.isnan(match_luck_based_difference(np.array([0.6]), np.array([5.0]))[0])
    assert math.isnan(luck_based_difference(np.array([]), np.array([])).value)


def test_another_depth_of_analysis_widens_the_interval(published: RatingFormula) -> None:
    errors = next(players(5, 30, np.array([5.0, 7.0])))
    plain = rating(errors, published, OFFSET)
    wider = rating(errors, published, OFFSET, level_error={"epm": 0.1, "epc": 0.0})
    assert plain.se_level == 0
    chequer = OFFSET - rating(replace(errors, cube_error=0 * errors.cube_error), published, OFFSET).value
    assert wider.se_level == pytest.approx(0.1 * chequer, rel=1e-9)
    assert wider.value == plain.value
    assert wider.high - wider.low > plain.high - plain.low


def test_the_luck_based_difference_is_the_one_whose_expected_results_have_the_same_sum() -> None:
    from scipy import optimize

    rng, found = np.random.default_rng(1), 0
    for _ in range(300):
        length = rng.choice([1.0, 3.0, 7.0, 25.0], rng.integers(1, 30))
        result = rng.normal(rng.normal(0, 0.25), rng.choice([0.05, 0.2]), len(length))

        def surplus(difference: float, result: Any = result, length: Any = length) -> float:
            return float(np.sum(0.5 + result - win_probability(-difference, length)))

        got = luck_based_difference(result, length).value
        if surplus(-3000.0) <= 0 or surplus(3000.0) >= 0:
            assert math.isnan(got)
        else:
            found += 1
            assert got == pytest.approx(optimize.brentq(surplus, -3000.0, 3000.0, xtol=1e-12), rel=1e-9, abs=1e-9)
    assert found > 200
