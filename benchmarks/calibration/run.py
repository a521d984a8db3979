"""Run the simulations and put their rows together into the table of calibration."""

import importlib
import itertools
import time
import tomllib
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from calibration.rows import UNITS, Row, Scale

SEED = 63
SIMULATIONS = ("people", "held_out", "practice", "league", "systems", "calc", "duel")
"""The modules of this folder with a function `rows`, in the order of the table."""
KIND = "calibration/calibration"
WHOLE = Scale()
ERRORS = 2.6
"""Standard errors by which a row with fewer than UNITS must miss the rule to be said to miss it."""


def figures() -> dict[str, Any]:
    """Return figures.toml: about every figure, and `none`."""
    return tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))


def simulated(scale: Scale, names: Sequence[str] = SIMULATIONS) -> Iterator[Row]:
    """Yield the rows of the named simulations; the seed of each is fixed by its name."""
    for name in names:
        rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
        yield from importlib.import_module(f"calibration.{name}").rows(scale, rng)


def timed(scale: Scale, name: str) -> tuple[list[Row], float]:
    """Return the rows of a simulation, and the CPU time that they took in minutes."""
    began = time.process_time()
    rows = list(simulated(scale, [name]))
    return rows, (time.process_time() - began) / 60


def write(path: Path, scale: Scale = WHOLE, names: Sequence[str] = SIMULATIONS) -> None:
    """Run the simulations on all cores, print their rows, and write the table."""
    with ProcessPoolExecutor() as pool:
        write_rows(path, list(pool.map(timed, [scale] * len(names), names)))


def write_rows(path: Path, parts: Sequence[tuple[list[Row], float]]) -> None:
    """Print the rows of simulations, and write them as the table."""
    about = figures()
    found = []
    for row in itertools.chain.from_iterable(rows for rows, _ in parts):
        own = about[row.figure]
        misses = ", ".join(row.misses(0.0 if row.units >= UNITS else ERRORS)) or "none"
        said = {name: own[name] for name in ("about", "unit", "reference")}
        missed = "" if misses == "none" else own.get("missed", "")
        found.append({**asdict(row), **said, "misses": misses, "missed": missed})
        print(f"{row.figure}, {row.group}: misses {misses}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(
        pd.DataFrame(found)[columns(KIND)],
        path,
        KIND,
        seed=SEED,
        cpu_minutes=round(sum(minutes for _, minutes in parts), 1),
    )
