"""Referee a match between two sides: roll the dice, ask for plays and cube actions, check answers.

bgmatch/board.py has the rules of plays. No side can resign. A side that wins the match with this
game is not asked to double. A match of length 0 is one money game with the Jacoby rule, without
beavers. A side that breaks a rule or does not answer forfeits the match. Two sides that keep to the
rules may play one game for ever, so a long game makes the match void.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
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
    """A game in progress: score, boards, cube, and the actions so far.

    `boards` are both sides' chequers, 26 numbers each (bgmatch/board.py).
    """

    length: int
    score: Score
    crawford: bool
    boards: tuple[board.Chequers, board.Chequers] = field(default_factory=board.start)
    cube: int = 1
    owner: int | None = None
    actions: list[Action] = field(default_factory=list)

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
    """A player of one side; every method may raise Forfeit.

    A side that inherits `saw` or `dropped` ignores what it receives.
    """

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
        return

    def dropped(self) -> None:
        """Receive the other side's drop."""
        return


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
class Figures:
    """The decisions of a side, their seconds of wall time, and its gammons and backgammons won."""

    decisions: int = 0
    seconds: float = 0.0
    gammons: int = 0


@dataclass
class Referee:
    """One match of two sides, the left one first.

    `games` are the begun ones, `asked_side` was asked last, `figures` are by side.
    """

    sides: Sequence[Side]
    length: int
    dice: Callable[[int], Rolls]
    score: Score = (0, 0)
    games: list[Game] = field(default_factory=list)
    asked_side: int = LEFT
    figures: tuple[Figures, Figures] = field(default_factory=lambda: (Figures(), Figures()))

    def play(self) -> Match:
        """Play to the end. Raises Void, and Forfeit of `asked_side`.

        `match()` then returns the match so far.
        """
        crawford_done = False
        while not self._is_over():
            crawford = self.length > 1 and not crawford_done and max(self.score) == self.length - 1
            crawford_done = crawford_done or crawford
            self._game(State(self.length, self.score, crawford))
        return self.match()

    def _is_over(self) -> bool:
        return max(self.score) >= max(self.length, 1)

    def match(self) -> Match:
        winner = self.games[-1].result.winner if self._is_over() else None
        return Match(
            dialect="referee",
            declared_length=self.length,
            match_length=self.length,
            unlimited=False,
            players=(MatchPlayer("left", "left"), MatchPlayer("right", "right")),
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
        result = GameResult()
        try:
            result = self._actions(state)
        finally:
            actions = tuple(state.actions)
            number = len(self.games) + 1
            self.games.append(
                Game(number, state.score, state.crawford, actions, len(actions), result)
            )
        self.score = self.games[-1].score_after

    def _ask(self, side: int) -> Side:
        self.asked_side = side
        return self.sides[side]

    @contextmanager
    def _decision(self, side: int, decisions: int = 1) -> Iterator[Side]:
        """Yield a side that is asked for a decision, and measure its time."""
        figures = self.figures[side]
        began = time.perf_counter()
        try:
            yield self._ask(side)
        finally:
            figures.decisions += decisions
            figures.seconds += time.perf_counter() - began

    def _actions(self, state: State) -> GameResult:
        """Play a game. Raises Forfeit and Void."""
        rolls = self.dice(len(self.games) + 1)
        opening = next(roll for roll in rolls if roll[LEFT] != roll[RIGHT])
        for side in (LEFT, RIGHT):
            self._ask(side).begin(state, opening)
        side = LEFT if opening[LEFT] > opening[RIGHT] else RIGHT
        dice = max(opening), min(opening)
        may_double = False
        for _ in range(MOST_PLIES):
            with self._decision(side, 1 + may_double) as player:
                reply = player.turn(state, dice, may_double=may_double)
            if reply == DOUBLE:
                if not may_double:
                    raise Forfeit(ILLEGAL, "it doubled when it may not")
                if not self._is_taken(state, side):
                    return GameResult(side, state.cube, Ending.DROP, None, 1, state.cube)
                with self._decision(side) as player:
                    reply = player.play(state, dice)
            self._make(state, side, dice, reply)
            if state.boards[side][board.OFF] == 15:
                return self._won(state, side)
            side = 1 - side
            dice = next(rolls)
            may_double = state.may_double(side)
        raise Void(f"game {len(self.games) + 1} had no end after {MOST_PLIES:,} rolls")

    def _is_taken(self, state: State, side: int) -> bool:
        """Ask the other side whether it takes; turn the cube if it does. Raises Forfeit."""
        opponent = 1 - side
        value = 2 * state.cube
        state.actions.append(CubeAction(side, CubeKind.DOUBLE, value, 0))
        with self._decision(opponent) as player:
            reply = player.answer(state)
        if reply not in {TAKE, DROP}:
            raise Forfeit(GARBAGE, f"its answer to a double is {reply[:60]!r}")
        state.actions.append(CubeAction(opponent, CubeKind(reply), value, 0))
        if reply == DROP:
            self._ask(side).dropped()
            return False
        state.cube = value
        state.owner = opponent
        return True

    def _make(self, state: State, side: int, dice: Dice, reply: str) -> None:
        """Make a play, and tell the other side. Raises Forfeit."""
        opponent = 1 - side
        hops = legal_hops(state, side, dice, reply)
        verdict = Verdict.PLAYED if hops else Verdict.DANCED
        state.actions.append(Roll(side, dice, hops, verdict, "", 0))
        board.make(state.boards[side], state.boards[opponent], hops)
        self._ask(opponent).saw(dice, hops)

    def _won(self, state: State, side: int) -> GameResult:
        """Return the result of a game in which a side has borne all its chequers off."""
        is_jacoby = not state.length and state.owner is None
        times = 1 if is_jacoby else board.gammon(state.boards[1 - side])
        self.figures[side].gammons += times > 1
        return GameResult(side, times * state.cube, Ending.BEAROFF, None, times, state.cube)


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
    elif not board.plays(mover, opponent, dice):
        return ()
    played = f"{dice[0]}{dice[1]}: {text[:60] or 'nothing'}"
    raise Forfeit(ILLEGAL, f"it played {played}, which the rules forbid")
