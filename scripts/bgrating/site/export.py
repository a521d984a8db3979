"""Export one file to send: the page of a match or a player without links to other pages."""

import os
from pathlib import Path

from bgrating.settings_files import SettingsError
from bgrating.tables.folder import marked, page_name
from bgrating.tables.provenance import write_atomic

_NAME = "export"
"""The name in the mark of exported files, since the user chooses the file name."""


def check_export(file: Path) -> None:
    """Raise SettingsError if a file cannot be written, or exists and was not made by this
    program.
    """
    if file.suffix.lower() != ".html":
        raise SettingsError(f"--export {file}: name a page (.html)")
    if not file.absolute().parent.is_dir():
        raise SettingsError(f"--export {file}: there is no folder {file.parent}")
    if file.is_dir():
        raise SettingsError(f"--export {file}: that is a folder; name a file in it")
    _require_ours(file)


def _require_ours(file: Path) -> None:
    if os.path.lexists(file) and page_name(file) != _NAME:
        raise SettingsError(
            f"--export {file}: bgrating did not make this file, or it was changed since; choose"
            " another name"
        )


def require_one_page(file: Path, player: str, matches: int) -> None:
    if not player and matches != 1:
        raise SettingsError(
            f"--export {file}: one page is written, and there are {matches} matches; add --player"
            " NAME"
        )


def export(text: str, file: Path) -> None:
    """Write a page without links.

    Raises SettingsError for an empty text: the player has no page.
    """
    if not text:
        raise SettingsError(f"--export {file}: this player has no page")
    _require_ours(file)
    write_atomic(file, marked(text, _NAME))
