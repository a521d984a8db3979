"""Read a match that another program saved: the suffix of the file chooses the reader."""

from bgrating.files.bgf import read_document
from bgrating.files.program_file import Figures, matched
from bgrating.files.sgf import read_sgf
from bgrating.files.xg import read_xg
from bgrating.matchtext.model import Match


def read_saved(data: bytes, suffix: str) -> tuple[Match, Figures | None]:
    """Return the match of a file and its program's figures for left and right; the figures None without an analysis.

    An analysis in a file is not used for ratings. Raises SavedError.
    """
    if suffix == ".xg":
        return read_xg(data)
    return matched(read_sgf(data) if suffix == ".sgf" else read_document(data, suffix), suffix)
