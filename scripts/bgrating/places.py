"""The folder of the data that the package needs, and the folder of results."""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
CHECKOUT = _PACKAGE.parents[1] if (_PACKAGE.parents[1] / "Snakefile").is_file() else None
"""The project's folder; None where the package is installed without it."""
DATA = CHECKOUT or _PACKAGE / "data"
"""The folder of `gnubg_configs`, `config`, `report` (templates) and the formulas and fields in `results`.

A wheel has copies of those that the product needs within the package (pyproject.toml).
"""
CALLER = "BGRATING_CALLER"
"""The variable in which ./run notes the folder that it was called from."""


def results_folder(given: str | Path | None = None) -> Path:
    """Return the folder of results: `given`, else `results` of the project.

    Outside the project (not through ./run, and the working directory not within it) it is ./bgrating-results.
    """
    if given:
        return Path(given)
    here = Path.cwd()
    if CHECKOUT and (CALLER in os.environ or here.is_relative_to(CHECKOUT)):
        return Path("results") if here == CHECKOUT else CHECKOUT / "results"
    return Path("bgrating-results")
