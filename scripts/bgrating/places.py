"""Find the folders of the package's data, of the user's own settings, and of results."""

import os
from collections.abc import Mapping
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
CHECKOUT = _PACKAGE.parents[1] if (_PACKAGE.parents[1] / "Snakefile").is_file() else None
"""The project's folder; None for an installed package."""
DATA = CHECKOUT or _PACKAGE / "data"
"""The folder of `gnubg_configs`, `config`, `report` (templates) and the formulas and fields in
`results`.

A wheel has copies of those that the product needs within the package (pyproject.toml).
"""
TOURNAMENT = DATA / "config" / "tournament.yaml"
"""Match length, seed, analysis and sides of a round robin; decide takes the first three too."""
CALLER = "BGRATING_CALLER"
"""The environment variable with the folder that ./run was called from."""

USER_KINDS = ("designs", "levels", "engines")
_user_paths: dict[str, Path] = {}


def use_user_files(settings: Mapping[str, object]) -> None:
    """Add the user's own designs, levels and engines to the project's. Call it before any is read.

    `settings` has the path of a folder, or of a single file, under a name of USER_KINDS; other keys
    are ignored. Paths are relative to the working folder.
    """
    _user_paths.clear()
    _user_paths.update(
        {kind: Path(str(settings[kind])) for kind in USER_KINDS if settings.get(kind)}
    )


def user_files(kind: str, folder: str = "") -> dict[str, Path]:
    """Return the user's own files of a kind of USER_KINDS by their names.

    `folder` names a folder within. Without a folder `players`, levels lie directly in the user's
    folder. The reader of a file refuses a name that the project uses
    (`settings_files.read_settings`).
    """
    path = _user_paths.get(kind)
    if path is None:
        return {}
    if path.is_file():
        return {} if folder == "analysis" else {path.stem: path}
    within = path / folder
    chosen = path if folder == "players" and not within.is_dir() else within
    return {path.stem: path for path in sorted(chosen.glob("*.yaml"))}


def results_folder(folder: str | Path | None = None) -> Path:
    """Return the folder of results: `folder`, else `results` of the project.

    A command that neither ./run starts nor the project's folder contains writes to
    ./bgrating-results.
    """
    if folder:
        return Path(folder)
    here = Path.cwd()
    if CHECKOUT and (CALLER in os.environ or here.is_relative_to(CHECKOUT)):
        return Path("results") if here == CHECKOUT else CHECKOUT / "results"
    return Path("bgrating-results")
