"""The folder of the data that the package needs, and the folder of results."""

import os
from collections.abc import Mapping
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


OWN_KINDS = ("designs", "levels", "engines")
_own: dict[str, Path] = {}


def use_own(settings: Mapping[str, object]) -> None:
    """Take designs, levels and engines of the user's own beside the project's, before any is read.

    `settings` has the path of a folder, or of a single file, under a name of OWN_KINDS; others do not count. Paths are
    relative to the working folder.
    """
    _own.clear()
    _own.update({kind: Path(str(settings[kind])) for kind in OWN_KINDS if settings.get(kind)})


def own_files(kind: str, folder: str = "") -> dict[str, Path]:
    """Return the user's own files of a kind of OWN_KINDS by their names.

    With `folder` they are those of that folder within, if it is there. An own file must not have the name of one of the
    project's; who reads them checks that.
    """
    place = _own.get(kind)
    if place is None:
        return {}
    if place.is_file():
        return {} if folder == "analysis" else {place.stem: place}
    within = place / folder
    chosen = place if folder == "players" and not within.is_dir() else within
    return {path.stem: path for path in sorted(chosen.glob("*.yaml"))}


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
