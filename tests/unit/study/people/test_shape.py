"""The shape of errors: noise mixed by hand."""

import pandas as pd
import pytest

from study.people import shape


def test_noise_is_mixed_to_the_error_rate_of_people() -> None:
    levels = pd.DataFrame(
        {
            "chequer_noise": [0.01, 0.02], "unforced_moves": [100, 100], "chequer_error_emg": [1.0, 3.0],
            "chequer_error_sizes": ["90 0 0 0 0 0 0 0 10 0 0 0", "80 0 0 0 0 0 0 0 0 20 0 0"],
            "chequer_loss_by_size": ["0 0 0 0 0 0 0 0 10000 0 0 0", "0 0 0 0 0 0 0 0 0 30000 0 0"],
        }
    )  # fmt: skip
    levels[["cube_error_sizes", "cube_loss_by_size"]] = "1 0 0 0 0 0 0 0 0 0 0 0"
    levels = levels.assign(cube_noise=0.0, cube_error_emg=0.0, total_cube_decisions=1)
    people = levels.assign(file="a.mat", match=1, chequer_error_emg=2.0)
    found = shape.sizes(people, levels)
    noise = found[(found["what"] == "chequer play") & (found["source"] == "noise")].set_index("bin")
    assert noise.loc[0, "share"] == pytest.approx(0.85)
    assert noise.loc[8, "loss_share"] == pytest.approx(0.25)
    assert noise.loc[9, "loss_share"] == pytest.approx(0.75)
    assert noise["error_rate"].unique() == pytest.approx(0.02)
