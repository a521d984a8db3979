"""Read the match texts that backgammon programs and sites write, without an engine.

``read_matches`` turns the bytes of one file into matches, ``write_mat`` turns a match into a clean
text for the engine, and ``content_key`` tells whether two matches hold the same rolls and plays.
"""

from bgrating.matchtext.model import (
    LEFT,
    RIGHT,
    CubeAction,
    CubeKind,
    Finding,
    Game,
    GameResult,
    Match,
    MatchFile,
    MatchPlayer,
    Roll,
    Verdict,
)
from bgrating.matchtext.read import read_matches
from bgrating.matchtext.sections import MatchTextError
from bgrating.matchtext.write import content_key, write_mat

__all__ = [
    "LEFT",
    "RIGHT",
    "CubeAction",
    "CubeKind",
    "Finding",
    "Game",
    "GameResult",
    "Match",
    "MatchFile",
    "MatchPlayer",
    "MatchTextError",
    "Roll",
    "Verdict",
    "content_key",
    "read_matches",
    "write_mat",
]
