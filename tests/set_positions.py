"""Write the rest of a game after a line with the position that it goes on from."""

from dataclasses import replace

from bgmatch import board, write_mat
from bgmatch.model import Board, Game, Match, Roll
from bgmatch.position import Position, position_id, xgid


def position_after(game: Game, count: int) -> Board:
    sides = board.start()
    for action in game.actions[:count]:
        if isinstance(action, Roll):
            board.make(sides[action.side], sides[1 - action.side], action.hops)
    return tuple(sides[0]), tuple(sides[1])


def letters(position: Board) -> str:
    """Return a position as the line has it, the left player in capitals."""
    return xgid(Position(*position, 0, 0, 0)).removeprefix("XGID=").partition(":")[0]


def gnubg_id(position: Board, on_roll: int) -> str:
    near, far = position[on_roll], position[1 - on_roll]
    return position_id(Position(near, far, 0, 0, 0))


def cut(match: Match, count: int, line: str = "; Set Pos={letters}/0") -> str:
    """Return the first game's text from an action on, after a line with the position."""
    first, *_ = match.games
    rest = replace(first, actions=first.actions[count:], known=first.known - count)
    text = write_mat(replace(match, games=(rest,)), ("Ann", "Ben"))
    head, names, rows = text.partition("Ben : 0\n")
    position = position_after(first, count)
    named = gnubg_id(position, first.actions[count].side)
    return f"{head}{names}{line.format(letters=letters(position), id=named)}\n{rows}"
