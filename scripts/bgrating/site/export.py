"""One file to send: the page of a match or a player without links to other pages."""

import os
from pathlib import Path

from bgrating.settings import SettingsError
from bgrating.tables.folder import made_as, marked
from bgrating.tables.provenance import write_atomic

_NAME = "export"
"""The name under which files to send are marked as ours: their user gives them others."""


def check_export(file: Path) -> None:
    """Raise SettingsError where a file cannot be written, or is not one that this program made."""
    if file.suffix.lower() != ".html":
        raise SettingsError(f"--export {file}: name a page (.html)")
    if not file.absolute().parent.is_dir():
        raise SettingsError(f"--export {file}: there is no folder {file.parent}")
    if file.is_dir():
        raise SettingsError(f"--export {file}: that is a folder; name a file in it")
    _require_ours(file)


def _require_ours(file: Path) -> None:
    if os.path.lexists(file) and made_as(file) != _NAME:
        raise SettingsError(
            f"--export {file}: bgrating did not make this file, or it was changed since; choose another name"
        )


def require_one_page(file: Path, player: str, matches: int) -> None:
    if not player and matches != 1:
        raise SettingsError(f"--export {file}: one page is written, and there are {matches} matches; add --player NAME")


def export(text: str, file: Path) -> None:
    """Write a page that stands alone. Raises SettingsError where it is empty, since its player has no page."""
    if not text:
        raise SettingsError(f"--export {file}: this player has no page")
    _require_ours(file)
    write_atomic(file, marked(text, _NAME))
