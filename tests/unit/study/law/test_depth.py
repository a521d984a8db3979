"""What a deeper analysis finds: known factors come back with honest intervals, and move the law's coefficients."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simulated
from study.law import DEEPER
from study.law.depth import factors

EPM, CUBE = 0.9, 1.2
DEEP, SHALLOW = next(iter(DEEPER.items()))


def judged_deeper(matches: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Give every match errors that are those of 0-ply times a factor that scatters from match to match."""
    errors = {
        f"{side}_{kind}_error_emg": matches[f"{side}_{kind}_error_emg"] * rng.normal(factor, 0.3, len(matches))
        for side in ("player", "opponent")
        for kind, factor in (("chequer", EPM), ("cube", CUBE))
    }
    return matches.assign(**errors)


@pytest.mark.slow
def test_known_factors_come_back_and_intervals_hold_them() -> None:
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        matches = simulated.study(rng, lengths=(5,), matches=40).assign(rolls=60)
        table = factors({SHALLOW: matches, DEEP: judged_deeper(matches, rng)}).set_index("rate")
        for rate, truth in (("epm", EPM), ("cube_per_move", CUBE), ("epc", CUBE)):
            row = table.loc[rate]
            held.append(row["ci_low"] <= truth <= row["ci_high"])
            assert row["factor"] == pytest.approx(truth, abs=0.1)
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], len(held) // 2, 0.9)  # epc and cube_per_move share their errors
    assert low / (len(held) // 2) <= np.mean(held) <= max(high / (len(held) // 2), 0.97)
