"""The board: single hops, whole plays, and how written plays are cut into hops."""

from collections.abc import Mapping
from typing import Any

import pytest

from bgmatch import board
from corpus import cases

Points = Mapping[str, int]


def side(points: Mapping[Any, int]) -> list[int]:
    chequers = [0] * 26
    for point, count in points.items():
        chequers[int(point)] = count
    chequers[0] = 15 - sum(chequers[1:])
    return chequers


def test_the_higher_die_if_only_one() -> None:
    player, opponent = side({10: 1}), side({25 - 1: 2})
    assert [play[0] for play in board.plays(player, opponent, (6, 3))] == [((10, 4),)]


@pytest.mark.parametrize(
    ("player", "die", "is_usable"),
    [
        ({24: 2}, 6, False),
        ({24: 2}, 5, True),
        ({25: 1, 13: 2}, 6, True),
        ({25: 1, 13: 2}, 3, False),
    ],
)
def test_a_die_is_of_no_use_before_a_closed_point(
    player: Points, die: int, is_usable: bool
) -> None:
    opponent = side({7: 2, 3: 2})
    assert bool(board.plays(side(player), opponent, (die, die))) == is_usable


@pytest.mark.parametrize(("player", "opponent", "dice", "moves", "hops"), cases("values.settle"))
def test_a_written_play_is_cut_into_hops(
    player: Points, opponent: Points, dice: Any, moves: Any, hops: Any
) -> None:
    for thrown in (dice, dice[::-1]):
        settled = board.settle(
            side(player), side(opponent), tuple(thrown), tuple(map(tuple, moves))
        )
        assert settled == tuple(map(tuple, hops))


@pytest.mark.parametrize(("player", "opponent", "dice", "moves"), cases("values.settle_refuses"))
def test_an_illegal_play_is_not_cut(
    player: Points, opponent: Points, dice: Any, moves: Any
) -> None:
    assert board.settle(side(player), side(opponent), tuple(dice), tuple(map(tuple, moves))) is None


def test_cutting_a_play_leaves_the_board_alone() -> None:
    player, opponent = board.start()
    board.settle(player, opponent, (3, 1), ((8, 5), (6, 5)))
    assert (player, opponent) == board.start()


def test_an_illegal_play_can_be_forced() -> None:
    player, opponent = board.start()
    assert board.force(player, opponent, ((13, 9), (13, 7))) is None
    assert player[13] == 3
    for moves in (((12, 8),), ((13, 12),), ((6, 25),), ((0, 3),)):
        assert board.force(*board.start(), moves) == moves[0]
