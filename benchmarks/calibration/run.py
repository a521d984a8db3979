"""Run the simulations and put their rows together into the table of calibration."""

import importlib
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.rows import Row, Scale

SEED = 63
SIMULATIONS: tuple[str, ...] = ()
"""The modules of this folder with a function `rows`, in the order of the table."""


def simulated(scale: Scale, names: Sequence[str] = SIMULATIONS) -> Iterator[Row]:
    """Yield the rows of the named simulations; the seed of each is fixed by its name."""
    for name in names:
        rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
        yield from importlib.import_module(f"calibration.{name}").rows(scale, rng)
