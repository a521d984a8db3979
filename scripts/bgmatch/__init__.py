"""Read the match texts that backgammon programs and sites write, without an engine.

``read_matches`` turns the bytes of one file into matches. ``write_mat`` turns a match into a clean text for the engine.
Matches with the same rolls and plays have the same ``content_key``.
"""

from bgmatch.read import read_matches
from bgmatch.write import write_mat

__all__ = ["read_matches", "write_mat"]
