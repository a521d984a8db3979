"""Read a match that another program saved: the suffix of the file chooses the reader."""

from bgrating.files.bgf import read_document
from bgrating.files.fibs import read_fibs
from bgrating.files.program_file import matched
from bgrating.files.sgf import read_sgf
from bgrating.files.xg import Figures, read_xg
from bgrating.matchtext.model import Match


def read_saved(data: bytes, suffix: str) -> tuple[Match, Figures | None]:
    """Return the match of a file, and XG's figures of left and right if XG analysed it. Raises SavedError.

    Ratings do not use the analysis in a file.
    """
    if suffix == ".xg":
        return read_xg(data)
    if suffix == ".sgf":
        saved = read_sgf(data)
    elif suffix in {".match", ".gmd"}:
        saved = read_fibs(data, suffix)
    else:
        saved = read_document(data, suffix)
    return matched(saved, suffix), None
