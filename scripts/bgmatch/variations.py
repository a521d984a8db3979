"""Recognise another opening position than backgammon's by the plays that begin a game."""

from bgmatch import board
from bgmatch.model import Roll, Verdict
from bgmatch.replay import GameStart, Replay, begun
from bgmatch.rows import Cells

# A side's chequers by point at the start of other games.
_STARTS = {
    "NackGammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "LongGammon": {24: 15},
    "HyperGammon": {24: 1, 23: 1, 22: 1},
}
_LEGAL = {Verdict.PLAYED, Verdict.DANCED, Verdict.FORCED, Verdict.RESIGNED}
# Fewest rolls of a game that can show another opening position.
_FEWEST = 6
# Rolls that must be legal beyond the one that backgammon forbids, or all of the game.
_MORE = 8


def variation_of(cells: Cells, start: GameStart) -> str:
    """Return the game whose opening position the plays fit; empty for backgammon or none."""
    rolls = sum(cell.kind == "roll" for cell in cells)
    if any(cell.kind == "position" for cell in cells):
        return ""
    as_backgammon = _legal_rolls(begun(cells, start), cells)
    least = max(_FEWEST, min(rolls, as_backgammon + _MORE))
    for name, points in _STARTS.items():
        state = begun(cells, start)
        state.sides = board.start(points)
        if _legal_rolls(state, cells) >= least:
            return name
    return ""


def _legal_rolls(state: Replay, cells: Cells) -> int:
    """Return how many rolls are legal, up to the first that is not."""
    legal = 0
    for cell in cells:
        state.add(cell)
        if cell.kind == "roll":
            last = state.actions[-1]
            if not isinstance(last, Roll) or last.verdict not in _LEGAL:
                break
            legal += 1
    return legal
