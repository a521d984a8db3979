"""The board: single hops, whole plays, and how written plays are cut into hops."""

import pytest

from bgrating.matchtext import board


def side(points: dict[int, int]) -> list[int]:
    chequers = [0] * 26
    for point, count in points.items():
        chequers[point] = count
    chequers[0] = 15 - sum(chequers[1:])
    return chequers


def test_the_higher_die_if_only_one() -> None:
    own = side({10: 1})
    opponent = side({25 - 1: 2})
    assert [play[0] for play in board.plays(own, opponent, (6, 3))] == [((10, 4),)]


@pytest.mark.parametrize(
    ("own", "opponent", "dice", "moves", "hops"),
    [
        ({24: 2, 13: 5}, {}, (6, 5), ((24, 13),), ((24, 18), (18, 13))),
        # 18 is held, so by way of 19
        ({24: 2}, {25 - 18: 2}, (6, 5), ((24, 13),), ((24, 19), (19, 13))),
        # a chequer stands on 18: the quiet way is taken
        ({24: 2}, {25 - 18: 1}, (6, 5), ((24, 13),), ((24, 19), (19, 13))),
        # the only way hits
        ({24: 2}, {25 - 18: 1, 25 - 19: 2}, (6, 5), ((24, 13),), ((24, 18), (18, 13))),
        ({13: 2}, {}, (5, 5), ((13, 3), (13, 3)), ((13, 8), (13, 8), (8, 3), (8, 3))),
        ({8: 2}, {}, (4, 4), ((8, 0), (8, 0)), ((8, 4), (8, 4), (4, 0), (4, 0))),
        ({9: 1}, {}, (6, 5), ((9, 0),), ((9, 3), (3, 0))),
        ({25: 1, 13: 1}, {}, (2, 1), ((25, 22),), ((25, 23), (23, 22))),
        ({5: 1}, {}, (5, 5), ((5, 0),), ((5, 0),)),
        ({6: 1, 1: 1}, {}, (6, 5), ((6, 0), (1, 0)), ((6, 0), (1, 0))),
    ],
)
def test_settle(
    own: dict[int, int],
    opponent: dict[int, int],
    dice: tuple[int, int],
    moves: board.Moves,
    hops: board.Moves,
) -> None:
    assert board.settle(side(own), side(opponent), dice, moves) == hops
    assert board.settle(side(own), side(opponent), dice[::-1], moves) == hops


@pytest.mark.parametrize(
    ("own", "opponent", "dice", "moves"),
    [
        ({13: 2}, {}, (6, 3), ((13, 9), (13, 7))),  # a 4 for a 3
        ({13: 2}, {}, (6, 3), ((13, 7),)),  # the 3 is left unplayed
        ({7: 2}, {}, (4, 1), ((7, 1),)),
        ({25: 1, 13: 2}, {}, (6, 3), ((13, 7), (13, 10))),  # a chequer stays on the bar
        ({13: 2}, {25 - 7: 2}, (6, 3), ((13, 7), (13, 10))),  # onto a held point
        ({6: 2}, {}, (2, 1), ((6, 8),)),
        ({6: 4}, {}, (2, 2), ((6, 4), (6, 4), (6, 4))),
    ],
)
def test_settle_refuses(
    own: dict[int, int], opponent: dict[int, int], dice: tuple[int, int], moves: board.Moves
) -> None:
    assert board.settle(side(own), side(opponent), dice, moves) is None


def test_settle_leaves_the_board_alone() -> None:
    own, opponent = board.start()
    board.settle(own, opponent, (3, 1), ((8, 5), (6, 5)))
    assert (own, opponent) == board.start()


def test_force() -> None:
    own, opponent = board.start()
    board.force(own, opponent, ((13, 9), (13, 7)))
    assert own[13] == 3
    for moves in (((12, 8),), ((13, 12),), ((6, 25),), ((0, 3),)):
        with pytest.raises(board.CannotMoveError):
            board.force(*board.start(), moves)
