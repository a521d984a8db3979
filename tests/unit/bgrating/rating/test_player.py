"""Rate one player by hand."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from bgrating.rating.choose import choose
from bgrating.rating.formula import RatingFormula
from bgrating.rating.player import Errors, match_rating, ratings

Floats = NDArray[np.float64]
OFFSET = 2050.0
ENGINE_VERSION = "1.07.001"
PUBLISHED = choose("published", ENGINE_VERSION).formula


def rating(errors: Errors, formula: RatingFormula) -> "pd.Series[float]":
    """Return the figures of one player."""
    return ratings(errors, np.zeros(len(errors.match_length), np.intp), formula, OFFSET).loc[0]


def matches(*columns: list[float]) -> Errors:
    """Return matches: lengths, chequer errors, unforced moves, cube errors, close decisions."""
    return Errors(*(np.array(column, dtype=float) for column in columns))


def one(length: float, chequer: float, moves: float, cube: float, decisions: float) -> Errors:
    return matches([length], [chequer], [moves], [cube], [decisions])


def together(*parts: Errors) -> Errors:
    return Errors(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def single(covariance: list[float], tau: float) -> RatingFormula:
    """Return a formula for 7 points: 10,000 and 1,000 points, with variances and scatter."""
    values = {
        "terms": ("a2", "b"),
        "estimate": np.array([1.0e4, 1.0e3]),
        "covariance": np.diag(covariance),
    }
    return replace(PUBLISHED, **values, match_lengths=(7,), dof=9.0, metadata={"tau": tau})


def test_one_match_as_gnubg_rates_it() -> None:
    """lasse in match1484923 of lassehjorthmadsen+gnubg-scripts, as GNU Backgammon printed it."""
    errors = one(5, 2.091, 87, 0.0, 6)
    estimate = rating(errors, PUBLISHED)
    assert estimate.rating == pytest.approx(1715.8, abs=0.1)
    assert math.isnan(estimate.low)
    assert match_rating(errors, PUBLISHED, OFFSET)[0] == pytest.approx(estimate.rating, abs=1e-9)


def test_a_formula_of_one_length_rates_matches_of_that_length_only() -> None:
    formula = single([1.0, 1.0], 0.0)
    errors = matches([5, 7], [9, 0.5], [50, 100], [9, 0.1], [5, 10])
    estimate = rating(errors, formula)
    assert estimate.matches == 1
    assert estimate.rating == pytest.approx(OFFSET - 1.0e4 * 0.005 - 1.0e3 * 0.01)
    assert estimate.known_se == pytest.approx(math.hypot(0.005, 0.01))
    assert np.isnan(match_rating(errors, formula, OFFSET)).tolist() == [True, False]


def test_lengths_are_averaged_by_their_decisions_of_both_kinds() -> None:
    """By hand: a point without a cube weighs 50 moves, seven points 100 moves and 20 decisions."""
    errors = matches([1, 7], [2.0, 1.0], [50, 100], [0.0, 0.5], [0, 20])
    first, second = OFFSET - match_rating(errors, PUBLISHED, OFFSET)
    estimate = rating(errors, PUBLISHED)
    assert estimate.loss == pytest.approx((50 * first + 120 * second) / 170)
    assert estimate.own_se == pytest.approx(abs(first - second) / 2)


def players(seed: int, matches: int, lengths: Floats) -> Iterator[Errors]:
    """Simulate a player of EPM 0.008 and EPC 0.03, with wild errors and these lengths."""
    random = np.random.default_rng(seed)
    while True:
        length = random.choice(lengths, matches)
        moves = np.maximum(1, random.poisson(12 * length))
        decisions = random.poisson(1.8 * length) * (length > 1)
        chequer = np.array(
            [random.exponential(0.08, n)[random.random(n) < 0.1].sum() for n in moves]
        )
        cube = np.array(
            [random.exponential(0.15, n)[random.random(n) < 0.2].sum() for n in decisions]
        )
        yield Errors(length, chequer, moves.astype(float), cube, decisions.astype(float))


def test_equal_moves_behind_tell_as_much_at_every_length() -> None:
    """One move in four errs exponentially: a loss's fourth root scatters alike per move."""
    rng = np.random.default_rng(3)
    scatter, plain = [], []
    for length in (1.0, 3.0, 11.0):
        moves = 100.0 * length
        errors = rng.gamma(np.maximum(rng.binomial(int(moves), 0.25, 4000), 1), 0.04)
        of = Errors(*(np.full(4000, value) for value in (length, 0.0, moves, 0.0, 0.0)))
        roots = (
            OFFSET - match_rating(of._replace(chequer_error=errors), PUBLISHED, OFFSET)
        ) ** 0.25
        scatter.append(roots.var() * rating(one(length, 0.0, moves, 0.0, 0.0), PUBLISHED).moves)
        plain.append(roots.var() * moves)
    assert max(scatter) / min(scatter) < 1.1
    assert max(plain) / min(plain) > 1.6
    seven = one(7, 0.0, 80, 0.0, 0.0)
    assert rating(seven, PUBLISHED).moves == pytest.approx(80)
    both = together(seven, one(1, 0.0, 80, 0.0, 0.0))
    a2 = [PUBLISHED.coefficient("a2", length)[0] for length in (7.0, 1.0)]
    assert rating(both, PUBLISHED).moves == pytest.approx(
        160**2 / (80 + 80 * math.sqrt(a2[1] / a2[0]))
    )


def test_all_players_at_once_give_what_each_gives_alone() -> None:
    """Players of one match, of several, of money sessions alone and of matches without a move."""
    simulated = [
        next(players(seed, matches, np.array([1.0, 3.0, 7.0])))
        for seed, matches in enumerate((1, 2, 6, 15))
    ]
    simulated += [one(0, 0.5, 30, 0.1, 3), one(3, 0.0, 0, 0.0, 0)]
    number = np.repeat(np.arange(len(simulated)), [len(each.match_length) for each in simulated])
    found = ratings(together(*simulated), number, PUBLISHED, OFFSET)
    alone = pd.DataFrame([rating(each, PUBLISHED) for each in simulated])
    assert found.to_numpy() == pytest.approx(alone.to_numpy(), rel=1e-12, nan_ok=True)
    assert found["matches"].tolist() == [1, 2, 6, 15, 0, 0]
    assert found["rating"].isna().tolist() == [False] * 4 + [True] * 2


def test_an_interval_by_hand() -> None:
    """100 and 200 points lost: 150 together, 50 by the jackknife, 15 and 4.5 by the formula."""
    found = rating(
        matches([7, 7], [0.5, 1.0], [50, 50], [0, 0], [5, 5]), single([1.0e3**2, 0.0], 0.03)
    )
    assert (found.rating, found.own_se, found.matches, found.moves) == pytest.approx(
        (OFFSET - 150, 50, 2, 100)
    )
    assert found.known_se == pytest.approx(math.hypot(15, 4.5))
    own, known = 50**2, 15**2 + 4.5**2
    half = stats.t.ppf(0.95, (own + known) ** 2 / (own**2 / 1 + known**2 / 9)) * math.sqrt(
        own + known
    )
    assert (found.low, found.high) == pytest.approx((OFFSET - 150 - half, OFFSET - 150 + half))


def test_the_linear_form_takes_errors_per_decision_of_both_kinds() -> None:
    """By hand: 0.5 and 0.3 EMG over 50 moves and 10 cube decisions."""
    linear = replace(
        PUBLISHED,
        terms=("a",),
        estimate=np.array([1.0e4]),
        covariance=np.eye(1),
        match_lengths=(7,),
    )
    assert rating(one(7, 0.5, 50, 0.3, 10), linear).loss == pytest.approx(1.0e4 * 0.8 / 60)
