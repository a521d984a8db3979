"""Write the rest of a game after a line with the position that it goes on from."""

from dataclasses import replace

from bgmatch import board, write_mat
from bgmatch.model import Game, Match, Position, Roll


def position_after(game: Game, count: int) -> Position:
    sides = board.start()
    for action in game.actions[:count]:
        if isinstance(action, Roll):
            board.make(sides[action.side], sides[1 - action.side], action.hops)
    return tuple(sides[0]), tuple(sides[1])


def letters(position: Position) -> str:
    """Return a position as the line has it, the left player in capitals."""
    left, right = position
    pairs = zip((0, *left[1:]), (*right[:0:-1], 0), strict=True)
    return "".join(
        chr(ord("@") + own) if own else chr(ord("`") + other) if other else "-"
        for own, other in pairs
    )


def cut(match: Match, count: int) -> str:
    """Return the first game's text from an action on, after a line with the position."""
    first, *_ = match.games
    rest = replace(first, actions=first.actions[count:], known=first.known - count)
    text = write_mat(replace(match, games=(rest,)), ("Ann", "Ben"))
    head, line, rows = text.partition("Ben : 0\n")
    return f"{head}{line}; Set Pos={letters(position_after(first, count))}/0\n{rows}"
