"""What a deeper analysis finds: known factors come back with honest intervals, and move the law's coefficients."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simulated
from bgrating.rating.choose import at_depth, by_level
from bgrating.rating.files import formula_file
from bgrating.rating.formula import read_formula
from study.formula.cells import UnusableMatchesError
from study.law import DEEPER
from study.law.depth import checks, factors, same_matches
from study.rates import differences

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


def test_other_matches_are_refused() -> None:
    rng = np.random.default_rng(1)
    matches = simulated.study(rng, lengths=(5,), matches=4).assign(rolls=50)
    other = matches.assign(actual_result=-matches["actual_result"])
    with pytest.raises(UnusableMatchesError, match="one and two do not hold the same matches"):
        same_matches(matches, other, ("one", "two"))


@pytest.mark.slow
def test_a_check_takes_results_of_all_matches_and_errors_of_those_judged() -> None:
    rng = np.random.default_rng(3)
    played = simulated.study(rng, lengths=(5,), matches=60).assign(rolls=60)
    judged = judged_deeper(played, rng).groupby(["player", "opponent"]).head(40)
    law, found = (
        read_formula(formula_file("fitted", "1.07.001")),
        {"2-ply": {"epm": (EPM, 0.0), "cube_per_move": (CUBE, 0.0)}},
    )
    certain = replace(law, covariance=0 * law.covariance)
    table = checks({"appendix2-1-ply": played, "check-1-ply-players": judged}, certain, found)
    assert set(table["study"]) == {"check-1-ply-players"}
    assert (table["n_matches"] == 60).all()
    assert (table["n_judged"] == 40).all()
    alone = checks({"appendix2-1-ply": judged, "check-1-ply-players": judged}, certain, found)
    assert (alone["by_law_at_level"] == table["by_law_at_level"]).all()
    assert (alone["measured"] != table["measured"]).all()

    def by_law(matches: pd.DataFrame) -> float:
        rates = differences(matches).iloc[0]
        return float(certain.rating_difference(5, epm=rates["epm"] / EPM, epc=rates["cube_per_move"] / CUBE)[0])

    row = table.iloc[-1]
    own = judged[(judged["player"] == row["player"]) & (judged["opponent"] == row["opponent"])]
    again = [by_law(own.sample(len(own), replace=True, random_state=seed)) for seed in range(300)]
    assert row["by_law_at_level"] == pytest.approx(by_law(own))
    assert row["by_law_at_level_se"] == pytest.approx(np.std(again, ddof=1), rel=0.2)


def test_the_law_for_errors_found_deeper_gives_the_same_difference() -> None:
    law = read_formula(formula_file("fitted", "1.07.001"))
    table = pd.DataFrame(
        {"level": "2-ply", "rate": ["epm", "cube_per_move"], "factor": [EPM, CUBE], "std_error": [0.02, 0.1]}
    )
    deep = at_depth(law, by_level(table)["2-ply"])
    value, error = law.rating_difference(7, epm=0.01, epc=0.002)
    same, wider = deep.rating_difference(7, epm=0.01 * EPM, epc=0.002 * CUBE)
    assert same == pytest.approx(value)
    # The factors' errors by hand: each part of the difference times its factor's relative error.
    parts = (
        law.rating_difference(7, epm=0.01, epc=0)[0] * 0.02 / EPM,
        law.rating_difference(7, epm=0, epc=0.002)[0] / 12,
    )
    assert wider == pytest.approx(np.sqrt(error**2 + parts[0] ** 2 + parts[1] ** 2))
