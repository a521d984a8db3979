"""Recognise another opening position than backgammon's by the plays that begin a game."""

from bgmatch import board
from bgmatch.model import Roll, Verdict
from bgmatch.position import read_letters
from bgmatch.replay import GameRecord, Replay, begun

# The points at the start of other games, in the letters of an XGID.
_STARTS = {
    "NackGammon": "-bb---D-C---dD---c-d---BB-",
    "LongGammon": "-o----------------------O-",
    "HyperGammon": "-aaa------------------AAA-",
}
_LEGAL = {Verdict.PLAYED, Verdict.DANCED, Verdict.FORCED, Verdict.RESIGNED}
# Fewest rolls of a game that can show another opening position.
_FEWEST = 6
# Rolls that must be legal beyond the one that backgammon forbids, or all of the game.
_MORE = 8


def variation_of(record: GameRecord) -> str:
    """Return the game whose opening position the plays fit; empty for backgammon or none."""
    rolls = sum(cell.kind == "roll" for cell in record.cells)
    if any(cell.kind == "position" for cell in record.cells):
        return ""
    as_backgammon = _legal_rolls(begun(record))
    least = max(_FEWEST, min(rolls, as_backgammon + _MORE))
    for name, letters in _STARTS.items():
        state = begun(record)
        state.sides = board.chequers(read_letters(letters))
        if _legal_rolls(state) >= least:
            return name
    return ""


def _legal_rolls(state: Replay) -> int:
    """Return how many rolls are legal, up to the first that is not."""
    legal = 0
    for cell in state.record.cells:
        state.add(cell)
        if cell.kind == "roll":
            last = state.actions[-1]
            if not isinstance(last, Roll) or last.verdict not in _LEGAL:
                break
            legal += 1
    return legal
