"""Replay the cells of one game on a board: its actions, verdicts and result."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

from bgmatch import board
from bgmatch.model import (
    LEFT,
    Action,
    Board,
    CubeAction,
    CubeKind,
    Dice,
    Ending,
    Finding,
    Game,
    GameResult,
    Hops,
    Roll,
    Score,
    Verdict,
    notation,
)
from bgmatch.rows import Cells, PlayText, SideAction, gives_points, number_in, play_text
from bgmatch.snowie import read_position, read_set_position

MAX_CUBE = 4096
"""Largest cube that gnubg knows."""

_RESULT_KINDS = {"wins", "loses", "lost", "concedes"}  # lost: a loser's line, the column unknown

Played = tuple[Game, list[Finding]]
_Judgement = tuple[Verdict, Hops, Board | None]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """The cells of a game, and what is known before it.

    ``length`` is the declared match length, the most points of a game. With ``money`` the Jacoby
    rule may hold. ``standard`` is False if the game does not start from the opening position.
    """

    cells: Cells
    number: int
    score: Score
    length: int
    money: bool
    crawford: bool
    standard: bool = True


@dataclass(slots=True)
class Replay:
    """The state of a game after some of its cells.

    The board is known during the first `known` actions; None is all of them. `offered` is the value
    of an open offer of the cube, 0 without one, `offerer` who made it, and `doubler` who doubled
    first: a beaver or a raccoon raises the offer.
    """

    record: GameRecord
    sides: board.Sides = field(default_factory=board.start)
    known: int | None = None
    cube: int = 1
    owner: int | None = None
    doubler: int = LEFT
    offerer: int = LEFT
    offered: int = 0
    rolled_at: int = -1  # index of the last roll
    actions: list[Action] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    winner: int | None = None
    ending: Ending = Ending.UNFINISHED
    stated_winner: int | None = None
    stated_points: int | None = None
    added: int = 0  # number of cells so far
    turn: int | None = None
    line: int = 0  # of the current cell

    def find(self, code: str, message: str) -> None:
        self.findings.append(Finding(code, message, self.record.number, self.line or None))

    def copy(self) -> "Replay":
        return replace(
            self,
            sides=board.chequers(self.sides),
            actions=[*self.actions],
            findings=[*self.findings],
        )

    def add(self, cell: SideAction) -> None:
        """Play the next cell."""
        self.line = cell.line
        self.added += 1
        if cell.kind == "position":
            self._set_position(cell)
        elif cell.kind == "unread":
            self.find("unread", f"not understood: {cell.text[:80]!r}")
        elif cell.kind in _RESULT_KINDS:
            self._state_result(cell)
        elif self.winner is not None:
            self.find("after-end", f"the game was over before {cell.kind} {cell.text[:40]!r}")
        elif cell.kind == "roll":
            self._roll(cell)
        elif cell.kind in {"take", "drop"}:
            self._answer(cell)
        else:
            self._offer(cell)

    def end(self) -> Played:
        """Return the game and its findings."""
        self.line = self.actions[-1].line if self.actions else 0
        known = len(self.actions) if self.known is None else self.known
        record = self.record
        game = Game(
            record.number,
            record.score,
            record.crawford,
            tuple(self.actions),
            known,
            self._result(),
        )
        return game, self.findings

    def view(self, side: int) -> board.Sides:
        """Return the chequers of a side and of its opponent, which a caller may move in place."""
        return self.sides[side], self.sides[1 - side]

    def _is_last(self) -> bool:
        """Return whether nothing but the result follows the cell that is played."""
        return all(cell.kind in _RESULT_KINDS for cell in self.record.cells[self.added :])

    def _leave_out(self, code: str, message: str, known: int | None = None) -> None:
        """Mark the board as unknown after so many actions, by default after all so far."""
        self.find(code, f"{message}: the rest of the game is left out")
        if self.known is None:
            self.known = len(self.actions) if known is None else known

    def _set_position(self, cell: SideAction) -> None:
        """Take a position that was set by hand as the one after the last roll, or before all."""
        beginning = (one.side for one in self.record.cells if one.kind in {"roll", "double"})
        first = next(beginning, LEFT)
        on_roll = first if self.turn is None else self.turn
        position = read_set_position(cell.text, cell.side, on_roll)
        if position is None:
            self._leave_out("set-position", "a set position that cannot be read")
            return
        if self.known is None and position == board.position(self.sides):
            return
        if not self.record.standard or self.known not in {None, self.rolled_at}:
            return
        if self.rolled_at < 0:
            begin = Roll(1 - first, (2, 1), (), Verdict.SET, "", cell.line, position)
            self.actions.insert(0, begin)
            self.rolled_at = 0
        else:
            before = self.actions[self.rolled_at]
            assert isinstance(before, Roll)
            self.actions[self.rolled_at] = replace(
                before, hops=(), verdict=Verdict.ILLEGAL, position=position
            )
        self.known = None
        self.sides = board.chequers(position)
        self.find("set-position", "the position was set by hand: the game goes on from there")

    def _roll(self, cell: SideAction) -> None:
        if self.offered > 2 * self.cube:
            self._take(1 - self.offerer)
        if self.offered:
            self._leave_out_offer(cell)
        if self.turn not in {None, cell.side}:
            self.find("turn", "two rolls of the same side in succession")
        self.turn = 1 - cell.side
        play = play_text(cell.text.rstrip("?! "))
        if 0 in cell.dice:
            if play.kind == "moves" or any(cell.dice):
                self._leave_out("dummy-dice", f"a roll with impossible dice {cell.rolled}")
            return
        if self.known is not None:
            token = _unchecked_token(cell, play)
            self._append(Roll(cell.side, cell.dice, (), Verdict.UNCHECKED, token, cell.line))
            return
        state = (board.position(self.sides), self.cube)
        if cell.recorded and (cell.recorded.before, cell.recorded.cube) != state:
            self._contradict()
        if cell.dice[0] == cell.dice[1] and self.rolled_at < 0:
            self.find("opening-double", f"{cell.rolled}: a game begins with two different dice")
        self._play(cell, play)

    def _append(self, roll: Roll) -> None:
        self.rolled_at = len(self.actions)
        self.actions.append(roll)

    def _play(self, cell: SideAction, play: PlayText) -> None:
        verdict, hops, position = self._judge(cell, play)
        chequers, opponent = self.view(cell.side)
        blots = board.blots_of(opponent)
        if verdict is Verdict.PLAYED and not blots.issuperset(play.hits):
            self.find("hit", f"{cell.rolled}: {cell.text} has a star where it hits nothing")
        before = chequers.copy()
        if position:
            self.sides = board.chequers(position)
        else:
            board.make(chequers, opponent, hops)
        after = self.sides[cell.side]
        if self.known is not None:
            token = _unchecked_token(cell, play)
        elif verdict is Verdict.RESIGNED:
            token = ""
        else:
            passed = {point for _, point in hops if point in blots and not chequers[point]}
            token = _token(cell.dice, before, after, passed)
        if cell.recorded and cell.recorded.after not in {None, board.position(self.sides)}:
            self._contradict()
        self._append(Roll(cell.side, cell.dice, hops, verdict, token, cell.line, position))
        if after[board.OFF] == 15 and self.known is None:
            self.winner = cell.side
            self.ending = Ending.BEAROFF

    def _contradict(self) -> None:
        number = 1 + sum(isinstance(action, Roll) for action in self.actions)
        self.find("contradiction", f"roll {number}")

    def _judge(self, cell: SideAction, play: PlayText) -> _Judgement:
        if play.kind == "moves":
            return self._by_rules(cell, play.moves)
        position = cell.position
        if play.kind == "position":
            position = read_position(cell.text, cell.side)
        if position:
            self.find(
                "illegal-play",
                f"{cell.rolled}: the text calls the play illegal and gives the position",
            )
            return Verdict.ILLEGAL, (), position
        possible = board.plays(*self.view(cell.side), cell.dice)
        if not possible and play.kind != "position":
            return Verdict.DANCED, (), None  # whatever the text says
        if play.kind in {"position", "garbled"}:
            self._leave_out(
                "garbled-play", f"{cell.rolled}: the play {cell.text[:60]!r} cannot be read"
            )
            return Verdict.IMPOSSIBLE, (), None
        return self._without_play(cell, play, possible)

    def _without_play(
        self, cell: SideAction, play: PlayText, possible: Sequence[board.Play]
    ) -> _Judgement:
        if play.kind == "cannot":
            self.find("illegal-play", f"{cell.rolled}: {cell.text!r}, but there is a legal play")
            return Verdict.ILLEGAL, (), board.position(self.sides)
        if len(possible) == 1:
            self.find("forced-play", f"{cell.rolled}: the only legal play is not in the text")
            return Verdict.FORCED, possible[0][0], None
        if self._is_last():
            return Verdict.RESIGNED, (), None
        self._leave_out("missing-play", f"{cell.rolled}: a play is missing")
        return Verdict.MISSING, (), None

    def _by_rules(self, cell: SideAction, moves: Hops) -> _Judgement:
        sides = board.chequers(self.sides)
        mover = sides[cell.side]
        opponent = sides[1 - cell.side]
        settled = board.settle(mover, opponent, cell.dice, moves)
        if settled is not None:
            return Verdict.PLAYED, settled, None
        if self._is_last() and board.is_begun(mover, opponent, cell.dice, moves):
            return Verdict.RESIGNED, (), None
        stuck = board.force(mover, opponent, moves)
        if stuck:
            self._leave_out(
                "impossible-play",
                f"{cell.rolled}: {cell.text} cannot be played ({notation([stuck])})",
            )
            return Verdict.IMPOSSIBLE, (), None
        self.find("illegal-play", f"{cell.rolled}: {cell.text} is against the rules")
        return Verdict.ILLEGAL, (), board.position(sides)

    def _leave_out_offer(self, cell: SideAction) -> None:
        """Leave out a double without an answer, the last action, and the rest.

        An engine would lose step with the record.
        """
        self._leave_out(
            "unanswered-double",
            f"a {cell.kind} follows a double that nobody answered",
            len(self.actions) - 1,
        )
        self.offered = 0

    def _offer(self, cell: SideAction) -> None:
        side = cell.side
        kind = cell.kind
        if kind == "double" and self.offered:
            if self.record.money and self.offerer != side:
                kind = "beaver"  # gnubg writes a beaver as a double
            else:
                self._leave_out_offer(cell)
        value = 2 * (self.offered or self.cube)
        if value > MAX_CUBE:
            self._leave_out("cube-limit", f"a cube above {MAX_CUBE}")
            return
        if kind == "double":
            if self.turn not in {None, side}:
                self.find("turn", "a double by the side whose turn it is not")
            if self.owner not in {None, side}:
                self.find("cube-owner", "a double by the side that does not own the cube")
        if self.record.crawford:
            self.find("crawford-double", "a double in the Crawford game")
        stated_value = number_in(cell.text)
        if stated_value not in {None, value}:
            self.find("cube-value", f"the text doubles to {stated_value}, the cube goes to {value}")
        if not self.offered:
            self.doubler = side
        self.offerer = side
        self.offered = value
        self.actions.append(CubeAction(side, CubeKind(kind), value, cell.line))

    def _answer(self, cell: SideAction) -> None:
        if not self.offered:
            self._leave_out("no-double", f"a {cell.kind} without a double")
            return
        if self.offerer == cell.side:
            self.find("turn", f"the doubler's own column says {cell.kind}")
        side = 1 - self.offerer
        if cell.kind == "take":
            self._take(side)
            return
        self.actions.append(CubeAction(side, CubeKind.DROP, self.offered, self.line))
        self.winner = self.offerer
        self.ending = Ending.DROP
        self.turn = self.offerer
        self.offered = 0

    def _take(self, side: int) -> None:
        """Take the cube, as a roll after a beaver does.

        The doubler's opponent owns it, and the doubler rolls.
        """
        self.actions.append(CubeAction(side, CubeKind.TAKE, self.offered, self.line))
        self.cube = self.offered
        self.owner = 1 - self.doubler
        self.turn = self.doubler
        self.offered = 0

    def _state_result(self, cell: SideAction) -> None:
        points = number_in(cell.text)
        is_won = any(other.kind == "wins" for other in self.record.cells)
        if not gives_points(cell):
            self.find("unread-points", f"not understood: {cell.kind} {cell.text[:40]!r}")
        elif cell.kind == "concedes" and points is None and is_won:
            return  # it states how the game ended, perhaps in the winner's column
        winner: int | None = 1 - cell.side
        if cell.kind == "wins":
            winner = cell.side
        elif cell.kind == "lost":
            winner = self.stated_winner
        if self.stated_winner not in {None, winner}:
            self.find("two-winners", "the text names both sides as winner")
        self.stated_winner = winner
        if points and points > 0:
            if self.stated_points not in {None, points}:
                self.find("two-winners", f"the text gives {self.stated_points} and {points} points")
            self.stated_points = points

    def _result(self) -> GameResult:
        if self.winner is None and self.stated_winner is not None:
            self.winner = self.stated_winner
            self.ending = Ending.RESIGNATION
            self._require_no_roll(self.winner)
        if self.winner is None:
            return GameResult(cube=self.cube)
        if self.stated_winner not in {None, self.winner}:
            self.find("winner", "the text names another winner than the game shows")
        if self.ending is Ending.DROP:
            multiplier = 1
        elif self.ending is Ending.BEAROFF:
            multiplier = board.gammon(self.sides[1 - self.winner])
        else:
            multiplier = min(3, -(-(self.stated_points or 1) // self.cube))
        start = self.record
        stated = self.stated_points
        if start.money and self.owner is None and multiplier > 1 and stated == 1:
            multiplier = 1
            self.find("jacoby", "a gammon with the cube unturned counts once: the Jacoby rule")
        worth = multiplier * self.cube
        # Sites write at most the points of the match length, or those that the winner still needed.
        needed = start.length - start.score[self.winner]
        if stated not in {None, worth, min(worth, start.length), min(worth, needed)}:
            self.find("points", f"the text gives {stated} points, cube and board {worth}")
        points = stated or worth
        return GameResult(self.winner, points, self.ending, stated, multiplier, self.cube)

    def _require_no_roll(self, winner: int) -> None:
        """Add a finding if the loser of a resigned game could still win by the next roll."""
        chequers, losers = self.view(winner)
        is_open = self.turn != winner or board.finishing(chequers, losers) < 36
        if self.known is None and is_open and board.finishing(losers, chequers):
            self.find(
                "last-roll",
                "the loser could still win by the next roll: a last roll may be missing",
            )


def positions(game: Game) -> Iterator[Board]:
    """Yield the board before each known action of a game, and the board after the last of them.

    A position has the chequers of the left and of the right side, each numbered from that side.
    """
    sides = board.start()
    yield board.position(sides)
    for action in game.actions[: game.known]:
        if isinstance(action, Roll):
            if action.position:
                sides = board.chequers(action.position)
            board.make(sides[action.side], sides[1 - action.side], action.hops)
        yield board.position(sides)


def replay(record: GameRecord) -> Played:
    """Play the cells of a game and return the game with its findings."""
    state = begun(record)
    for cell in record.cells:
        state.add(cell)
    return state.end()


def begun(record: GameRecord) -> Replay:
    """Return the state of a game before its first cell."""
    return Replay(record, known=None if record.standard else 0)


def _unchecked_token(cell: SideAction, play: PlayText) -> str:
    after = [0] * 26
    board.make(after, [0] * 26, play.moves)
    token = _token(cell.dice, [0] * 26, after)
    return token if play.kind != "garbled" else f"{token}?{''.join(cell.text.lower().split())}"


def _token(
    dice: Dice, before: board.Points, after: board.Points, passed: Iterable[int] = ()
) -> str:
    """Return the token of a roll (model.py) by the chequers before and after it."""
    changes = [(point, after[point] - before[point]) for point in range(board.BAR, -1, -1)]
    letters = [ascii_lowercase[point] * -change for point, change in changes]
    letters += [ascii_lowercase[point] * change for point, change in changes]
    hits = [ascii_lowercase[point] for point in sorted(passed, reverse=True)]
    return "".join([str(max(dice)), str(min(dice)), *letters, "*" * bool(hits), *hits])
