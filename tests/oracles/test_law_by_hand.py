"""The law and the slope of the sixth test by a second road: own cells, own weights, SciPy's least
squares.

Only the frozen tables and the text of docs/paper.md are used. Nothing of the study is imported.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

Floats = NDArray[np.float64]
LIMIT, CUBES = 450.0, 0.015
SIDES = ("player", "opponent")
FIGURES = ("chequer_error_emg", "cube_error_emg", "unforced_moves")
COLUMNS = ["match_length", *SIDES, "actual_result"]
COLUMNS += [f"{side}_{name}" for side in SIDES for name in (*FIGURES, "luck_mwc")]


class Cell(NamedTuple):
    length: int
    pair: str
    matches: int
    chance: float
    rates: list[float]  # EPM and cube error per move of the player, then of the opponent
    covariance: Floats  # of a match's result, difference of EPM, difference of cube errors


def cell_of(rows: pd.DataFrame) -> Cell:
    """Take off luck by the regression on all other matches of the cell, by explicit refits."""
    first, count = rows.iloc[0], len(rows)
    won = rows["actual_result"].to_numpy(float)
    luck = rows[["player_luck_mwc", "opponent_luck_mwc"]].to_numpy(float)
    design = np.column_stack([np.ones(count), luck])
    whole, moments = design.T @ design, design.T @ won
    adjusted = np.empty(count)
    for match in range(count):  # the normal equations without this match
        row = design[match]
        slopes = np.linalg.solve(whole - np.outer(row, row), moments - row * won[match])[1:]
        adjusted[match] = won[match] - luck[match] @ slopes
    rates, shares = [], []
    for side in SIDES:
        chequer, cube, moves = (rows[f"{side}_{name}"].to_numpy(float) for name in FIGURES)
        for errors in (chequer, cube):
            rate = errors.sum() / moves.sum()
            rates.append(rate)
            shares.append((errors - rate * moves) / moves.mean())
    moved = np.array([adjusted, shares[0] - shares[2], shares[1] - shares[3]])
    pair, length = f"{first['player']} against {first['opponent']}", int(first["match_length"])
    return Cell(length, pair, count, adjusted.mean() + 0.5, rates, np.cov(moved))


class Cells:
    """Cells as arrays."""

    def __init__(self, cells: list[Cell]) -> None:
        self.cells = cells
        self.length = np.array([cell.length for cell in cells], dtype=float)
        self.pair = np.array([cell.pair for cell in cells])
        self.matches = np.array([cell.matches for cell in cells], dtype=float)
        self.chance = np.array([cell.chance for cell in cells])
        self.rates = np.array([cell.rates for cell in cells])
        self.covariance = np.array([cell.covariance for cell in cells])

    def where(self, keep: NDArray[np.bool_]) -> "Cells":
        return Cells([cell for cell, is_kept in zip(self.cells, keep, strict=True) if is_kept])


def loss_of(cells: Cells) -> Callable[[Floats], Floats]:
    """Return the law as a function of A, B, b and a2(1): the rating difference of each cell."""
    chequer = cells.rates[:, 0] - cells.rates[:, 2]
    cube = cells.rates[:, 1] - cells.rates[:, 3]

    def law(values: Floats) -> Floats:
        a2 = np.where(cells.length == 1, values[3], values[0] + values[1] / cells.length)
        return np.asarray(a2 * chequer + values[2] * cube)

    return law


def chance_of(difference: Floats, length: Floats) -> Floats:
    return np.asarray(1 / (1 + 10 ** (difference * np.sqrt(length) / 2000)))


def spread(cells: Cells, values: Floats) -> Floats:
    """Return smooth standard errors of chances by a reweighted Gamma regression of variances."""
    difference = loss_of(cells)(values)
    chance = chance_of(difference, cells.length)
    slope = -np.log(10) / 2000 * np.sqrt(cells.length) * chance * (1 - chance)
    a2 = np.where(cells.length == 1, values[3], values[0] + values[1] / cells.length)
    direction = np.column_stack([np.ones_like(slope), -slope * a2, -slope * values[2]])
    own = np.einsum("ci,cij,cj->c", direction, cells.covariance, direction)
    share = np.abs(difference) / LIMIT
    sums = np.sqrt(cells.rates[:, :2] + cells.rates[:, 2:])
    design = np.column_stack([np.ones_like(share), np.log(cells.length), share, share**2, sums])
    weights = np.sqrt(cells.matches - 1)[:, None]
    log_mean = np.full(len(own), np.log(own.mean()))
    for _ in range(50):
        target = log_mean + own / np.exp(log_mean) - 1
        log_mean = design @ np.linalg.lstsq(weights * design, weights[:, 0] * target)[0]
    return np.asarray(np.sqrt(np.exp(log_mean) / cells.matches))


@pytest.fixture(scope="module")
def studies(project: Path) -> dict[str, Cells]:
    results = project / "results" / "1.08"
    found = {}
    for study in json.loads((results / "formula.json").read_text(encoding="utf-8"))["studies"]:
        files = (results / study / "frozen").glob("*.parquet")
        rows = pd.concat(pd.read_parquet(path, columns=COLUMNS) for path in files)
        groups = rows.groupby(["match_length", *SIDES], observed=True)
        found[study] = Cells([cell_of(group) for _, group in groups])
    return found


def misfit(cells: Cells, errors: Floats, tried: Floats) -> Floats:
    """Return how many standard errors each chance lies off the law of values in ten thousands."""
    law = loss_of(cells)(1e4 * tried)
    return np.asarray((cells.chance - chance_of(law, cells.length)) / errors)


@pytest.mark.slow
def test_the_law_by_own_least_squares(project: Path, studies: dict[str, Cells]) -> None:
    formula = (project / "results/1.08/formula.json").read_text(encoding="utf-8")
    shipped = json.loads(formula)["estimate"]
    every = Cells([cell for cells in studies.values() for cell in cells.cells])
    values = np.array([10_000.0, 20_000.0, 10_000.0, 30_000.0])
    for _ in range(3):  # domain and weights follow from the coefficients
        is_far = np.abs(loss_of(every)(values)) >= LIMIT
        inside = every.where(~is_far & (every.rates[:, 1] + every.rates[:, 3] <= CUBES))
        off = partial(misfit, inside, spread(inside, values))
        found = optimize.least_squares(
            off, values / 1e4, **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-14)
        )
        values = 1e4 * found.x
    a2_at_3, ours = values[0] + values[1] / 3, shipped["a2_const"] + shipped["a2_inv"] / 3
    print(f"a2(3) {a2_at_3:.1f} for {ours:.1f}, b {values[2]:.1f} for {shipped['b_const']:.1f}")
    assert a2_at_3 == pytest.approx(ours, rel=1e-5)
    assert values[2] == pytest.approx(shipped["b_const"], rel=1e-5)
    assert values[3] == pytest.approx(shipped["a2_one"], rel=1e-5)


@pytest.mark.slow
def test_the_slope_of_the_sixth_test_by_own_least_squares(
    project: Path, studies: dict[str, Cells]
) -> None:
    folder, cells = project / "results/1.08/law", studies["pairs"]
    before = json.loads((folder / "pairs-before.json").read_text(encoding="utf-8"))["law"]
    fixed = dict(zip(before["terms"], before["estimate"], strict=True))
    values = np.array(
        [fixed.get(name, 0.0) for name in ("a2_const", "a2_inv", "b_const", "a2_one")]
    )
    predicted, errors = loss_of(cells)(values), spread(cells, values)

    def slope(kept: NDArray[np.bool_]) -> float:
        def off(tried: Floats) -> Floats:
            missed = cells.chance - chance_of(tried[0] * predicted, cells.length)
            return np.asarray(missed[kept] / errors[kept])

        return float(optimize.least_squares(off, [1.0], xtol=1e-12).x[0])

    whole = slope(np.ones(len(predicted), dtype=bool))
    without = np.array([slope(cells.pair != pair) for pair in np.unique(cells.pair)])
    count = len(without)
    half = stats.t.ppf(0.95, count - 1) * np.sqrt((count - 1) * without.var())
    table = pd.read_csv(folder / "slopes.csv")
    table = table[(table["part"] == "all") & (table["form"] == "law")]
    row = table[table["verdict"].notna()].iloc[0]
    theirs = (row["slope_high"] - row["slope_low"]) / 2
    print(f"slope {whole:.4f} ± {half:.4f} for {row['slope']:.4f} ± {theirs:.4f}")
    assert whole == pytest.approx(row["slope"], rel=1e-6)
    # The table has the sandwich of pairs, this the jackknife: they agree to a hundredth.
    assert half == pytest.approx(theirs, rel=0.02)


def rates_of(rows: pd.DataFrame) -> list[float]:
    """Return both players' EPM."""
    totals = [(rows[f"{side}_chequer_error_emg"], rows[f"{side}_unforced_moves"]) for side in SIDES]
    return [float(errors.sum() / moves.sum()) for errors, moves in totals]


def test_the_ratio_of_depths_by_own_sums(project: Path) -> None:
    """Errors at level checked over those at 0-ply, in the same matches."""
    results = project / "results" / "1.08"
    key = ["match_length", *SIDES]
    of_match = [*key, "shard", "match"]
    studies = []
    for study in ("people-range", "depth-checked"):
        files = (results / study / "frozen").glob("*.parquet")
        studies.append(pd.concat(pd.read_parquet(path) for path in files))
    shallow, deep = studies
    above, below = [], []
    for cell, own in deep.groupby(key, observed=True):
        same = shallow.merge(own[of_match], on=of_match)
        both = own.merge(same[of_match], on=of_match)
        assert len(same) == len(both) > 0, cell
        before, after = rates_of(same), rates_of(both)
        weight = len(same) / sum(before)
        above.append(weight * (before[0] - before[1]) * (after[0] - after[1]))
        below.append(weight * (before[0] - before[1]) ** 2)
    table = pd.read_csv(results / "law" / "depth.csv").set_index(["level", "rate"])
    kept = table.loc[("checked", "epm"), "factor"]
    print(f"k {sum(above) / sum(below):.6f} for {kept}")
    assert sum(above) / sum(below) == pytest.approx(kept, rel=1e-6)


def shrunk_elsewhere(players: NDArray[np.str_], errors: Floats, moves: Floats) -> Floats:
    """Return each side's rate in the player's other matches, by Buehlmann and Straub."""
    mine = {name: players == name for name in np.unique(players)}
    total = np.array([moves[here].sum() for here in mine.values()])
    rate = np.array([errors[here].sum() / moves[here].sum() for here in mine.values()])
    within, free = 0.0, 0
    for here, own in zip(mine.values(), rate, strict=True):
        within += float((moves[here] * (errors[here] / moves[here] - own) ** 2).sum())
        free += int(here.sum()) - 1
    within /= free
    mean = errors.sum() / moves.sum()
    spread_of_players = (total * (rate - mean) ** 2).sum() - (len(total) - 1) * within
    k = within / (spread_of_players / (total.sum() - (total**2).sum() / total.sum()))
    mean = np.average(rate, weights=total / (total + k))
    found = np.empty(len(players))
    for place, name in enumerate(players):
        others = mine[name].copy()
        others[place] = False
        found[place] = (errors[others].sum() + k * mean) / (moves[others].sum() + k)
    return found


def test_the_factor_of_people_by_an_own_instrument(project: Path) -> None:
    """F of one collection: results on the losses of a match, with those elsewhere as instrument."""
    results = project / "results" / "1.08"
    shipped = json.loads((results / "formula.json").read_text(encoding="utf-8"))["estimate"]
    losses = pd.read_parquet(results / "people-depth" / "frozen" / "losses.parquet")
    losses = losses[(losses["level"] == "1.08 0-ply") & losses["luck_adjusted_result"].notna()]
    sides = losses[(losses["match_length"] > 0) & (losses["unforced_moves"] > 0)]
    left, right = (sides[sides["side"] == side].set_index("match") for side in ("left", "right"))
    common = left.index.intersection(right.index)
    both = pd.concat([left.loc[common], right.loc[common]])
    players = both["player"].to_numpy(str)
    moves = both["unforced_moves"].to_numpy(float)
    length = left.loc[common, "match_length"].to_numpy(float)
    a2 = np.where(length == 1, shipped["a2_one"], shipped["a2_const"] + shipped["a2_inv"] / length)
    own = np.zeros(len(common))
    elsewhere = np.zeros(len(common))
    for name, price in (("chequer_error_emg", a2), ("cube_error_emg", shipped["b_const"])):
        errors = both[name].to_numpy(float)
        here = (errors / moves).reshape(2, -1)
        there = shrunk_elsewhere(players, errors, moves).reshape(2, -1)
        own += price * (here[0] - here[1])
        elsewhere += price * (there[0] - there[1])
    chance = chance_of(elsewhere, length)
    slope = -np.log(10) / 2000 * np.sqrt(length) * chance * (1 - chance)
    instrument = slope * elsewhere
    result = left.loc[common, "luck_adjusted_result"].to_numpy(float)
    factor = instrument @ (result - (chance - 0.5) + instrument) / (instrument @ (slope * own))
    table = pd.read_csv(results / "people" / "factor.csv").set_index("group")
    print(f"F {factor:.6f} ({table.loc['strong players', 'estimate']} is kept)")
    assert factor == pytest.approx(table.loc["strong players", "estimate"], rel=1e-6)
