"""The law: its errors and its scatter are honest, and a formula always ships."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from bgrating.places import DATA
from bgrating.play.match_tables import read_checked
from bgrating.rating.chances import fit_chances
from bgrating.rating.fibs_formula import Floats, log_odds_per_point, win_probability
from bgrating.rating.formula import read_formula
from bgrating.rating.intervals import CONFIDENCE, quantile
from corpus import cases
from law_checks import coverage, extended, of_blunderers
from law_rules import RULES, frozen_form, slope, verdict
from study.formula.regressions import UndeterminedError, by_cluster
from study.law import CUBES, LIMIT
from study.law import fit as law
from study.law import tables as law_tables
from study.law.fit import (
    ONE,
    Fitted,
    Points,
    fit,
    predicted_by,
    predictors,
    smooth_variances,
)

TRUTH = {"a2_const": 10_600.0, "a2_inv": 20_500.0, "b_const": 9_600.0}
TAU = 0.04


def simulated(
    seed: int, pairs: int = 60, tau: float = TAU, lengths: tuple[int, ...] = (3, 7, 15)
) -> Points:
    """Draw cells of pairs of players whose losses scatter by tau, with skewed matches."""
    rng, made = np.random.default_rng(seed), []
    for number in range(pairs):
        rates = rng.uniform([0.012, 0.001, 0.003, 0.001], [0.025, 0.007, 0.01, 0.007])
        scattered = tau * rng.standard_normal()  # of both players' losses together
        for length in lengths:
            chequer, cube = TRUTH["a2_const"] + TRUTH["a2_inv"] / length, TRUTH["b_const"]
            loss, other_loss = chequer * rates[::2] + cube * rates[1::2]
            difference = loss - other_loss + scattered * np.hypot(loss, other_loss)
            skewed = 0.15 * (1 - rng.exponential(size=200))
            moved = np.column_stack([skewed, *rng.normal(0, 1e-4, (2, 200))])
            chance = float(win_probability(difference, length)) + moved[:, 0].mean()
            moved -= moved.mean(axis=0)
            pair, covariance = f"player-{number} against expert", np.cov(moved, rowvar=False)
            made.append((moved, "simulated", pair, float(length), 200.0, chance, rates, covariance))
    moves, *columns = zip(*made, strict=True)
    return Points(np.fromiter(moves, object), *map(np.array, columns))


def together(*parts: Points) -> Points:
    columns = {name: [getattr(part, name) for part in parts] for name in vars(parts[0])}
    return Points(**{name: np.concatenate(column) for name, column in columns.items()})


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit(simulated(1))


def test_errors_are_those_of_leaving_out_one_pair_at_a_time(fitted: Fitted) -> None:
    points, design = fitted.inside, predictors(fitted.inside, fitted.terms)
    without = []
    for pair in np.unique(points.pair):
        kept = points.pair != pair
        data = (points.chance, points.length, design, np.sqrt(fitted.variance))
        data = tuple(column[kept] for column in data)
        without.append(np.asarray(fit_chances(*data, fitted.estimate).params))
    off = np.array(without) - np.mean(without, axis=0)
    jackknife = (len(off) - 1) / len(off) * off.T @ off
    assert fitted.covariance == pytest.approx(jackknife, rel=0.05)


def test_the_scatter_is_that_of_restricted_likelihood_with_whole_matrices(fitted: Fitted) -> None:
    points, variance = fitted.inside, fitted.variance
    chance = win_probability(fitted.predicted(points), points.length)
    step = log_odds_per_point(points.length) * chance * (1 - chance)
    design = predictors(points, fitted.terms) * step[:, None]
    a2, b = fitted.estimate[0] + fitted.estimate[1] / points.length, fitted.estimate[2]
    losses = a2[:, None] * points.rates[:, ::2] + b * points.rates[:, 1::2]
    along = step * np.sqrt((losses**2).sum(axis=1))
    same = points.pair[:, None] == points.pair[None, :]

    def deviance(tau: float) -> float:
        total = np.diag(variance) + tau**2 * same * np.outer(along, along)
        inverse = np.linalg.inv(total)
        inner = design.T @ inverse @ design
        left = points.chance - chance
        left = left - design @ np.linalg.solve(inner, design.T @ inverse @ left)
        determinants = np.linalg.slogdet(total)[1] + np.linalg.slogdet(inner)[1]
        return float(determinants + left @ inverse @ left)

    expected = optimize.minimize_scalar(deviance, bounds=(0, 0.5), method="bounded").x
    tau, low, high = law.law_scatter(fitted)
    assert tau == pytest.approx(expected, abs=1e-5)
    assert low < TAU < high


def test_no_scatter_has_an_interval_from_zero() -> None:
    _, low, high = law.law_scatter(fit(simulated(2, tau=0.0)))
    assert low == 0
    assert high < TAU


def test_cells_outside_the_domain_are_not_fitted() -> None:
    inside = simulated(3)
    three = inside.select(np.arange(len(inside)) < 3)
    about = {"wild": (0.4, [0.02, CUBES, 0.001, 0.001]), "far": (0.01, [0.06, 0.002, 0.001, 0.001])}
    every = inside
    for name, (chance, rates) in about.items():
        cells = {"chance": np.repeat(chance, 3), "rates": np.tile(rates, (3, 1))}
        every = together(every, replace(three, pair=np.repeat(name, 3), **cells))
    whole = fit(every)
    assert whole.inside.pair.tolist() == inside.pair.tolist()
    assert np.abs(whole.predicted(whole.inside)).max() < LIMIT
    assert law.formula(every, whole, "1.08").metadata["n_outside"] == 6


def test_an_interval_of_few_pairs_has_their_degrees_of_freedom() -> None:
    cells = simulated(4, lengths=(1, 3, 7))
    ones = cells.select((cells.length == 1) & (np.arange(len(cells)) < 24))
    without_cube = replace(ones, rates=ones.rates * np.array([1.0, 0.0, 1.0, 0.0]))
    found = fit(together(cells.select(cells.length > 1), without_cube))
    alone = found.inside.select(found.inside.length == 1)
    error = np.sqrt(found.variance[found.inside.length == 1])
    design = predictors(alone, (ONE,))
    chance = win_probability(design[:, 0] * found.estimate[found.terms.index(ONE)], 1.0)
    step = (log_odds_per_point(1.0) * chance * (1 - chance) / error)[:, None]
    off = (alone.chance - chance) / error
    jackknife = np.sqrt(by_cluster(design * step, off, alone.pair)[0, 0])
    half = np.sqrt(found.covariance[-1, -1]) * quantile(CONFIDENCE, found.pairs - 1)
    few, many = len(alone), found.pairs
    assert 2 < few < 8 < many
    # The jackknife's factor, of all pairs over that of these.
    shares = np.sqrt((many - 1) / many / ((few - 1) / few))
    assert half == pytest.approx(stats.t.ppf(0.95, few - 1) * jackknife * shares, rel=1e-6)


def test_blunders_that_cost_more_are_found() -> None:
    cells = simulated(5, tau=0.0)
    numbers = [int(name.split()[0].removeprefix("player-")) for name in cells.pair]
    is_odd = np.array(numbers) % 2 == 1
    more = log_odds_per_point(cells.length) * 1_000 * cells.rates[:, 0]
    odds = np.log(cells.chance / (1 - cells.chance)) + more
    chance = np.where(is_odd, 1 / (1 + np.exp(-odds)), cells.chance)
    pair = np.where(is_odd, [f"blunders-{name}" for name in cells.pair], cells.pair)
    plain = fit(replace(cells, pair=pair, chance=chance))
    found = extended(plain, of_blunderers(plain.inside))
    place = found.terms.index("a2_blunders")
    error = np.sqrt(found.covariance[place, place])
    assert found.estimate[place] == pytest.approx(1_000, abs=3 * error)


def test_too_few_pairs_determine_nothing() -> None:
    sentence = r"a formula needs 4 pairs of players .*; there are 3 pairs"
    with pytest.raises(UndeterminedError, match=sentence):
        fit(simulated(6, pairs=3))


def test_a_slope_has_pairs_as_its_sample() -> None:
    points = simulated(8)
    predicted = predicted_by(TRUTH, points)
    variance = smooth_variances(points, TRUTH) / points.matches
    found = slope(points, predicted / 0.9, variance)
    assert found["n_pairs"] == 60
    assert found["slope"] == pytest.approx(0.9, abs=3 * found["std_error"])
    twice = together(points, points)
    again = slope(twice, np.tile(predicted / 0.9, 2), np.tile(variance, 2))
    for name in ("slope", "std_error"):  # the same pairs tell no more
        assert again[name] == pytest.approx(found[name], rel=0.01)


@pytest.mark.parametrize(("rule", "low", "high", "expected"), cases("values.law_verdicts"))
def test_a_verdict_is_that_of_its_page(rule: str, low: float, high: float, expected: str) -> None:
    assert verdict(RULES[rule], low, high) == expected


def test_the_frozen_form_that_shipped_before_is_evaluated_as_its_file_did() -> None:
    points = simulated(9, pairs=1)
    found = frozen_form(points, 10_914.28093, 19_902.01892, 9_811.114249, 0.02892493818)
    first, second, third, fourth = points.rates[0]
    a2 = (10_914.28093 + 19_902.01892 / 3) / (1 + 0.02892493818 * (3 / 7) ** 0.5)
    assert found[0] == pytest.approx(a2 * (first - third) + 9_811.114249 * (second - fourth))


def test_a_formula_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "formula.json"
    kept.write_text("{}")

    def fails(*_: object) -> None:
        assert kept.read_text() == "{}"
        raise UndeterminedError("no study of the law has been played")

    monkeypatch.setattr(law_tables, "points_of", fails)
    monkeypatch.setattr(law_tables, "shared_version", lambda *_: None)
    with pytest.raises(UndeterminedError):
        law_tables.make([], "1.08", tmp_path)
    assert kept.read_text() == "{}"


@pytest.mark.slow
@pytest.mark.parametrize("engine_version", ["1.07.001", "1.08"])
def test_the_formula_that_ships_follows_from_the_frozen_matches(engine_version: str) -> None:
    results = DATA / "results" / engine_version
    kept = read_formula(results / "formula.json")
    matches = {}
    for study in kept.metadata["studies"]:
        files = sorted((results / study / "frozen").glob("*.parquet"))
        matches[study] = pd.concat([read_checked(path) for path in files], ignore_index=True)
    found = fit(law.points_of(matches))
    assert found.terms == kept.terms
    assert found.estimate == pytest.approx(kept.estimate, rel=1e-7)
    assert found.covariance == pytest.approx(kept.covariance, rel=1e-5)
    text = json.loads((results / "formula.json").read_text(encoding="utf-8"))
    assert (found.pairs, len(found.inside)) == (text["n_pairs"], text["n_points"])


@pytest.mark.slow
def test_intervals_hold_the_truth_where_pairs_scatter_and_matches_are_skewed() -> None:
    given = simulated(10, pairs=40)
    table = coverage(given, fit(given), TAU, 200, 11)
    shares: Floats = table["coverage"].to_numpy(float)
    assert ((shares > 0.83) & (shares < 0.96)).all()
