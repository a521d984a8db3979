"""One file to send: the page of a match or a player without links to other pages, or a player's picture."""

import base64
import os
import re
from pathlib import Path

from bgrating.settings import SettingsError
from bgrating.tables.folder import made_as, marked
from bgrating.tables.provenance import write_atomic

MOST = 500_000
"""Bytes of a page to send."""
FORMS = (".html", ".svg")
_NAME = "export"
"""The name under which files to send are marked as ours: their user gives them others."""
_NAV = re.compile(r"<nav .*?</nav>\n", re.DOTALL)
_LINK = re.compile(r'<a href="(?!#|data:)[^"]*">(.*?)</a>')
_PAGES = re.compile(r'"page":\[[^\]]*\]')
_PICTURE = re.compile(r'href="data:image/svg\+xml;base64,([^"]+)" download')
_ROWS = re.compile(r"<h2>All matches</h2>(?P<head>.*?<tbody>\n)(?P<rows>.*?)</tbody>", re.DOTALL)
_TITLE = "<h2>The latest {:,} matches</h2>"


def check_export(file: Path, player: str) -> None:
    """Raise SettingsError where a file cannot be written, or is not one that this program made."""
    if file.suffix.lower() not in FORMS:
        raise SettingsError(f"--export {file}: name a page (.html) or a player's picture (.svg)")
    if file.suffix.lower() == ".svg" and not player:
        raise SettingsError(f"--export {file}: only a player has a picture; name one with --player")
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


def export(page: Path, file: Path) -> None:
    """Write a page of a player or a match, or the player's picture, to one file; its suffix decides which.

    The page holds everything that it shows. Of a player's matches the latest are listed, as far as there is room.
    Raises SettingsError where a player has no page, or his page has no picture.
    """
    text = page.read_text(encoding="utf-8").partition("\n")[2]  # without its mark
    picture = _PICTURE.search(text)
    if "/" not in made_as(page) or (file.suffix.lower() == ".svg" and not picture):
        raise SettingsError(f"--export {file}: this player has no page of his own")
    _require_ours(file)
    if file.suffix.lower() == ".svg" and picture:
        write_atomic(file, marked(base64.b64decode(picture[1]).decode(), _NAME))
        return
    text = _PAGES.sub('"page":[]', _LINK.sub(r"\1", _NAV.sub("", text, count=1)))
    excess = len(marked(text, _NAME)) - MOST
    if excess > 0:
        text = _ROWS.sub(lambda match: _latest(match, excess + len(_TITLE)), text)
    write_atomic(file, marked(text, _NAME))


def _latest(listed: re.Match[str], excess: int) -> str:
    """Return a list of matches without the first ones, which take `excess` bytes or more."""
    lines = listed["rows"].splitlines(keepends=True)
    while lines and excess > 0:
        excess -= len(lines.pop(0).encode())
    return f"{_TITLE.format(len(lines))}{listed['head']}{''.join(lines)}</tbody>"
