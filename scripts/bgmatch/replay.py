"""Replay the cells of one game on a board: its actions, verdicts and result."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bgmatch import board
from bgmatch.model import (
    Action,
    CubeAction,
    CubeKind,
    Dice,
    Ending,
    Finding,
    Game,
    GameResult,
    Hops,
    Position,
    Roll,
    Score,
    Verdict,
)
from bgmatch.rows import PlayText, Seen, SideAction, gives_points, number_in, play_text
from bgmatch.snowie import read_position, read_set_position

MAX_CUBE = 4096
"""Largest cube that gnubg knows."""

_RESULT_KINDS = {"wins", "loses", "lost", "concedes"}  # lost: a loser's line, the column unknown

Played = tuple[Game, list[Finding]]
_Judged = tuple[Verdict, Hops, Position | None]


@dataclass(frozen=True, slots=True)
class GameStart:
    """The facts known before a game.

    ``length`` is the declared match length, the most points of a game. With ``money`` the Jacoby
    rule may hold. ``standard`` is False if the game does not start from the opening position.
    """

    number: int
    score: Score
    length: int
    money: bool
    crawford: bool
    standard: bool = True


@dataclass(slots=True)
class Replay:
    """The state of a game after some of its cells."""

    start: GameStart
    sides: tuple[board.Chequers, board.Chequers] = field(default_factory=board.start)
    known: int | None = None  # actions up to the first unknown play
    cube: int = 1
    owner: int | None = None
    doubler: int | None = None  # who doubled; a beaver or a raccoon raises the offer
    offer: tuple[int, int] | None = None  # who offered the cube, at which value
    turn: int | None = None
    actions: list[Action] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    winner: int | None = None
    ending: Ending = Ending.UNFINISHED
    stated_winner: int | None = None
    stated: int | None = None  # points by the text
    last: int = -1  # index of the last cell that is no result
    is_won: bool = False  # a cell names the winner
    first: int = 0  # the side that begins
    line: int = 0  # of the current cell

    def find(self, code: str, message: str) -> None:
        self.findings.append(Finding(code, message, self.start.number, self.line))

    def copy(self) -> "Replay":
        sides = self.sides[0].copy(), self.sides[1].copy()
        return replace(self, sides=sides, actions=[*self.actions], findings=[*self.findings])

    def add(self, cell: SideAction, index: int) -> None:
        """Play a cell; `index` is that in the game."""
        self.line = cell.line
        if cell.kind == "position":
            _set_position(self, cell)
        elif cell.kind == "unread":
            self.find("unread", f"not understood: {cell.text[:80]!r}")
        elif cell.kind in _RESULT_KINDS:
            _stated(self, cell)
        elif self.ending is not Ending.UNFINISHED:
            self.find("after-end", f"the game was over before {cell.kind} {cell.text[:40]!r}")
        elif cell.kind == "roll":
            _roll(self, cell, rest=index < self.last)
        else:
            _cube(self, cell)

    def end(self) -> Played:
        """Return the game and its findings."""
        known = len(self.actions) if self.known is None else self.known
        start = self.start
        game = Game(
            start.number, start.score, start.crawford, tuple(self.actions), known, _result(self)
        )
        return game, self.findings


def replay(cells: list[SideAction], start: GameStart) -> Played:
    """Play the cells of a game and return the game with its findings."""
    state = begun(cells, start)
    for index, cell in enumerate(cells):
        state.add(cell, index)
    return state.end()


def begun(cells: Sequence[SideAction], start: GameStart) -> Replay:
    """Return the state of a game before its first cell."""
    last = max(
        (index for index, cell in enumerate(cells) if cell.kind not in _RESULT_KINDS), default=-1
    )
    is_won = any(cell.kind == "wins" for cell in cells)
    first = next((cell.side for cell in cells if cell.kind in {"roll", "double"}), 0)
    return Replay(start, known=None if start.standard else 0, last=last, is_won=is_won, first=first)


def _last(actions: Sequence[Action], kind: type) -> int:
    """Return the index of the last action of a kind; -1 if there is none."""
    return next(
        (index for index in range(len(actions) - 1, -1, -1) if isinstance(actions[index], kind)), -1
    )


def _set_position(state: Replay, cell: SideAction) -> None:
    """Take a position that was set by hand as the one after the last roll, or before the first
    roll.
    """
    position = read_set_position(cell.text, cell.side)
    if position is None:
        state.find(
            "set-position", "a set position that cannot be read: the rest of the game is left out"
        )
        _leave_out_rest(state)
        return
    if state.known is None and position == board.position(state.sides):
        return
    index = _last(state.actions, Roll)
    if not state.start.standard or state.known not in {None, index}:
        return
    if index < 0:
        state.actions.insert(
            0, Roll(1 - state.first, (2, 1), (), Verdict.SET, "", cell.line, position)
        )
    else:
        last = state.actions[index]
        assert isinstance(last, Roll)
        state.actions[index] = replace(last, hops=(), verdict=Verdict.ILLEGAL, position=position)
    state.known, state.sides = None, (list(position[0]), list(position[1]))
    state.find("set-position", "the position was set by hand: the game goes on from there")


def _roll(state: Replay, cell: SideAction, rest: bool) -> None:
    """Add a roll; ``rest`` is True if the game continues after it."""
    side = cell.side
    dice = cell.dice
    if state.offer is not None and state.offer[1] > 2 * state.cube:
        _take(state, 1 - state.offer[0])
    if state.offer is not None:
        _unanswered(state, cell)
    if state.turn is not None and state.turn != side:
        state.find("turn", "two rolls of the same side in succession")
    state.turn = 1 - side
    play = cell.play or play_text(cell.text.rstrip("?! "))
    if 0 in dice:
        if play.kind == "moves":
            state.find("dummy-dice", f"a play with impossible dice {cell.rolled}")
            _leave_out_rest(state)
        return
    if state.known is not None:
        state.actions.append(
            Roll(side, dice, (), Verdict.UNCHECKED, _unchecked_word(cell, play), cell.line)
        )
        return
    if cell.seen and cell.seen != Seen(board.position(state.sides), state.cube, cell.seen.after):
        _contradict(state)
    if dice[0] == dice[1] and not any(isinstance(action, Roll) for action in state.actions):
        state.find("opening-double", f"{cell.rolled}: a game begins with two different dice")
    _play(state, cell, play, rest)


def _play(state: Replay, cell: SideAction, play: PlayText, rest: bool) -> None:
    side = cell.side
    dice = cell.dice
    verdict, hops, position = _judge(state, cell, play, rest)
    chequers = state.sides[side]
    opponent = state.sides[1 - side]
    blots = {board.BAR - point for point in range(1, board.BAR) if opponent[point] == 1}
    if verdict is Verdict.PLAYED and not blots.issuperset(play.hits):
        state.find("hit", f"{cell.rolled}: {cell.text} has a star where it hits nothing")
    if verdict in {Verdict.MISSING, Verdict.IMPOSSIBLE}:
        _leave_out_rest(state)
    before = chequers.copy()
    if position:
        state.sides = (list(position[0]), list(position[1]))
    else:
        board.make(chequers, opponent, hops)
    if state.known is not None:
        word = _unchecked_word(cell, play)
    elif verdict is Verdict.RESIGNED:
        word = ""
    else:
        word = _word(dice, before, state.sides[side])
        passed = {point for _, point in hops if point in blots and not chequers[point]}
        if passed:
            word += "*" + "".join(map(_letter, sorted(passed, reverse=True)))
    if cell.seen and cell.seen.after and cell.seen.after != board.position(state.sides):
        _contradict(state)
    state.actions.append(Roll(side, dice, hops, verdict, word, cell.line, position))
    if state.sides[side][board.OFF] == 15 and state.known is None:
        state.winner = side
        state.ending = Ending.BEAROFF


def _contradict(state: Replay) -> None:
    number = 1 + sum(isinstance(action, Roll) for action in state.actions)
    state.find("contradiction", f"roll {number}")


def _unchecked_word(cell: SideAction, play: PlayText) -> str:
    after = [0] * 26
    board.make(after, [0] * 26, play.moves)
    word = _word(cell.dice, [0] * 26, after)
    return word if play.kind != "garbled" else f"{word}?{''.join(cell.text.lower().split())}"


def _word(dice: Dice, before: Sequence[int], after: Sequence[int]) -> str:
    """Return the word of a roll (model.py) by the chequers before and after it."""
    changed = [point for point in range(board.BAR, -1, -1) if before[point] != after[point]]
    left = [_letter(point) * (before[point] - after[point]) for point in changed]
    reached = [_letter(point) * (after[point] - before[point]) for point in changed]
    return f"{max(dice)}{min(dice)}{''.join(left + reached)}"


def _letter(point: int) -> str:
    return chr(ord("a") + point)


def _judge(state: Replay, cell: SideAction, play: PlayText, rest: bool) -> _Judged:
    own = state.sides[cell.side]
    opponent = state.sides[1 - cell.side]
    if play.kind == "moves":
        return _by_rules(state, cell, play.moves, rest)
    if play.kind == "position":
        if position := play.position or read_position(cell.text, cell.side):
            message = f"{cell.rolled}: the text calls the play illegal and gives the position"
            state.find("illegal-play", message)
            return Verdict.ILLEGAL, (), position
    elif not any(board.can_use(own, opponent, die) for die in cell.dice):
        return Verdict.DANCED, (), None  # whatever the text says
    if play.kind in {"position", "garbled"}:
        message = (
            f"{cell.rolled}: the play {cell.text[:60]!r} cannot be read: the rest of the game is"
            " left out"
        )
        state.find("garbled-play", message)
        return Verdict.IMPOSSIBLE, (), None
    return _without_play(state, cell, play, rest)


def _without_play(state: Replay, cell: SideAction, play: PlayText, rest: bool) -> _Judged:
    if play.kind == "cannot":
        state.find("illegal-play", f"{cell.rolled}: {cell.text!r}, but there is a legal play")
        return Verdict.ILLEGAL, (), board.position(state.sides)
    possible = board.plays(state.sides[cell.side], state.sides[1 - cell.side], cell.dice)
    if len(possible) == 1:
        state.find("forced-play", f"{cell.rolled}: the only legal play is not in the text")
        return Verdict.FORCED, possible[0][0], None
    if not rest:
        return Verdict.RESIGNED, (), None
    state.find(
        "missing-play", f"{cell.rolled}: a play is missing: the rest of the game is left out"
    )
    return Verdict.MISSING, (), None


def _by_rules(state: Replay, cell: SideAction, moves: Hops, rest: bool) -> _Judged:
    own = state.sides[cell.side].copy()
    opponent = state.sides[1 - cell.side].copy()
    settled = board.settle(own, opponent, cell.dice, moves)
    if settled is not None:
        return Verdict.PLAYED, settled, None
    if not rest and board.is_begun(own, opponent, cell.dice, moves):
        return Verdict.RESIGNED, (), None
    try:
        board.force(own, opponent, moves)
    except board.CannotMoveError as error:
        message = (
            f"{cell.rolled}: {cell.text} cannot be played ({error}): the rest of the game is"
            " left out"
        )
        state.find("impossible-play", message)
        return Verdict.IMPOSSIBLE, (), None
    state.find("illegal-play", f"{cell.rolled}: {cell.text} is against the rules")
    sides = board.position((own, opponent))
    return Verdict.ILLEGAL, (), sides[::-1] if cell.side else sides


def _leave_out_rest(state: Replay, actions: int | None = None) -> None:
    """Mark the board as unknown after so many actions (default: all so far)."""
    if state.known is None:
        state.known = len(state.actions) if actions is None else actions


def _unanswered(state: Replay, cell: SideAction) -> None:
    """Leave out a double without an answer and the rest.

    An engine would lose step with the record.
    """
    message = (
        f"a {cell.kind} follows a double that nobody answered: the rest of the game is left out"
    )
    state.find("unanswered-double", message)
    _leave_out_rest(state, _last(state.actions, CubeAction))
    state.offer = None


def _take(state: Replay, side: int) -> None:
    """Take the cube, as a roll after a beaver does.

    The doubler's opponent owns it, and the doubler rolls.
    """
    assert state.offer is not None
    assert state.doubler is not None
    value = state.offer[1]
    state.actions.append(CubeAction(side, CubeKind.TAKE, value, state.line))
    state.cube = value
    state.owner = 1 - state.doubler
    state.turn = state.doubler
    state.offer = None


def _cube(state: Replay, cell: SideAction) -> None:
    kind = CubeKind(cell.kind)
    if kind in {CubeKind.TAKE, CubeKind.DROP}:
        _answer(state, cell.side, kind)
    elif (
        kind is CubeKind.DOUBLE
        and state.start.money
        and state.offer is not None
        and state.offer[0] != cell.side
    ):
        _offer(state, cell, CubeKind.BEAVER)  # gnubg writes a beaver as a double
    else:
        _offer(state, cell, kind)


def _answer(state: Replay, side: int, kind: CubeKind) -> None:
    if state.offer is None:
        state.find("no-double", f"a {kind} without a double: the rest of the game is left out")
        _leave_out_rest(state)  # the value of the cube is unknown from here on
        return
    if state.offer[0] == side:
        state.find("turn", f"the doubler's own column says {kind}")
        side = 1 - side
    if kind is CubeKind.TAKE:
        _take(state, side)
        return
    doubler, value = state.offer
    state.actions.append(CubeAction(side, kind, value, state.line))
    state.winner = doubler
    state.ending = Ending.DROP
    state.turn = doubler
    state.offer = None


def _offer(state: Replay, cell: SideAction, kind: CubeKind) -> None:
    side = cell.side
    stated = number_in(cell.text)
    value = (state.offer[1] if state.offer else state.cube) * 2
    if value > MAX_CUBE:
        state.find("cube-limit", f"a cube above {MAX_CUBE}: the rest of the game is left out")
        _leave_out_rest(state)
        return
    if kind is CubeKind.DOUBLE and state.offer is not None:
        _unanswered(state, cell)
        value = state.cube * 2
    if kind is CubeKind.DOUBLE and state.turn not in {None, side}:
        state.find("turn", "a double by the side whose turn it is not")
    if state.start.crawford:
        state.find("crawford-double", "a double in the Crawford game")
    if kind is CubeKind.DOUBLE and state.owner not in {None, side}:
        state.find("cube-owner", "a double by the side that does not own the cube")
    if stated is not None and stated != value:
        state.find("cube-value", f"the text doubles to {stated}, the cube goes to {value}")
    if kind is CubeKind.DOUBLE or state.offer is None:
        state.doubler = side
    state.offer = (side, value)
    state.actions.append(CubeAction(side, kind, value, cell.line))


def _stated(state: Replay, cell: SideAction) -> None:
    points = number_in(cell.text)
    if not gives_points(cell):
        state.find("unread-points", f"not understood: {cell.kind} {cell.text[:40]!r}")
    elif state.is_won and cell.kind == "concedes" and points is None:
        return  # it states how the game ended, perhaps in the winner's column
    winner = (
        cell.side
        if cell.kind == "wins"
        else state.stated_winner
        if cell.kind == "lost"
        else 1 - cell.side
    )
    if state.stated_winner is not None and state.stated_winner != winner:
        state.find("two-winners", "the text names both sides as winner")
    state.stated_winner = winner
    if points is not None and points > 0:
        if state.stated is not None and state.stated != points:
            state.find("two-winners", f"the text gives {state.stated} and {points} points")
        state.stated = points


def _result(state: Replay) -> GameResult:
    state.line = state.actions[-1].line if state.actions else 0
    winner = state.winner
    ending = state.ending
    if winner is None and state.stated_winner is not None:
        winner = state.stated_winner
        ending = Ending.RESIGNATION
        own = state.sides[winner]
        opponent = state.sides[1 - winner]
        is_open = state.turn != winner or board.finishing(own, opponent) < 36
        if state.known is None and is_open and board.finishing(opponent, own):
            state.find(
                "last-roll",
                "the loser could still win by the next roll: a last roll may be missing",
            )
    if winner is None:
        return GameResult(None, 0, Ending.UNFINISHED, None, 1, state.cube)
    if state.stated_winner is not None and state.stated_winner != winner:
        state.find("winner", "the text names another winner than the game shows")
    if ending is Ending.DROP:
        multiplier = 1
    elif ending is Ending.BEAROFF:
        multiplier = board.gammon(state.sides[1 - winner])
    else:
        multiplier = min(3, -(-(state.stated or 1) // state.cube))
    if state.start.money and state.owner is None and multiplier > 1 and state.stated == 1:
        multiplier = 1
        state.find("jacoby", "a gammon with the cube unturned counts once: the Jacoby rule")
    worth = multiplier * state.cube
    # Sites write at most the points of the match length, or the points that the winner still
    # needed.
    usual = {
        worth,
        min(worth, state.start.length),
        min(worth, state.start.length - state.start.score[winner]),
    }
    if state.stated is not None and state.stated not in usual:
        state.find("points", f"the text gives {state.stated} points, cube and board {worth}")
    return GameResult(winner, state.stated or worth, ending, state.stated, multiplier, state.cube)
