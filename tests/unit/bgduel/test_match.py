"""The rules that the referee keeps: dice, cube, Crawford, and positions that sides are told."""

import random
from itertools import islice

import pytest

from bgduel import match as refereeing
from bgduel.match import DOUBLE, Forfeit, Referee, State, Void, seeded_dice
from bgmatch import board
from bgmatch.model import CubeAction, Dice, Hops
from bgmatch.position import read_xgid, xgid
from corpus import cases


class Any:
    """A side that plays a random legal play, doubles whenever it may, and answers as told."""

    def __init__(self, seat: int, answers: str = "take", doubles: bool = True) -> None:
        self.seat, self.answers, self.doubles = seat, answers, doubles
        self.random = random.Random(seat)
        self.asked: list[State] = []

    def begin(self, state: State, opening: Dice) -> None:
        assert opening[0] != opening[1]
        assert state.boards == board.start()

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        here = state.position(self.seat, dice)
        assert read_xgid(xgid(here)) == here
        if may_double:
            self.asked.append(
                State(state.length, state.score, state.crawford, cube=state.cube, owner=state.owner)
            )
        return DOUBLE if may_double and self.doubles else self.play(state, dice)

    def play(self, state: State, dice: Dice) -> str:
        legal = board.plays(
            *(state.boards[side].copy() for side in (self.seat, 1 - self.seat)), dice
        )
        hops = self.chosen(legal)[0] if legal else ()
        return " ".join(f"{source}/{target}" for source, target in hops) or "pass"

    def chosen(self, legal: list[board.Play]) -> board.Play:
        return self.random.choice(legal)

    def answer(self, state: State) -> str:
        here = state.position(self.seat, doubled=True)
        assert read_xgid(xgid(here)) == here
        return self.answers

    def saw(self, dice: Dice, hops: Hops) -> None:
        pass

    def dropped(self) -> None:
        pass


def test_the_cube_is_offered_by_its_owner_never_in_the_crawford_game_and_not_where_it_is_dead() -> (
    None
):
    crawford = 0
    for seed in range(6):
        sides = Any(0), Any(1, doubles=False)
        match = Referee(sides, 7, seeded_dice(str(seed))).play()
        assert all(state.owner in {None, 0} and not state.crawford for state in sides[0].asked)
        assert all(state.score[0] + state.cube < 7 for state in sides[0].asked)
        games = [game for game in match.games if game.crawford]
        crawford += len(games)
        assert len(games) <= 1
        assert all(max(game.score) == 6 for game in games)
        assert not any(isinstance(action, CubeAction) for game in games for action in game.actions)
        assert sum(game.result.points for game in match.games) == sum(match.final_score)
    assert crawford > 1


@pytest.mark.parametrize("doubler", [0, 1])
def test_a_side_that_drops_loses_the_value_of_the_cube(doubler: int) -> None:
    sides = [Any(seat, answers="drop", doubles=seat == doubler) for seat in (0, 1)]
    match = Referee(sides, 3, seeded_dice("1")).play()
    drops = [game.result for game in match.games if game.result.ending == "drop"]
    assert {(result.winner, result.points) for result in drops} == {(doubler, 1)}


def test_dice_come_from_the_seed_alone_and_a_game_s_do_not_depend_on_the_games_before() -> None:
    rolls = seeded_dice("4")
    first, second = ([*islice(rolls(game), 6000)] for game in (1, 2))
    assert first == [*islice(seeded_dice("4")(1), 6000)]
    assert first != second
    for die in range(1, 7):
        assert sum(roll[0] == die for roll in first) == pytest.approx(1000, abs=120)
    assert sum(one == other for one, other in first) == pytest.approx(1000, abs=120)


@pytest.mark.parametrize(("text", "reason"), cases("faults.plays"))
def test_a_play_that_breaks_the_rules_forfeits(text: str, reason: str) -> None:
    sides = Any(0), Any(1)
    sides[0].play = sides[1].play = lambda state, dice: text  # type: ignore[method-assign]
    referee = Referee(sides, 1, lambda _: iter([(3, 1)]))
    with pytest.raises(Forfeit) as failed:
        referee.play()
    assert (referee.asked_side, failed.value.reason) == (0, reason)


def test_a_double_that_is_not_allowed_forfeits() -> None:
    sides = Any(0), Any(1)
    sides[0].turn = lambda state, dice, may_double: DOUBLE  # type: ignore[method-assign]
    with pytest.raises(Forfeit, match="it doubled when it may not"):
        Referee(sides, 5, lambda _: iter([(3, 1)])).play()


class Staller(Any):
    """A legal player that bears off only if it must, and leaves as many blots as it can."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat, doubles=False)

    def chosen(self, legal: list[board.Play]) -> board.Play:
        return max(legal, key=self.wish)

    @staticmethod
    def wish(play: board.Play) -> tuple[int, int, int]:
        own = play[1][1:]
        return -play[1][board.OFF], sum(n == 1 for n in own), -sum(n > 1 for n in own)


@pytest.mark.parametrize("length", [0, 1])
def test_a_game_without_end_makes_the_match_void(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """Two such players went on for more than 7,000 rolls with each of six seeds."""
    assert refereeing.MOST_PLIES == 5_000
    monkeypatch.setattr(refereeing, "MOST_PLIES", 200)
    referee = Referee((Staller(0), Staller(1)), length, seeded_dice("1"))
    with pytest.raises(Void, match="game 1 had no end after 200 rolls"):
        referee.play()
    assert [len(game.actions) for game in referee.games] == [200]
    assert not referee.match().complete


def test_a_money_game_counts_the_cube_and_a_gammon_only_with_a_turned_cube() -> None:
    points = set()
    for seed in range(8):
        sides = Any(0, doubles=seed % 2 == 0), Any(1, doubles=False)
        match = Referee(sides, 0, seeded_dice(str(seed))).play()
        (game,) = match.games
        turned = any(isinstance(action, CubeAction) for action in game.actions)
        assert match.complete
        assert match.jacoby
        assert sum(match.final_score) == game.result.points
        assert turned or game.result.points == 1
        points.add((turned, game.result.points))
    assert len(points) > 3
