"""What a deeper analysis finds: known factors come back, with honest intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simulated_studies as simulated
from law_depth import DEEPER, factors
from study.error_rates import ratio

KEPT = {"chequer": 0.9, "cube": 0.75}
RATES = {"epm": "chequer", "cube_per_move": "cube"}
MISTAKE = 0.05
STUDIES = 40
DEEP, SHALLOW = next(iter(DEEPER.items()))


def drawn_pairs(rng: np.random.Generator, pairs: int, matches: int) -> pd.DataFrame:
    """Return matches of pairs in which both players err."""
    players = simulated.sixteen()
    drawn = [rng.choice(len(players), 2, replace=False) for _ in range(pairs)]
    parts = []
    for one, other in drawn:
        both = {"players": [players[one]], "opponent": players[other]}
        parts.append(simulated.study(rng, lengths=(5,), matches=matches, **both))
    return pd.concat(parts, ignore_index=True).assign(rolls=60, match=np.arange(pairs * matches))


def judged_twice(rng: np.random.Generator, expected: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Draw the mistakes of matches; the deeper judge acquits each with the same chance.

    A match has a few mistakes of the cube, or none, so errors at both depths are far from
    proportional.
    """
    shallow, deep = expected.copy(), expected.copy()
    for side in ("player", "opponent"):
        for kind, chance in KEPT.items():
            name = f"{side}_{kind}_error_emg"
            mistakes = rng.poisson(expected[name] / MISTAKE)
            kept = rng.binomial(mistakes, chance)
            sizes = rng.gamma(np.column_stack([kept, mistakes - kept]), MISTAKE)
            shallow[name] = sizes.sum(axis=1)
            deep[name] = sizes[:, 0]
    return {SHALLOW: shallow, DEEP: deep}


@pytest.mark.slow
def test_intervals_from_eight_matches_a_pair_hold_the_factor() -> None:
    held = {rate: [] for rate in RATES}
    found = {rate: [] for rate in RATES}
    expected = drawn_pairs(np.random.default_rng(1), pairs=40, matches=8)
    for seed in range(STUDIES):
        table = factors(judged_twice(np.random.default_rng(seed), expected)).set_index("rate")
        for rate, kind in RATES.items():
            row = table.loc[rate]
            found[rate].append(row["factor"])
            held[rate].append(row["ci_low"] <= KEPT[kind] <= row["ci_high"])
            assert row["largest_share"] < 1 / 3
    low, high = stats.binom.ppf([1e-3, 1 - 1e-3], STUDIES, 0.9)
    for rate, kind in RATES.items():
        error = np.std(found[rate], ddof=1) / np.sqrt(STUDIES)
        assert abs(np.mean(found[rate]) - KEPT[kind]) < 3.5 * error < 0.02
        assert low <= sum(held[rate]) <= high, rate


def test_a_ratio_of_sums_and_its_jackknife_by_hand() -> None:
    """Without each of three units in turn the ratio is 3/4, 4/3 and 5/3."""
    found = ratio(np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 2.0]))
    without = [3 / 4, 4 / 3, 5 / 3]
    assert found["factor"] == pytest.approx(6 / 5)
    assert found["std_error"] == pytest.approx(np.sqrt(2 * np.var(without)))
    half = stats.t.ppf(0.95, 2) * found["std_error"]
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((6 / 5 - half, 6 / 5 + half))
    assert found["largest_share"] == pytest.approx(0.4)


def test_a_ratio_of_one_unit_has_no_interval() -> None:
    found = ratio(np.array([3.0]), np.array([2.0]))
    assert (found["factor"], found["largest_share"]) == (1.5, 1.0)
    assert np.isnan([found["std_error"], found["ci_low"], found["ci_high"]]).all()
