"""Read a match that another program saved: the suffix of the file chooses the reader."""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from bgmatch.formats.fibs import read_fibs
from bgmatch.formats.program_file import Saved, matched
from bgmatch.formats.sgf import read_sgf
from bgmatch.model import Match

if TYPE_CHECKING:
    from bgmatch.formats.xg import Figures


def read_saved(data: bytes, suffix: str) -> "tuple[Match, Figures | None]":
    """Return the match of a file, and XG's figures of left and right if XG analysed it. Raises SavedError.

    Ratings do not use the analysis in a file. Raises ModuleNotFoundError if the library for the format is missing.
    """
    if suffix == ".xg":
        analysed: tuple[Match, Figures | None] = _reader("xg").read_xg(data)
        return analysed
    saved: Saved
    if suffix == ".sgf":
        saved = read_sgf(data)
    elif suffix in {".match", ".gmd"}:
        saved = read_fibs(data, suffix)
    else:
        saved = _reader("bgf").read_document(data, suffix)
    return matched(saved, suffix), None


def _reader(extra: str) -> ModuleType:
    """Import the module of a format whose library is an extra of the same name."""
    try:
        return importlib.import_module(f"bgmatch.formats.{extra}")
    except ModuleNotFoundError as missing:
        message = f"{missing}: this file needs pip install 'bgmatch[{extra}]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
