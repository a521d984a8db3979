"""Legal plays against gammonview's rules module, on positions from real games."""

import random
from pathlib import Path

from gvformat.legality import legal_plays

from bgmatch import board, read_matches
from bgmatch.model import Roll

Position = tuple[board.Chequers, board.Chequers]


def outcome(position: Position, hops: board.Hops) -> tuple[bytes, bytes]:
    own, opponent = position[0].copy(), position[1].copy()
    board.make(own, opponent, hops)
    return bytes(own), bytes(opponent)


def assert_same_plays(position: Position, dice: tuple[int, int]) -> None:
    own, opponent = position
    seen_by_mover = [0, *(opponent[25 - point] for point in range(1, 25)), 0]
    theirs, _ = legal_plays(own, seen_by_mover, *dice)
    expected = {outcome(position, tuple(sorted(play, reverse=True))) for play in theirs if play}
    ours = {outcome(position, hops) for hops, _, _ in board.plays(own, opponent, dice)}
    assert ours == expected, (position, dice)


def test_random_games() -> None:
    draw = random.Random(7)
    for _ in range(20):
        sides = board.start()
        while sides[0][0] != 15 and sides[1][0] != 15:
            dice = (draw.randint(1, 6), draw.randint(1, 6))
            assert_same_plays(sides, dice)
            options = board.plays(*sides, dice)
            if options:
                _, *sides_after = draw.choice(options)
                sides = (sides_after[0], sides_after[1])
            sides = (sides[1], sides[0])


def test_real_games(shared: Path) -> None:
    draw = random.Random(8)
    names = sorted((shared / "matches" / "bgnori+bglib").glob("*.txt"))
    compared = 0
    for name in draw.sample(names, 25):
        (match,) = read_matches(name.read_bytes()).matches
        for game in match.games:
            sides = board.start()
            for action in game.actions[: game.known]:
                if not isinstance(action, Roll):
                    continue
                if action.position:
                    sides = (list(action.position[0]), list(action.position[1]))
                    continue
                position = (sides[action.side], sides[1 - action.side])
                if draw.random() < 0.2:
                    assert_same_plays(position, action.dice)
                    compared += 1
                board.make(*position, action.hops)
    assert compared > 500
