"""A simulated Part II whose formula is known."""

import numpy as np
import pytest

import simulated
from played_by import played


@pytest.fixture(scope="module")
def part2():
    return played("part2", simulated.study(np.random.default_rng(2), lengths=(3, 5), matches=150))
