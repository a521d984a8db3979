"""The regression by itself."""

import numpy as np
from scipy.sparse import csr_array

from bgrating.league.regression import separable


def test_separable_finds_what_no_single_row_shows() -> None:
    design = csr_array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    wins, losses = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    assert separable(design, wins, losses)
    assert separable(design, wins, np.array([1.0, 1.0, 0.0]))
    assert not separable(design, np.ones(3), np.ones(3))
    assert not separable(csr_array([[1.0], [-1.0]]), np.ones(2), np.zeros(2))
