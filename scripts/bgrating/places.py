"""Where things stand: the data that the package needs, and the folder that results go to.

A checkout keeps its data in folders of its own, a wheel within the package (pyproject.toml).
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]
CHECKOUT = _CHECKOUT if (_CHECKOUT / "Snakefile").is_file() else None
"""The project's folder; None where the package is installed without it."""
DATA = {"gnubg_configs": "gnubg_configs", "schemas": "config/schemas", "templates": "report", "results": "results"}
"""Folders of data by name, and where a checkout has them."""
CALLER = "BGRATING_CALLER"
"""The variable in which ./run notes the folder that it was called from."""


def data_folder(name: str) -> Path:
    """Return a folder of DATA: that of the checkout, or the copy in the wheel."""
    return CHECKOUT / DATA[name] if CHECKOUT else _PACKAGE / "data" / name


def results_folder(given: str | Path | None = None) -> Path:
    """Return the folder that results go to: the one that is given, else `results` of the project.

    Outside the project (no ./run, and the working directory not within it) it is ./bgrating-results.
    """
    if given:
        return Path(given)
    if CHECKOUT and (CALLER in os.environ or Path.cwd().is_relative_to(CHECKOUT)):
        return CHECKOUT / "results"
    return Path("bgrating-results")
