"""Positions that tests are about."""

import base64
from typing import Any

from bgmatch.position import CENTRE, OTHER, OWN, Position, position_id, read_xgid

START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
OPENING = Position(tuple(START), tuple(START), 7, 0, 0, dice=(3, 1))


def side(**points: int) -> tuple[int, ...]:
    """Return the chequers of a side: p6=5 is five on its 6-point; the rest are off."""
    chequers = [0] * 26
    for name, count in points.items():
        chequers[25 if name == "bar" else int(name[1:])] = count
    chequers[0] = 15 - sum(chequers)
    return tuple(chequers)


def gnubg_ids(row: dict[str, Any]) -> tuple[str, str]:
    """Return gnubg's position and match ID of a decision's row."""
    position = read_xgid(row["xgid"])
    return position_id(position), match_id(position, ("left", "right").index(row["side"]))


def match_id(position: Position, side: int) -> str:
    """Return gnubg's match ID; `side` is the deciding player's.

    Its fields from the lowest bit: cube, owner, player to move, Crawford game, state of the game
    (1: being played). Then the player to decide, a double, no resignation, the dice, length,
    scores, and 1 without the Jacoby rule.
    """
    owner = {CENTRE: 3, OWN: side, OTHER: 1 - side}[position.owner]
    scores = [position.score, position.opponent_score]
    if side:
        scores.reverse()
    first_die, second_die = position.dice or (0, 0)
    turn = 1 - side if position.doubled else side
    rules = f"{not position.jacoby:b}{scores[1]:015b}{scores[0]:015b}{position.length:015b}"
    roll = f"{second_die:03b}{first_die:03b}00{position.doubled:b}{side:b}"
    cube = f"001{position.crawford:b}{turn:b}{owner:02b}{position.cube.bit_length() - 1:04b}"
    number = int(rules + roll + cube, 2).to_bytes(9, "little")
    return base64.b64encode(number).decode("ascii").rstrip("=")
