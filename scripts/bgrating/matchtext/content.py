"""A key that is equal for two texts of the same match."""

import hashlib
from collections.abc import Sequence

from bgrating.matchtext import board
from bgrating.matchtext.model import Game, Match, Roll, Verdict


def content_key(match: Match) -> str:
    """Return a hash of rolls, plays and cube actions, or an empty string for a match without a roll.

    Headers, names, notation, the order of the dice, the way a play is cut into hops and the column of
    each player do not count: sides are told apart by who rolled first. Rolls that ended a game without
    a play are left out, since not every program writes them.
    """
    return games_key(match.games)


def games_key(games: Sequence[Game]) -> str:
    """Return the content key of a match's games; what must be possible are their plays up to ``known``."""
    first = next((action.side for game in games for action in game.actions if isinstance(action, Roll)), None)
    if first is None:
        return ""
    key = hashlib.sha256()
    for game in games:
        key.update(b"game")
        sides = board.start()
        for index, action in enumerate(game.actions):
            side = bytes((action.side ^ first,))
            if not isinstance(action, Roll):
                key.update(side + action.kind.encode())
                continue
            if action.verdict is Verdict.RESIGNED:
                continue
            key.update(side + bytes(sorted(action.dice)))
            if index >= game.known:
                key.update(" ".join(sorted(action.written.lower().split())).encode())
                continue
            if action.position:
                sides = (list(action.position[0]), list(action.position[1]))
            else:
                board.make(sides[action.side], sides[1 - action.side], action.hops)
            key.update(bytes(sides[action.side]) + bytes(sides[1 - action.side]))
    return key.hexdigest()
