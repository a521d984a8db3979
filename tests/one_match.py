"""The errors of one match, for tests that rate it by hand."""

import numpy as np

from bgrating.rating.player import Errors


def one(length: float, chequer: float, moves: float, cube: float, decisions: float) -> Errors:
    return Errors(*(np.array([value], dtype=float) for value in (length, chequer, moves, cube, decisions)))
