"""Backgammon matches as data: read, repaired, replayed and written without an engine.

``read_file`` turns the bytes of a file into matches, whatever its format; ``read_matches`` takes a
text (.mat, .txt) alone. ``positions`` replays a game, ``write_mat`` writes a clean text. Matches
with the same rolls and plays have the same ``content_key``. The module ``model`` has the types of
games, rolls, cube actions and findings.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bgmatch.errors import BgmatchError, MatchTextError
    from bgmatch.formats.program_file import SavedError
    from bgmatch.formats.saved import read_file, read_saved
    from bgmatch.model import Match, MatchFile
    from bgmatch.read import read_matches
    from bgmatch.replay import positions
    from bgmatch.write import content_key, write_mat

__version__ = "0.1.0"
__all__ = [
    "BgmatchError",
    "Match",
    "MatchFile",
    "MatchTextError",
    "SavedError",
    "content_key",
    "positions",
    "read_file",
    "read_matches",
    "read_saved",
    "write_mat",
]
# Each public name's module, loaded on first use: the reader takes longer to load than a short
# command.
_PUBLIC = {
    "BgmatchError": "bgmatch.errors",
    "Match": "bgmatch.model",
    "MatchFile": "bgmatch.model",
    "MatchTextError": "bgmatch.errors",
    "SavedError": "bgmatch.formats.program_file",
    "content_key": "bgmatch.write",
    "positions": "bgmatch.replay",
    "read_file": "bgmatch.formats.saved",
    "read_matches": "bgmatch.read",
    "read_saved": "bgmatch.formats.saved",
    "write_mat": "bgmatch.write",
}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # else every misspelt name would have the type Any

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'bgmatch' has no attribute {name!r}")
        return getattr(importlib.import_module(_PUBLIC[name]), name)
