"""The shape of errors: noise mixed by hand."""

import numpy as np
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
    mixed = shape._mixed_sizes(levels, shape.DECISIONS["chequer play"], 0.02, np.random.default_rng(0))
    assert mixed is not None
    assert mixed.share[0, 0] == pytest.approx(0.85)
    assert mixed.loss[0].sum() == pytest.approx(0.02)
    assert mixed.loss[0, 8] / mixed.loss[0].sum() == pytest.approx(0.25)
