"""Luck and errors of the same match."""

import numpy as np
import pandas as pd

from study.people.luck import luck


def test_luck_that_follows_lost_chances_is_told_from_luck_that_follows_pr() -> None:
    rng, count = np.random.default_rng(1), 4000
    lost = rng.gamma(4.0, 0.02, (count, 2))
    table = pd.DataFrame({"match_length": 7, "player": "a", "opponent": "b"}, index=range(count))
    for place, side in enumerate(("player", "opponent")):
        table[f"{side}_chequer_error_mwc"] = lost[:, place]
        table[f"{side}_chequer_error_emg"] = rng.gamma(4.0, 0.2, count)
        table[f"{side}_cube_error_mwc"] = table[f"{side}_cube_error_emg"] = 0.0
        table[f"{side}_unforced_moves"], table[f"{side}_close_cube_decisions"] = 60, 10
        table[f"{side}_luck_mwc"] = 2 * lost[:, place] + rng.normal(0, 0.1, count)
    (row,) = luck({"study": table}).to_dict("records")
    assert row["correlation_mwc"] > 0.3
    assert abs(row["correlation"]) < 0.05
    assert abs(row["luck"]) < 3 * row["std_error"]
    assert row["n_matches"] == count
