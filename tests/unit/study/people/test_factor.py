"""People's factor, and what goes with a point of PR: simulated people, and sums by hand."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import choose
from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.formula_of_2003 import published_formula
from study.people.factor import ALL, close, factor, per_pr
from study.people.losses import COLLECTIONS, frozen_losses

FORMULA = published_formula("bilinear")


@pytest.mark.parametrize("truth", [1.0, 1.5])
def test_the_factor_of_simulated_people_is_found(truth: float) -> None:
    """Results follow the errors of the match; a truth of 1.5 scales each difference."""
    rng = np.random.default_rng(4)
    sides = simulated_people.collection(rng, players=200, matches=6000).assign(group="one")
    noise = sides["luck_adjusted_result"].to_numpy() - (_chance(sides, 1.0) - 0.5)
    sides["luck_adjusted_result"] = _chance(sides, truth) - 0.5 + noise
    (row,) = factor(sides, FORMULA).to_dict("records")
    assert row["n_matches"] == 6000
    assert abs(row["estimate"] - truth) < 3 * row["std_error"] < 0.4
    assert np.isnan(row["relative_error"])


def _chance(sides: pd.DataFrame, truth: float) -> np.ndarray:
    """Return the chance of each side by the ratings that the match alone gives."""
    other = sides.groupby("file")["rating"].transform("sum") - sides["rating"]
    behind = truth * (other - sides["rating"]).to_numpy()
    return win_probability(behind, sides["match_length"].to_numpy(float))


def test_the_collections_that_people_come_from() -> None:
    """By an independent recomputation: one man 1.02 ± .065, strong and title 1.33 ± .10."""
    table = factor(frozen_losses("1.08"), choose("fitted", "1.08").formula).set_index("group")
    assert list(table.index) == [*COLLECTIONS, ALL]
    estimates = table["estimate"]
    assert estimates["strong players"] > estimates["one man and his opponents"]
    off = table["estimate"] - 1
    assert table.loc[ALL, "relative_error"] >= np.hypot(off[ALL], table.loc[ALL, "std_error"]) > 0


def test_too_few_matches_have_no_factor() -> None:
    sides = simulated_people.collection(np.random.default_rng(1), matches=59).assign(group="one")
    assert factor(sides, FORMULA).empty
    assert per_pr(sides.head(10), FORMULA).empty


def test_the_rates_that_go_with_pr_are_those_that_were_put_in() -> None:
    """EPM is 0.0015 and the cube error per move 0.0007 a point of PR."""
    pr = np.linspace(2, 20, 80)
    sides = pd.DataFrame({"player": [f"p{k}" for k in range(80)], "match": np.arange(80)})
    sides = sides.assign(group="one", file="f", unforced_moves=800.0, close_cube_decisions=80.0)
    sides["chequer_error_emg"] = 0.0015 * pr * 800
    sides["cube_error_emg"] = (0.0022 - 0.0015) * pr * 800
    table = per_pr(sides, FORMULA).set_index("rate")
    assert table["slope"].tolist() == pytest.approx([0.0015, 0.0007])
    assert table["ratio"].tolist() == pytest.approx([0.0015, 0.0007])
    assert table["relative_error"].tolist() == pytest.approx([0.0, 0.0])
    assert table["std_error"].tolist() == pytest.approx([0.0, 0.0], abs=1e-12)


def test_the_share_of_close_decisions_is_a_line_by_weighted_least_squares() -> None:
    """As statsmodels fits it; by hand 600 and 500 moves have 1.1 and 0.9 of the decisions."""
    from statsmodels.api import WLS, add_constant

    rng = np.random.default_rng(1)
    moves = rng.integers(30, 200, 40)
    field = pd.DataFrame({"player": "many", "match_length": rng.integers(3, 24, 40)})
    field["unforced_moves"] = moves
    field["close_cube_decisions"] = rng.poisson(0.15 * moves)
    (row,) = close(field).to_dict("records")
    shares = field["close_cube_decisions"] / moves
    design = add_constant(1 / field["match_length"].to_numpy())
    expected = WLS(shares.to_numpy(), design, weights=moves).fit().params
    assert (row["share_const"], row["share_inv"]) == pytest.approx(tuple(expected))
    lines = [("a", n, 300, 66) for n in (3, 23)] + [("b", n, 250, 45) for n in (3, 23)]
    lines += [("c", 3, 499, 99), ("c", 1, 900, 0)]
    short = pd.DataFrame(lines, columns=field.columns)
    two = close(short).to_dict("records")[0]
    assert two["n_players"] == 2
    line = [two["share_const"] + two["share_inv"] / length for length in (3, 23)]
    ratios = [132 / (300 * sum(line)), 90 / (250 * sum(line))]
    assert two["relative_error"] == pytest.approx(np.std(ratios, ddof=1))
