"""People's matches as GNU Backgammon 1.07.001 judged them at 0-, 1- and 2-ply (the source's own text exports).

The law at another depth rests on noisy players; people err otherwise. Their chequer errors shrink as those of noise do,
their cube errors do not: what 0-ply takes for an error of the cube, 2-ply often clears them of.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from bgrating.rating.choose import choose
from bgrating.rating.files import depth_table
from bgrating.rating.player import Errors, rating

NETS = "1.07.001"
COUNTED = ["chequer_error_emg", "unforced_moves", "cube_error_emg", "close_or_actual_cube"]
DRAWS = 400

Floats = NDArray[np.float64]


@pytest.fixture(scope="module", name="judged")
def _judged(shared: Path) -> dict[int, pd.DataFrame]:
    """Return the rows of the matches that two depths judged, by the deeper one's plies; columns of 0-ply end in _0."""
    text = pd.read_csv(shared / "matches/lassehjorthmadsen+bglab/oracle/gnubg_match_statistics.csv")
    text = text[text["match_length"] > 1]
    text[COUNTED] = text[COUNTED].abs()
    key = ["source_set", "match", "player_column"]
    shallow = text[text["analysis_plies"] == 0]
    return {
        plies: text[text["analysis_plies"] == plies].merge(shallow, on=key, suffixes=("", "_0")) for plies in (1, 2)
    }


def ratios(table: pd.DataFrame) -> Floats:
    sums = table[[*COUNTED, *(f"{name}_0" for name in COUNTED)]].sum()
    return np.array([sums[f"{kind}_error_emg"] / sums[f"{kind}_error_emg_0"] for kind in ("chequer", "cube")])


def intervals(table: pd.DataFrame) -> Floats:
    rng = np.random.default_rng(1)
    rows = list(table.groupby(["source_set", "match"]).indices.values())
    draws = [
        ratios(table.iloc[np.concatenate([rows[one] for one in rng.integers(len(rows), size=len(rows))])])
        for _ in range(DRAWS)
    ]
    return np.quantile(draws, [0.05, 0.95], axis=0).T


def errors(table: pd.DataFrame, end: str) -> Errors:
    columns = (table[f"{name}{end}"].to_numpy(float) for name in COUNTED)
    chequer, moves, cube, _ = columns
    return Errors(table["match_length"].to_numpy(float), chequer, moves, cube, moves)


def test_peoples_chequer_errors_shrink_as_those_of_noise_do_and_cube_errors_more(
    judged: dict[int, pd.DataFrame],
) -> None:
    noise = pd.read_csv(depth_table(NETS)).set_index(["level", "rate"])
    for plies, table in judged.items():
        found, (chequer, cube) = ratios(table), intervals(table)
        print(f"{plies}-ply: {len(table) // 2} matches, EPM {found[0]:.3f} {chequer.round(3)}", end="; ")
        print(f"cube error per unforced move {found[1]:.3f} {cube.round(3)}")
    _, (chequer, cube) = ratios(judged[2]), intervals(judged[2])
    epm = noise.loc[("2-ply", "epm")]
    assert chequer[0] < epm["ci_high"]
    assert epm["ci_low"] < chequer[1]
    assert cube[1] < noise.loc[("2-ply", "cube_per_move"), "ci_low"]


def test_two_plies_rate_a_player_a_little_higher(judged: dict[int, pd.DataFrame]) -> None:
    """One player's 928 matches: 14 points, half of them by the cube; the bounds were set after a look at that."""
    own = judged[2][judged[2]["player"] == "lasse"]
    shallow, deep = (
        rating(errors(own, end), choose("fitted", NETS, level).formula, 2050.0)
        for end, level in (("_0", "0-ply"), ("", "2-ply"))
    )
    print(f"{len(own)} matches: {shallow.value:.1f} by 0-ply, {deep.value:.1f} by 2-ply")
    assert 5.0 < deep.value - shallow.value < 20.0
    # By the formula for 0-ply what 2-ply finds would be worth less still.
    unmoved = rating(errors(own, ""), choose("fitted", NETS).formula, 2050.0)
    assert unmoved.value > deep.value + 4.0
