"""Correct one missing or impossible play of a game, if exactly one legal play fits the rest.

The rest is every later roll, play and cube action, the end of the game and the next score. Nothing
is corrected in three cases: two plays fit, the illegal play fits as written, or another play
earlier explains the record.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bgmatch import board
from bgmatch.model import Finding, Hops, Roll, Score, written
from bgmatch.replay import GameStart, Played, Replay, begun
from bgmatch.rows import Cells

BROKEN = {"illegal-play", "impossible-play", "garbled-play", "missing-play"}
"""Codes of findings of plays that may be corrected."""
REPAIRED = "repaired"
"""Code of the finding of a corrected play."""
LEAST_ROLLS = 6
"""Fewest rolls after a corrected play: nearly every play fits the last rolls of a game."""
MOST_CELLS = 20_000
"""Largest number of cells that are replayed for one correction; a game of 60 rolls takes 3,000."""
LONGEST = 500
"""Largest number of cells of a game in which a play is corrected."""
_HARMLESS = {"forced-play", "opening-double"}


def repaired(cells: Cells, start: GameStart, after: Score | None) -> Played | None:
    """Return a game with its one broken play corrected, and its findings; None if in doubt.

    `after` is the score that the text has after the game.
    """
    if len(cells) > LONGEST:
        return None
    try:
        return _Repair(cells, after).corrected(begun(cells, start))
    except _TooLongError:
        return None


class _TooLongError(Exception):
    """A correction takes more than MOST_CELLS replayed cells."""


@dataclass
class _Repair:
    cells: Cells
    after: Score | None
    budget: int = MOST_CELLS

    def corrected(self, state: Replay) -> Played | None:
        """Return the result of `repaired`; the state is that before the game.

        Raises _TooLongError.
        """
        states = [state]
        for index, cell in enumerate(self.cells):
            state = states[-1].copy()
            state.add(cell, index)
            codes = {finding.code for finding in state.findings}
            if codes & BROKEN:
                break
            if codes - _HARMLESS:
                return None
            states.append(state)
        else:
            return None
        later = sum(cell.kind == "roll" for cell in self.cells[index + 1 :])
        if cell.recorded or later < LEAST_ROLLS:
            return None
        if state.known is None and self._fits(state, index + 1):
            return None
        fitting = list(self._fitting(states[index], index))
        if len(fitting) != 1 or self._is_explained_before(states, index):
            return None
        hops, (game, findings) = fitting[0]
        return game, [
            *findings,
            Finding(
                REPAIRED,
                f"{cell.rolled}: {cell.text[:60] or 'no play'} was corrected to {written(hops)},"
                " the only legal play that fits all that follows",
                game.number,
                cell.line,
            ),
        ]

    def _fitting(self, state: Replay, index: int) -> Iterator[tuple[Hops, Played]]:
        """Yield the legal plays of a roll that the rest of the record fits, with the game."""
        cell = self.cells[index]
        for hops, *_ in board.plays(*state.view(cell.side), cell.dice):
            corrected = state.copy()
            corrected.add(replace(cell, text=written(hops)), index)
            game = self._fits(corrected, index + 1)
            if game:
                yield hops, game

    def _fits(self, state: Replay, index: int) -> Played | None:
        """Return the game after a replay of the rest; None if the rest does not fit.

        Raises _TooLongError.
        """
        old = len(state.findings)
        state = state.copy()
        for number in range(index, len(self.cells)):
            self.budget -= 1
            if self.budget < 0:
                raise _TooLongError
            state.add(self.cells[number], number)
            if any(finding.code not in _HARMLESS for finding in state.findings[old:]):
                return None
        game, findings = state.end()
        contradicts = (
            self.after and game.result.winner is not None and game.score_after != self.after
        )
        if contradicts or any(finding.code not in _HARMLESS for finding in findings[old:]):
            return None
        return game, findings

    def _is_explained_before(self, states: Sequence[Replay], index: int) -> bool:
        """Return whether another play of an earlier roll makes the rest legal as written."""
        for number in range(index):
            if self.cells[number].kind == "roll":
                actions = states[number + 1].actions[-1:]
                as_read = [sorted(roll.hops) for roll in actions if isinstance(roll, Roll)]
                for hops, _ in self._fitting(states[number], number):
                    if sorted(hops) not in as_read:
                        return True
        return False
