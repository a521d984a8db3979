"""Correct one play of a game: one that is missing or cannot be right, where a single legal play fits all that follows.

What follows is every later roll, play and cube action, the end of the game and the next score. Nothing is corrected if
two plays fit, if the play as it was written fits (somebody broke the rules and nobody minded), or if another play
before it would explain the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bgrating.matchtext import board
from bgrating.matchtext.model import Finding, Game, Hops, Roll
from bgrating.matchtext.replay import Replay
from bgrating.matchtext.rows import PlayText, SideAction

BROKEN = {"illegal-play", "impossible-play", "garbled-play", "missing-play"}
"""Findings of a play that may be corrected."""
REPAIRED = "repaired"
"""The finding of a play that was."""
LEAST_ROLLS = 6
"""Fewest rolls after a play that must bear a correction out: after the last rolls of a game nearly every play fits."""
MOST_CELLS = 20_000
"""Most cells that are replayed for one correction; a game of 60 rolls takes 3,000."""
LONGEST = 500
"""Most cells of a game in which a play is corrected."""
_HARMLESS = {"forced-play", "opening-double"}


def repaired(
    cells: Sequence[SideAction], replayed: Replay, after: tuple[int, int] | None
) -> tuple[Game, list[Finding]] | None:
    """Return a game with its one broken play corrected, and its findings; None where that is not certain.

    `replayed` is the replay of the cells as they are written, `after` the score that the text has after the game.
    """
    if len(cells) > LONGEST:
        return None
    try:
        return _Repair(cells, replayed, after).corrected()
    except _TooLongError:
        return None


class _TooLongError(Exception):
    """More replays than MOST_CELLS."""


class _Repair:
    def __init__(self, cells: Sequence[SideAction], replayed: Replay, after: tuple[int, int] | None) -> None:
        self._cells, self._first, self._after = list(cells), replayed, after
        self._left = MOST_CELLS

    def corrected(self) -> tuple[Game, list[Finding]] | None:
        """Return what `repaired` does; raises _TooLongError."""
        states = [self._first]
        for place, cell in enumerate(self._cells):
            state = states[-1].copy()
            state.add(cell, place)
            found = {finding.code for finding in state.findings}
            if found & BROKEN:
                break
            if found - _HARMLESS:
                return None
            states.append(state)
        else:
            return None
        later = sum(cell.kind == "roll" for cell in self._cells[place + 1 :])
        if cell.seen or later < LEAST_ROLLS:
            return None
        if state.known is None and self._fits(state, place + 1):
            return None
        fitting = [(hops, game) for hops, game in self._others(states[place], place) if game]
        if len(fitting) != 1 or self._is_explained_before(states, place):
            return None
        hops, (game, findings) = fitting[0]
        written = cell.text or "no play"
        played = " ".join(f"{source}/{target}" for source, target in hops)
        message = (
            f"{cell.dice[0]}{cell.dice[1]}: {written[:60]} was corrected to {played}, "
            "the only legal play that fits all that follows"
        )
        return game, [*findings, Finding(REPAIRED, message, game.number, cell.line)]

    def _others(self, state: Replay, place: int) -> Iterator[tuple[Hops, tuple[Game, list[Finding]] | None]]:
        """Yield every legal play of a roll with the game that it leads to; None where what follows does not fit."""
        cell = self._cells[place]
        chequers, opponent = state.sides[cell.side], state.sides[1 - cell.side]
        for hops, *_ in board.plays(chequers, opponent, cell.dice):
            other = state.copy()
            other.add(replace(cell, play=PlayText("moves", tuple(sorted(hops, reverse=True)))), place)
            yield hops, self._fits(other, place + 1)

    def _fits(self, state: Replay, place: int) -> tuple[Game, list[Finding]] | None:
        """Replay the rest of a game; return it, or None where the rest does not follow."""
        known = len(state.findings)
        state = state.copy()
        for number in range(place, len(self._cells)):
            self._left -= 1
            if self._left < 0:
                raise _TooLongError
            state.add(self._cells[number], number)
            if any(finding.code not in _HARMLESS for finding in state.findings[known:]):
                return None
        game, findings = state.end()
        is_another = self._after and game.result.winner is not None and game.score_after != self._after
        if is_another or any(finding.code not in _HARMLESS for finding in findings[known:]):
            return None
        return game, findings

    def _is_explained_before(self, states: Sequence[Replay], place: int) -> bool:
        """Tell whether another play of an earlier roll makes all of the game right as it is written."""
        for number in range(place):
            if self._cells[number].kind != "roll":
                continue
            played = states[number + 1].actions[-1:]
            for hops, game in self._others(states[number], number):
                is_same = played and isinstance(played[0], Roll) and sorted(hops) == sorted(played[0].hops)
                if game and not is_same:
                    return True
        return False
