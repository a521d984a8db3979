"""Read the matches of a file: its first bytes choose the reader, else its suffix."""

import importlib
import re
from contextlib import suppress
from types import ModuleType

from bgmatch.errors import MatchTextError
from bgmatch.formats import fibs
from bgmatch.formats.program_file import PROGRAMS, Saved, SavedError, matched
from bgmatch.formats.sgf import read_sgf
from bgmatch.model import Match, MatchFile, XgFigures
from bgmatch.read import read_matches

REFUSED = {
    ".xgp": (
        "a single position of eXtreme Gammon: save the match as .xg, or export the match as text"
        " (.mat or .txt)"
    ),
    **dict.fromkeys(
        (".sgg", ".tmg", ".gam", ".pos", ".bkg"),
        "a format that only gnubg reads: open it there and save it as .mat",
    ),
}
"""Reasons by the suffixes of formats that are not read."""
# Names of archives by their first bytes.
_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"Rar!\x1a\x07": "rar",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
# First bytes by the suffix of their format.
_STARTS = {
    ".xg": re.compile(b"RGMH"),
    ".bgf": re.compile(rb"\{[^\n]*\"BGF\""),
    ".sgf": re.compile(rb"(?s)[\s\xef\xbb\xbf]*\(\s*;(?=.*GM\[6\])"),
    ".tmg": re.compile(rb"(?i)\s*MatchID\s*:"),
    **fibs.STARTS,
}


def read_file(data: bytes, suffix: str) -> MatchFile:
    """Return the matches of a file of any format, with XG's figures if XG analysed it.

    The first bytes tell the format, or else the suffix. A file of an unknown suffix is read as a
    text. The analysis of other programs in a file is not read.

    Parameters
    ----------
    data
        The bytes of the file.
    suffix
        The ending of its name: ".mat", ".txt", ".xg", ".sgf", ".bgf", ".match", ".gmd", ".ogxm",
        ".gvab" or ".oldmoves".

    Raises
    ------
    SavedError, MatchTextError
        The file holds no match that can be read, or the library for its format is missing. The
        message has the reason and the remedy. Both are a BgmatchError.
    """
    kind = _kind(data, suffix.lower())
    if kind not in PROGRAMS and kind not in REFUSED:
        return read_matches(data)
    try:
        return _read_saved(data, kind)
    except SavedError:
        with suppress(MatchTextError):
            text = read_matches(data)
            if any(match.rolls for match in text.matches):
                return text
        raise


def read_saved(data: bytes, suffix: str) -> tuple[Match, XgFigures | None]:
    """Return the match of another program's file, and XG's figures if XG analysed it.

    The suffix alone tells the format, unlike in `read_file`. Raises SavedError.
    """
    file = _read_saved(data, suffix)
    return file.matches[0], file.figures


def _kind(data: bytes, suffix: str) -> str:
    """Return the suffix of the format that the first bytes show, or else the file's own.

    Raises SavedError.
    """
    archive = next((name for start, name in _ARCHIVES.items() if data.startswith(start)), "")
    archive = "tar" if data[257:262] == b"ustar" else archive
    if archive:
        raise SavedError(f"an archive ({archive}): unpack it, or pack the files as .zip")
    shown = next((kind for kind, start in _STARTS.items() if start.match(data[:2000])), "")
    return suffix if suffix == ".xgp" else shown or suffix


def _read_saved(data: bytes, suffix: str) -> MatchFile:
    if suffix in REFUSED:
        raise SavedError(REFUSED[suffix])
    saved: Saved
    if suffix == ".sgf":
        saved = read_sgf(data, suffix)
    elif suffix in fibs.STARTS:
        saved = fibs.read_fibs(data, suffix)
    elif suffix == ".xg":
        saved = _reader("xg").read_xg(data, suffix)
    else:
        saved = _reader("bgf").read_document(data, suffix)
    return matched(saved, suffix)


def _reader(extra: str) -> ModuleType:
    """Import the module of a format whose library is an extra of the same name."""
    try:
        return importlib.import_module(f"bgmatch.formats.{extra}")
    except ModuleNotFoundError as missing:
        raise SavedError(
            f"{missing}; this file needs an extra;"
            f" in a clone of bgrating: pip install './scripts/bgmatch[{extra}]'"
        ) from None
