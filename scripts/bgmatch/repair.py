"""Correct one missing or impossible play of a game, if exactly one legal play fits the rest.

The rest is every later roll, play and cube action, the end of the game and the next score. Nothing
is corrected in three cases: two plays fit, the illegal play fits as written, or another play
earlier explains the record.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bgmatch import board
from bgmatch.model import Finding, Hops, Roll, Score, notation
from bgmatch.replay import GameRecord, Played, Replay, begun

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


def repaired(record: GameRecord, after: Score | None) -> Played | None:
    """Return a game with its one broken play corrected, and its findings; None if in doubt.

    `after` is the score that the text has after the game.
    """
    if len(record.cells) > LONGEST:
        return None
    try:
        return _Repair(after).corrected(begun(record))
    except _TooLongError:
        return None


class _TooLongError(Exception):
    """A correction takes more than MOST_CELLS replayed cells."""


@dataclass
class _Repair:
    after: Score | None
    budget: int = MOST_CELLS

    def corrected(self, state: Replay) -> Played | None:
        """Return the result of `repaired`; the state is that before the game.

        Raises _TooLongError.
        """
        states = [state]
        for cell in state.record.cells:
            state = states[-1].copy()
            state.add(cell)
            codes = {finding.code for finding in state.findings}
            if codes & BROKEN:
                break
            if codes - _HARMLESS:
                return None
            states.append(state)
        else:
            return None
        later = sum(cell.kind == "roll" for cell in state.record.cells[state.added :])
        if cell.recorded or later < LEAST_ROLLS:
            return None
        if state.known is None and self._fits(state):
            return None
        fitting = list(self._fitting(states[-1]))
        if len(fitting) != 1 or self._is_explained_before(states):
            return None
        hops, (game, findings) = fitting[0]
        finding = Finding(
            REPAIRED,
            f"{cell.rolled}: {cell.text[:60] or 'no play'} was corrected to {notation(hops)},"
            " the only legal play that fits all that follows",
            game.number,
            cell.line or None,
        )
        return game, [*findings, finding]

    def _fitting(self, state: Replay) -> Iterator[tuple[Hops, Played]]:
        """Yield the legal plays of the next roll that the rest of the record fits, with the game.

        Raises _TooLongError.
        """
        cell = state.record.cells[state.added]
        for hops, *_ in board.plays(*state.view(cell.side), cell.dice):
            corrected = state.copy()
            corrected.add(replace(cell, text=notation(hops)))
            game = self._fits(corrected)
            if game:
                yield hops, game

    def _fits(self, state: Replay) -> Played | None:
        """Return the game after a replay of the rest; None if the rest does not fit.

        Raises _TooLongError.
        """
        old = len(state.findings)
        state = state.copy()
        for cell in state.record.cells[state.added :]:
            self.budget -= 1
            if self.budget < 0:
                raise _TooLongError
            state.add(cell)
            if any(finding.code not in _HARMLESS for finding in state.findings[old:]):
                return None
        game, findings = state.end()
        contradicts = (
            self.after and game.result.winner is not None and game.score_after != self.after
        )
        if contradicts or any(finding.code not in _HARMLESS for finding in findings[old:]):
            return None
        return game, findings

    def _is_explained_before(self, states: Sequence[Replay]) -> bool:
        """Return whether another play of an earlier roll makes the rest legal as written."""
        for before, after in itertools.pairwise(states):
            if before.record.cells[before.added].kind == "roll":
                actions = after.actions[-1:]
                as_read = [sorted(roll.hops) for roll in actions if isinstance(roll, Roll)]
                for hops, _ in self._fitting(before):
                    if sorted(hops) not in as_read:
                        return True
        return False
