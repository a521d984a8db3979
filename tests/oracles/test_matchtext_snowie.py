"""Positions after illegal plays against those that GamesGrid itself wrote."""

import re
from pathlib import Path

from bgmatch import read_matches
from bgmatch.model import Roll
from bgmatch.snowie import write_position

BOARD = slice(12, 38)


def test_positions_are_written_as_gamesgrid_writes_them(shared: Path) -> None:
    path = shared / "matches" / "bgnori+bglib" / "Nori-Kenji081229.txt"
    given = re.findall(r"Illegal play \(([^)]*)\)", path.read_text(encoding="ascii"))
    (match,) = read_matches(path.read_bytes()).matches
    names = (match.players[0].name, match.players[1].name)
    pairs = [(game, action) for game in match.games for action in game.actions]
    rolls = [(game, one) for game, one in pairs if isinstance(one, Roll) and one.position]
    assert len(rolls) == len(given) == 3
    for (game, roll), text in zip(rolls, given, strict=True):
        assert roll.position
        ours = write_position(roll.position, roll.side, match.match_length, names, game.score, 1)
        mine, theirs = re.split(r"[(;)]", ours)[1:], text.split(";")
        assert mine[BOARD] == theirs[BOARD]
        # length, turn, names, scores
        assert [mine[0], *mine[4:7], *mine[8:10]] == [theirs[0], *theirs[4:7], *theirs[8:10]]
