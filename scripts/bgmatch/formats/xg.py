"""Read the match of an eXtreme Gammon file (.xg), and XG's error figures of both players.

The match is replayed on our own board, where the plays must lead to every position of the file. A
file states other facts twice: scores, dice and the match length; a difference is a finding. XG's PR
counts a play unless its record says that it is no decision. It counts close or wrong doubles,
missed or not, and every take and pass. By these rules PR and number of decisions equal those that
XG shows (tests/oracles/test_xg.py).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from bgmatch import board
from bgmatch.formats.program_file import (
    Saved,
    SavedGame,
    headers_of,
    reading,
    roll,
    unchecked,
    unreadable,
)
from bgmatch.formats.xg_file import records
from bgmatch.model import LEFT, RIGHT, Ending, Findings, XgFigures, XgSide, XgVerdict
from bgmatch.replay import MAX_CUBE
from bgmatch.rows import RecordedState, SideAction

_UNLIMITED = 99999
_LONGEST = 999
_DEFAULT_ELO = 1600.0
_NOT_ANALYSED = 999.0  # XG writes -1000
_LEAST_ERROR = 0.001
_BEAVER = 2
_DEPTHS = {
    12: "XG 3-ply red",
    100: "XG rollout",
    998: "XG book",
    999: "XG book",
    1000: "XG Roller",
    1001: "XG Roller+",
    1002: "XG Roller++",
}
_MOST_PLIES = 7
_START = board.position(board.start())
_SIDES = {1: LEFT, -1: RIGHT}


@dataclass(frozen=True, slots=True)
class _Error:
    """XG's error at a decision.

    `counts` is whether XG's PR includes it. `verdict` has no kind if XG gives no verdict.
    """

    side: int
    counts: bool
    verdict: XgVerdict


# Only what is needed of a game's records: a record takes 35 kB, and a file may hold thirteen
# thousand.
@dataclass
class _Game(SavedGame):
    """A game of a file.

    `to_go` are the points that left and right need, empty for money. `is_at_turn`: its last record
    is a turn at which a side may resign. `cube_dice` are the dice by the last cube decision.
    """

    to_go: list[int] = field(default_factory=list)
    is_at_turn: bool = False
    cube_dice: list[int] = field(default_factory=list)
    rolls: int = 0
    errors: list[_Error] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    def add_cube(self, record: Any) -> None:
        """Add a cube decision.

        `Double`: 1 a double, 0 none; `Take`: 0 a pass, 1 a take, 2 a beaver. Raises SavedError.
        """
        if record.Take == _BEAVER:
            raise unchecked(".xg", "a beaver")
        side = _SIDES[record.ActiveP]
        cells = self.cells
        depth = _depth(record.Doubled.Level)
        self.is_at_turn = record.Double == -1
        self.cube_dice = sorted(map(int, record.DiceRolled or ""))
        if record.Double in {0, 1}:
            counts = _is_close(record) or abs(record.ErrCube) >= _LEAST_ERROR
            # A decision not to double has the ply of the play after it.
            ply = len(cells) + 1
            verdict = XgVerdict(self.number, ply, "double", abs(record.ErrCube), depth)
            self.errors.append(_Error(side, counts, verdict))
        if record.Double == 1:
            cells.append(SideAction(side, "double"))
            if record.Take in {0, 1}:
                action, kind = ("take", "take") if record.Take else ("drop", "pass")
                cells.append(SideAction(1 - side, action))
                verdict = XgVerdict(self.number, len(cells), kind, abs(record.ErrTake), depth)
                self.errors.append(_Error(1 - side, True, verdict))

    def add_play(self, record: Any) -> None:
        """Add a roll.

        The file has the position before it as left sees it, after it as the mover does. Raises
        SavedError.
        """
        side = _SIDES[record.ActiveP]
        moves = record.Moves if record.Played else ()
        pairs = zip(moves[::2], moves[1::2], strict=True)
        hops = [(source + 1, max(target, -1) + 1) for source, target in pairs if source >= 0]
        after = None
        if record.Played:
            after = board.seen_from(record.PositionEnd)
            after = after[::-1] if side else after
        # The file may have any number as the exponent of the cube.
        cube = 2 ** min(abs(record.CubeA), MAX_CUBE.bit_length())
        recorded = RecordedState(board.seen_from(record.PositionI), cube, after)
        self.cells.append(roll(side, record.Dice, hops, recorded))
        self.rolls += 1
        self.is_at_turn = not record.Played
        analysis = record.DataMoves
        if record.Played:
            kind = "" if analysis.Unused else "play"
            depth = _depth(analysis.EvalLevel[0].Level)
            loss = abs(record.ErrMove)
            verdict = XgVerdict(self.number, len(self.cells), kind, loss, depth)
            self.errors.append(_Error(side, not analysis.Unused, verdict))
        self._compare_dice(record.Dice, self.cube_dice)
        if analysis.NMoves:
            self._compare_dice(record.Dice, analysis.Dice)
            self._compare_score(side, list(analysis.Score))

    def _compare_dice(self, dice: Sequence[int], other_dice: Sequence[int]) -> None:
        if other_dice and sorted(other_dice) != sorted(dice):
            ours, theirs = ("".join(map(str, thrown)) for thrown in (dice, sorted(other_dice)))
            self._find(
                "xg-dice", f"roll {self.rolls}: the dice are {ours} and {theirs} in the same file"
            )

    def _compare_score(self, side: int, score: list[int]) -> None:
        """Compare the score with that of the analysis: points to go, the mover's first."""
        to_go = self.to_go[::-1] if side else self.to_go
        if to_go and score != to_go:
            ours, theirs = (" and ".join(map(str, points)) for points in (to_go, score))
            self._find(
                "xg-score",
                f"the score and the match length leave {ours} points to go, XG analysed it with"
                f" {theirs}",
            )

    def _find(self, code: str, message: str) -> None:
        """Add a finding, once in a game."""
        if code not in {finding.code for finding in self.findings}:
            self.findings.add(code, message, self.number)

    def end(self, record: Any) -> None:
        """Add the end of the game.

        XG records the turn at which a side resigns: a roll without a play, or an open cube
        decision. Without such a turn the last record may be lost.
        """
        self.winner = _SIDES[record.Winner]
        self.points = record.PointsWon
        self.ending = _ending(record.Termination)
        if self.ending is Ending.RESIGNATION and not self.is_at_turn:
            self._find(
                "before-resignation",
                "resigned, but not at a turn of its own: the last play may be lost",
            )


def read_xg(data: bytes, suffix: str) -> Saved:
    """Return the match of a file, with XG's figures for left (player 1) and right.

    The figures are None where XG has not analysed all of the match. Raises SavedError.
    """
    with reading(suffix):
        entries = records(data)
        saved = _saved(next(entries))
        saved.figures = _figures(_read_games(entries, saved))
    return saved


def _saved(header: Any) -> Saved:
    """Return the match with player 1 on the left, still without its games.

    Raises SavedError for features that no test covers.
    """
    length = 0 if header.MatchLength == _UNLIMITED else header.MatchLength
    if header.MatchLength != _UNLIMITED and not 0 < length <= _LONGEST:
        raise unreadable(f"this eXtreme Gammon file gives a match length of {length}")
    if header.Variation:
        raise unchecked(".xg", "another game than backgammon")
    headers = headers_of([rule for rule in ("Crawford", "Jacoby") if header[rule]])
    headers |= {name.lower(): (header[name] or b"").decode() for name in ("Event", "Round")}
    left, right = (
        (header[f"Player{number}"] or header[f"SPlayer{number}"].encode()).decode()
        for number in (1, 2)
    )
    date = str(header.Date)[:10]
    if date > "1970":
        headers["date"] = date
    return Saved(
        length,
        (left, right),
        headers,
        ratings=(_rating(header.Elo1), _rating(header.Elo2)),
    )


def _rating(elo: float) -> float | None:
    return elo if math.isfinite(elo) and elo > 0.0 and elo != _DEFAULT_ELO else None


def _read_games(entries: Iterator[Any], saved: Saved) -> list[_Game]:
    """Return the games, and put what every reader needs of them into the match.

    Raises SavedError.
    """
    games: list[_Game] = []
    for record in entries:
        name = record.get("Name", "Move")  # the library's own spelling for plays is "Name:"
        if name == "GameHeader":
            games.append(_game(len(games) + 1, record, saved.length))
        elif name == "GameFooter":
            games[-1].end(record)
        elif name == "Cube":
            games[-1].add_cube(record)
        elif name == "Move":
            games[-1].add_play(record)
        elif name == "MatchFooter":
            saved.final = (record.Score1m, record.Score2m)
        else:
            raise unreadable(
                f"this eXtreme Gammon file has a record of a kind not known here ({name})"
            )
    saved.games += games
    for game in games:
        saved.findings += game.findings
    return games


def _game(number: int, header: Any, length: int) -> _Game:
    if header.NumberOfAutoDoubles:
        raise unchecked(".xg", "automatic doubles")
    if any(header.PosInit) and board.seen_from(header.PosInit) != _START:
        raise unchecked(".xg", "a game from a set position")
    score = (header.Score1, header.Score2)
    game = _Game(number=number, score=score, crawford=header.CrawfordApply, is_whole=True)
    if length:
        game.to_go = [length - points for points in score]
    return game


def _ending(termination: int) -> Ending:
    """Return how a game ended.

    0 is a drop, 1 to 3 the last chequer borne off, 100 and more a resignation.
    """
    if termination >= 100:
        return Ending.RESIGNATION
    return Ending.BEAROFF if termination else Ending.DROP


def _figures(games: Sequence[_Game]) -> XgFigures | None:
    """Return XG's figures of both sides; None if XG has not analysed all decisions."""
    errors = list(chain.from_iterable(game.errors for game in games))
    if not all(error.verdict.loss < _NOT_ANALYSED for error in errors):
        return None
    return _figures_of(LEFT, errors), _figures_of(RIGHT, errors)


def _figures_of(side: int, all_errors: Sequence[_Error]) -> XgSide:
    errors = [error for error in all_errors if error.side == side]
    return XgSide(
        sum(error.verdict.loss for error in errors),
        sum(error.counts for error in errors),
        tuple(error.verdict for error in errors if error.verdict.kind),
    )


def _depth(level: int) -> str:
    plies = f"XG {level + 1}-ply" if 0 <= level < _MOST_PLIES else "XG"
    return _DEPTHS.get(level, plies)


def _is_close(turn: Any) -> bool:
    stay = turn.Doubled.equB
    take = turn.Doubled.equDouble
    drop = turn.Doubled.equDrop
    loss_by_double = stay - min(take, drop)
    return bool(abs(loss_by_double) >= 0.001 and loss_by_double <= 0.2 and max(stay, take) >= -0.9)
