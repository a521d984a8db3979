"""Referee a match between two sides: roll the dice, ask for plays and cube actions, check answers.

bgmatch/board.py has the rules of plays. No side can resign. A side that wins the match with this
game is not asked to double. A match of length 0 is one money game with the Jacoby rule, without
beavers. A side that breaks a rule or does not answer forfeits the match. Two sides that keep to the
rules may play one game for ever, so a long game makes the match void.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from bgmatch import board
from bgmatch.model import (
    LEFT,
    RIGHT,
    Action,
    CubeAction,
    CubeKind,
    Dice,
    Ending,
    Game,
    GameResult,
    Hops,
    Match,
    MatchPlayer,
    Names,
    Roll,
    Score,
    Verdict,
)
from bgmatch.position import CENTRE, OTHER, OWN, Position
from bgmatch.replay import MAX_CUBE
from bgmatch.rows import play_text

DOUBLE = "double"
TAKE = "take"
DROP = "drop"
CRASH = "crash"
GARBAGE = "garbage"
ILLEGAL = "illegal"
LATE = "late"
FORFEITS = (CRASH, GARBAGE, ILLEGAL, LATE)
"""Reasons of a forfeit: the process ended, its answer is unreadable, breaks a rule, or is late."""
MOST_PLIES = 5_000
"""Rolls after which a game is void, and its match with it."""

Rolls = Iterator[Dice]


class Void(Exception):  # noqa: N818 - an outcome, not an error of ours
    """The match has no result, since a game does not end; the message is a sentence about it."""


class Forfeit(Exception):  # noqa: N818 - an outcome, not an error of ours
    """A side loses the match: `reason` is one of FORFEITS, the message a sentence about the side.

    `from_outside` is True for a signal that another process may have sent; then the match is played
    once more.
    """

    def __init__(self, reason: str, sentence: str, *, from_outside: bool = False) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.from_outside = from_outside


@dataclass
class State:
    """A game in progress; `boards` are both sides' chequers, 26 numbers each (bgmatch/board.py)."""

    length: int
    score: Score
    crawford: bool
    boards: tuple[board.Chequers, board.Chequers] = field(default_factory=board.start)
    cube: int = 1
    owner: int | None = None

    def position(self, side: int, dice: Dice | None = None, *, doubled: bool = False) -> Position:
        """Return the position for a side that has rolled, may double (no dice) or is doubled."""
        owner = CENTRE
        if self.owner is not None:
            owner = OWN if self.owner == side else OTHER
        return Position(
            tuple(self.boards[side]),
            tuple(self.boards[1 - side]),
            self.length,
            self.score[side],
            self.score[1 - side],
            self.cube,
            owner,
            dice,
            doubled,
            self.crawford,
            jacoby=not self.length,
        )

    def may_double(self, side: int) -> bool:
        allowed = not self.crawford and self.owner in {None, side} and 2 * self.cube <= MAX_CUBE
        return allowed and (not self.length or self.score[side] + self.cube < self.length)


class Side(Protocol):
    """A player of one side; every method may raise Forfeit."""

    def begin(self, state: State, opening: Dice) -> None:
        """Begin a game with its opening roll, of the left and the right side."""

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """Return DOUBLE, or the play of the dice, which are rolled after no double."""

    def play(self, state: State, dice: Dice) -> str:
        """Return the play of the dice after the other side has taken a double."""

    def answer(self, state: State) -> str:
        """Return TAKE or DROP to a double of the other side."""

    def saw(self, dice: Dice, hops: Hops) -> None:
        """Receive the other side's play."""

    def dropped(self) -> None:
        """Receive the other side's drop."""


def seeded_dice(seed: str) -> Callable[[int], Rolls]:
    """Return the dice of a match: a function from the number of a game to its endless rolls.

    The opening roll is the first.
    """

    def rolls(game: int) -> Rolls:
        thrown = random.Random(f"{seed}/{game}")
        while True:
            yield thrown.randint(1, 6), thrown.randint(1, 6)

    return rolls


@dataclass
class Thought:
    """The number of decisions of a side, and their seconds of wall time."""

    decisions: int = 0
    seconds: float = 0.0


def _no_thought() -> tuple[Thought, Thought]:
    return Thought(), Thought()


@dataclass
class Referee:
    """One match of two sides, the left one first.

    `games` are the begun ones, `asked` is the side that was asked last, `thought` is by side.
    """

    sides: tuple[Side, Side]
    length: int
    dice: Callable[[int], Rolls]
    names: Names = ("left", "right")
    score: Score = (0, 0)
    games: list[Game] = field(default_factory=list)
    asked: int = LEFT
    thought: tuple[Thought, Thought] = field(default_factory=_no_thought)

    def play(self) -> Match:
        """Play to the end. Raises Void, and Forfeit of the side `asked`.

        `match()` then returns the match so far.
        """
        crawford_done = False
        while not self.over():
            crawford = self.length > 1 and not crawford_done and max(self.score) == self.length - 1
            crawford_done = crawford_done or crawford
            self._game(State(self.length, self.score, crawford))
        return self.match()

    def over(self) -> bool:
        return max(self.score) >= max(self.length, 1)

    def match(self) -> Match:
        winner = None
        if self.over():
            winner = LEFT if self.score[LEFT] > self.score[RIGHT] else RIGHT
        left, right = (MatchPlayer(name, name) for name in self.names)
        return Match(
            dialect="referee",
            declared_length=self.length,
            match_length=self.length,
            unlimited=False,
            players=(left, right),
            games=tuple(self.games),
            final_score=self.score,
            winner=winner,
            complete=winner is not None,
            date="",
            crawford=True,
            jacoby=None if self.length else True,
            findings=(),
        )

    def _game(self, state: State) -> None:
        actions: list[Action] = []
        result = GameResult(None, 0, Ending.UNFINISHED, None, 1, 1)
        try:
            result = self._actions(state, actions)
        finally:
            begun = len(self.games) + 1, state.score, state.crawford
            self.games.append(Game(*begun, tuple(actions), len(actions), result))
        left, right = self.score
        won = result.points
        self.score = (left + won, right) if result.winner == LEFT else (left, right + won)

    def _ask(self, side: int) -> Side:
        self.asked = side
        return self.sides[side]

    @contextmanager
    def _decision(self, side: int, decisions: int = 1) -> Iterator[Side]:
        """Yield a side that is asked for a decision, and measure its time."""
        began = time.perf_counter()
        try:
            yield self._ask(side)
        finally:
            self.thought[side].decisions += decisions
            self.thought[side].seconds += time.perf_counter() - began

    def gammons(self, side: int) -> int:
        """Return the number of games that a side has won as a gammon or backgammon."""
        return sum(game.result.winner == side and game.result.multiplier > 1 for game in self.games)

    def _actions(self, state: State, actions: list[Action]) -> GameResult:
        """Play a game and note its actions. Raises Forfeit and Void."""
        rolls = self.dice(len(self.games) + 1)
        opening = next(roll for roll in rolls if roll[LEFT] != roll[RIGHT])
        for side in (LEFT, RIGHT):
            self._ask(side).begin(state, opening)
        side = LEFT if opening[LEFT] > opening[RIGHT] else RIGHT
        dice = max(opening), min(opening)
        may_double = False
        for _ in range(MOST_PLIES):
            result = self._turn(state, side, dice, actions, may_double=may_double)
            if result:
                return result
            side = 1 - side
            dice = next(rolls)
            may_double = state.may_double(side)
        raise Void(f"game {len(self.games) + 1} had no end after {MOST_PLIES:,} rolls")

    def _turn(
        self, state: State, side: int, dice: Dice, actions: list[Action], *, may_double: bool
    ) -> GameResult | None:
        """Play a side's turn; return the result if the game ends with it. Raises Forfeit."""
        with self._decision(side, 1 + may_double) as player:
            reply = player.turn(state, dice, may_double=may_double)
        if reply == DOUBLE and not may_double:
            raise Forfeit(ILLEGAL, "it doubled when it may not")
        if reply == DOUBLE:
            actions.append(CubeAction(side, CubeKind.DOUBLE, 2 * state.cube, 0))
            if not self._is_taken(state, side, actions):
                return GameResult(side, state.cube, Ending.DROP, None, 1, state.cube)
            with self._decision(side) as player:
                reply = player.play(state, dice)
        hops = legal_hops(state, side, dice, reply)
        verdict = Verdict.PLAYED if hops else Verdict.DANCED
        actions.append(Roll(side, dice, hops, verdict, "", 0))
        board.make(state.boards[side], state.boards[1 - side], hops)
        self._ask(1 - side).saw(dice, hops)
        if state.boards[side][board.OFF] < 15:
            return None
        is_jacoby = not state.length and state.owner is None
        times = 1 if is_jacoby else board.gammon(state.boards[1 - side])
        return GameResult(side, times * state.cube, Ending.BEAROFF, None, times, state.cube)

    def _is_taken(self, state: State, side: int, actions: list[Action]) -> bool:
        """Ask the other side whether it takes; turn the cube if it does."""
        with self._decision(1 - side) as opponent:
            reply = opponent.answer(state)
        if reply not in {TAKE, DROP}:
            raise Forfeit(GARBAGE, f"its answer to a double is {reply[:60]!r}")
        kind = CubeKind.TAKE if reply == TAKE else CubeKind.DROP
        actions.append(CubeAction(1 - side, kind, 2 * state.cube, 0))
        if reply == TAKE:
            state.cube = 2 * state.cube
            state.owner = 1 - side
        else:
            self._ask(side).dropped()
        return reply == TAKE


def legal_hops(state: State, side: int, dice: Dice, text: str) -> Hops:
    """Return the hops of a play. Raises Forfeit for an unreadable or illegal play."""
    mover = state.boards[side]
    opponent = state.boards[1 - side]
    play = play_text("" if text == "pass" else text)
    if play.kind == "moves":
        hops = board.settle(mover, opponent, dice, play.moves)
        if hops is not None:
            return hops
    elif play.kind != "none":
        raise Forfeit(GARBAGE, f"its play is {text[:60]!r}")
    elif not any(board.can_use(mover, opponent, die) for die in dice):
        return ()
    played = f"{dice[0]}{dice[1]}: {text[:60] or 'nothing'}"
    raise Forfeit(ILLEGAL, f"it played {played}, which the rules forbid")
