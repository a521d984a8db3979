"""Run the simulations and put their rows together into the table of calibration."""

import importlib
import time
import tomllib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from calibration.rows import Row, Scale

SEED = 63
SIMULATIONS = ("people", "practice", "league", "calc", "duel")
"""The modules of this folder with a function `rows`, in the order of the table."""
KIND = "calibration/calibration"
WHOLE = Scale()
ERRORS = 2.6
"""Standard errors by which a row of a reduced run must miss the rule to be said to miss it."""


def figures() -> dict[str, Any]:
    """Return figures.toml: about every figure, and `none`."""
    return tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))


def simulated(scale: Scale, names: Sequence[str] = SIMULATIONS) -> Iterator[Row]:
    """Yield the rows of the named simulations; the seed of each is fixed by its name."""
    for name in names:
        rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
        yield from importlib.import_module(f"calibration.{name}").rows(scale, rng)


def write(path: Path, scale: Scale = WHOLE, names: Sequence[str] = SIMULATIONS) -> None:
    """Simulate, print each row as it comes, and write the table."""
    began, about, found = time.process_time(), figures(), []
    for row in simulated(scale, names):
        own = about[row.figure]
        misses = ", ".join(row.misses(0.0 if scale.share >= 1 else ERRORS)) or "none"
        found.append(
            {
                **asdict(row),
                **{name: own[name] for name in ("about", "unit", "reference")},
                "misses": misses,
            }
        )
        print(f"{row.figure}, {row.group}: misses {misses}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    minutes = round((time.process_time() - began) / 60, 1)
    write_table(
        pd.DataFrame(found)[columns(KIND)],
        path,
        KIND,
        seed=SEED,
        share=scale.share,
        cpu_minutes=minutes,
    )
