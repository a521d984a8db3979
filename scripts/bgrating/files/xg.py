"""Read an eXtreme Gammon file (.xg): the match, replayed on our own board, and what XG itself says of both players.

A match is believed if every position of the file is the one that its plays lead to. Other facts that a file states
twice are compared, and a difference is a finding. These are scores, winners, kinds of wins, dice, the match length,
names and XG's errors. XG counts a play in its PR unless its record is marked as no decision. It counts close or wrong
doubles, missed or not, and every take and pass. Found so that PR and decisions are those that XG shows
(tests/oracles/test_xg.py).
"""

import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bgrating.files.program_file import (
    ADVICE,
    Figures,
    ProgramFigures,
    Saved,
    SavedError,
    SavedGame,
    Sides,
    Verdict,
    matched,
    roll,
    unchecked,
)
from bgrating.files.xg_file import records
from bgrating.matchtext import board
from bgrating.matchtext.model import Ending, Finding, Match
from bgrating.matchtext.replay import MAX_CUBE
from bgrating.matchtext.rows import SideAction

_UNLIMITED = 99999
_LONGEST = 999
_DEFAULT_ELO = 1600.0
_NOT_ANALYSED = -999.0  # XG writes -1000
_NO_DECISION, _NOT_EVALUATED = -2, -100  # of a cube: how it is marked in the record, and in its evaluation
_TOLERANCE = 0.001
"""Largest difference of an error from the one that XG's evaluations give, in EMG; in real files it is below 0.0001."""
_ANSI_LETTERS = 40
_BEAVER = 2
_SETTLED = 1000  # from here on the players have agreed on the points
_KINDS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}
_SIDES = ("left", "right")
_DEPTHS = {
    12: "XG 3-ply red", 100: "XG rollout", 998: "XG book", 999: "XG book", 1000: "XG Roller", 1001: "XG Roller+",
    1002: "XG Roller++",
}  # fmt: skip
_MOST_PLIES = 7
_START = [*board.start()[0][:25], 0]


# What is kept of a game's records: they take 35 kB each, and a file may hold thirteen thousand.
@dataclass(slots=True)
class _Game:
    """A game. `is_at_turn`: its last record is a turn at which a side may resign; `is_beavered`: it has a beaver."""

    header: Any
    saved: SavedGame
    footer: Any = None
    is_at_turn: bool = False
    is_beavered: bool = False

    def add_cube(self, record: Any) -> None:
        """Add a cube decision. `Double`: 1 a double, 0 none; `Take`: 0 a pass, 1 a take, 2 a beaver."""
        side = _side(record.ActiveP)
        self.is_at_turn = record.Double == -1
        self.is_beavered |= record.Take == _BEAVER
        if record.Double == 1:
            self.saved.cells.append(SideAction(side, "double", "", 0))
            if record.Take in {0, 1}:
                self.saved.cells.append(SideAction(1 - side, ("drop", "take")[record.Take], "", 0))

    def add_play(self, record: Any) -> None:
        """Add a roll: left sees the position before it, the mover the one after it. Raises SavedError."""
        side, moves = _side(record.ActiveP), record.Moves if record.Played else ()
        self.is_at_turn = not record.Played
        hops = zip(moves[::2], moves[1::2], strict=True)
        plays = [f"{source + 1}/{max(target, -1) + 1}" for source, target in hops if source >= 0]
        self.saved.cells.append(roll(side, record.Dice, plays))
        after = _sides(record.PositionEnd)
        # What stands in the file for the exponent of the cube may be any number.
        cube = 2 ** min(abs(record.CubeA), MAX_CUBE.bit_length())
        left_first = (after[::-1] if side else after) if record.Played else None
        self.saved.seen.append((_sides(record.PositionI), cube, left_first))

    def end(self, record: Any) -> None:
        self.footer, self.saved.winner, self.saved.points = record, _side(record.Winner), record.PointsWon


class _Figures:
    """Sums XG's figures over turns, and compares its errors with those that its evaluations give."""

    def __init__(self) -> None:
        self._sums = [ProgramFigures(), ProgramFigures()]
        self._analysed = True
        self._odd: int | None = None  # the first game with a contradiction
        self._game, self._ply = 0, 0
        self._verdicts: tuple[list[Verdict], list[Verdict]] = ([], [])

    def add_play(self, game: int, turn: Any, cube: Any) -> None:
        """Add a roll; `cube` is the cube decision before it."""
        side, analysis = _side(turn.ActiveP), turn.DataMoves
        decision = bool(turn.Played) and not analysis.Unused
        self._act(game)
        if turn.Played:
            self._add(side, "chequer_error", turn.ErrMove, counts=decision)
            if decision:
                self._judge(side, 0, "play", turn.ErrMove, analysis.EvalLevel[0].Level)
            evaluated = analysis.PosPlayed[: analysis.NMoves]
            if turn.PositionEnd in evaluated:
                error = analysis.Eval[evaluated.index(turn.PositionEnd)][6] - analysis.Eval[0][6]
                self._check(game, error, turn.ErrMove)
        self._add(side, "luck", turn.ErrLuck, counts=False)
        if (decision and analysis.NMoves == 1) or (cube is not None and cube.ActiveP != turn.ActiveP):
            self._odd = self._odd or game

    def add_cube(self, game: int, turn: Any) -> None:
        """Add a cube decision."""
        side, analysis = _side(turn.ActiveP), turn.Doubled
        if (turn.Double == _NO_DECISION) != (analysis.FlagDouble == _NOT_EVALUATED):
            self._odd = self._odd or game
        if turn.Double not in {0, 1}:
            return
        is_double = turn.Double == 1
        self._act(game, actions=is_double)
        # A decision not to double has the ply of the play after it.
        self._judge(side, not is_double, "double", turn.ErrCube, analysis.Level)
        if is_double and turn.Take in {0, 1}:
            self._act(game)
            self._judge(1 - side, 0, ("pass", "take")[turn.Take], turn.ErrTake, analysis.Level)
        stay, take, drop = analysis.equB, analysis.equDouble, analysis.equDrop
        double = min(take, drop)
        self._add(side, "cube_error", turn.ErrCube, counts=_is_close(turn) or abs(turn.ErrCube) >= 0.001)
        self._check(game, max(stay, double) - (double if turn.Double else stay), abs(turn.ErrCube))
        self._add(1 - side, "cube_error", turn.ErrTake if is_double else 0.0, counts=is_double)
        if is_double and turn.Take in {0, 1}:
            self._check(game, (take if turn.Take else drop) - double, abs(turn.ErrTake))

    def _act(self, game: int, *, actions: int = 1) -> None:
        self._game, self._ply = game, self._ply * (game == self._game) + actions

    def _judge(self, side: int, later: int, kind: str, loss: float, level: int) -> None:
        depth = _DEPTHS.get(level, f"XG {level + 1}-ply" if 0 <= level < _MOST_PLIES else "XG")
        self._verdicts[side].append((self._game, self._ply + later, kind, abs(loss), depth))

    def _add(self, side: int, name: str, amount: float, *, counts: bool) -> None:
        if not (math.isfinite(amount) and amount > _NOT_ANALYSED):
            self._analysed = False
            return
        of_side = self._sums[side]
        total = getattr(of_side, name) + (amount if name == "luck" else abs(amount))
        self._sums[side] = replace(of_side, **{name: total}, decisions=of_side.decisions + counts)

    def _check(self, game: int, expected: float, given: float) -> None:
        if abs(given) < -_NOT_ANALYSED and not abs(expected - given) <= _TOLERANCE:
            self._odd = self._odd or game

    def findings(self) -> Iterator[Finding]:
        if self._odd is not None and self._analysed:
            message = "XG's own errors are not those of its evaluations: its figures are left out"
            yield Finding("xg-figures", message, self._odd)

    def result(self) -> tuple[ProgramFigures, ProgramFigures] | None:
        """Return the sums of both sides; None where not all is analysed or XG contradicts itself."""
        left, right = (
            replace(figures, verdicts=tuple(verdicts))
            for figures, verdicts in zip(self._sums, self._verdicts, strict=True)
        )
        return (left, right) if self._analysed and self._odd is None else None


@dataclass(slots=True)
class _Records:
    """A file's records, as far as they are kept; `findings` are contradictions within them."""

    header: Any
    games: list[_Game] = field(default_factory=list)
    footer: Any = None
    figures: _Figures = field(default_factory=_Figures)
    findings: list[Finding] = field(default_factory=list)


def read_xg(data: bytes) -> tuple[Match, Figures | None]:
    """Return the match of a file and XG's figures for left (player 1) and right.

    The figures are None where XG has not analysed all of the match, and where they contradict its own evaluations.
    Raises SavedError.
    """
    try:
        file = _read(records(data))
        saved = _saved(file)
    # Bytes that are no file of this kind fail in as many ways as there are fields.
    except (struct.error, zlib.error, ValueError, TypeError, LookupError, OverflowError, EOFError) as problem:
        raise SavedError(
            f"this eXtreme Gammon file is damaged or of an unknown kind ({problem}); {ADVICE}"
        ) from problem
    match, figures = matched(saved, ".xg")
    return replace(match, findings=(*match.findings, *_compare_ends(match, file))), figures


def _read(entries: Iterator[Any]) -> _Records:
    file = _Records(next(entries))
    cube = None
    for record in entries:
        name = record.get("Name", "Move")  # the library's own spelling for plays is "Name:"
        games = file.games
        if name == "GameHeader":
            score = record.Score1, record.Score2
            games.append(_Game(record, SavedGame(score, None, 0, crawford=record.CrawfordApply, is_whole=True)))
            cube = None
        elif name == "GameFooter":
            games[-1].end(record)
        elif name == "Cube":
            cube = record
            games[-1].add_cube(record)
            file.figures.add_cube(len(games), record)
        elif name == "Move":
            games[-1].add_play(record)
            file.findings += _compare_roll(file, record, cube)
            file.figures.add_play(len(games), record, cube)
        elif name == "MatchFooter":
            file.footer = record
        else:
            raise SavedError(f"this eXtreme Gammon file has a record of a kind not known here ({name}); {ADVICE}")
    if not file.games:
        raise SavedError("this eXtreme Gammon file holds no game")
    return file


def _compare_roll(file: _Records, play: Any, cube: Any) -> Iterator[Finding]:
    """Compare a roll with what the cube decision before it and XG's analysis say of it.

    XG analyses at points to go, the mover's first.
    """
    number, header, analysis = len(file.games), file.games[-1].header, play.DataMoves
    given = [sorted(map(int, cube.DiceRolled))] if cube is not None and cube.DiceRolled else []
    given += [sorted(analysis.Dice)] if analysis.NMoves else []
    other = next((dice for dice in given if dice != sorted(play.Dice)), None)
    if other is not None:
        ours, theirs = ("".join(map(str, dice)) for dice in (play.Dice, other))
        message = f"roll {len(file.games[-1].saved.seen)}: the dice are {ours} and {theirs} in the same file"
        yield Finding("xg-dice", message, number)
    length = file.header.MatchLength
    to_go = [length - header.Score1, length - header.Score2]
    to_go = to_go[::-1] if _side(play.ActiveP) else to_go
    known = any(finding.game == number and finding.code == "xg-score" for finding in file.findings)
    if analysis.NMoves and length != _UNLIMITED and list(analysis.Score) != to_go and not known:
        words = [" and ".join(map(str, away)) for away in (to_go, analysis.Score)]
        message = f"the score and the match length leave {words[0]} points to go, XG analysed it with {words[1]}"
        yield Finding("xg-score", message, number)


def _saved(file: _Records) -> Saved:
    """Return the match with player 1 on the left. Raises SavedError for what no file at hand has."""
    header, games = file.header, file.games
    length = 0 if header.MatchLength == _UNLIMITED else header.MatchLength
    if header.MatchLength != _UNLIMITED and not 0 < length <= _LONGEST:
        raise SavedError(f"this eXtreme Gammon file gives a match length of {length}; {ADVICE}")
    unseen = {
        "another game than backgammon": header.Variation != 0,
        "automatic doubles": any(game.header.NumberOfAutoDoubles for game in games),
        "a game from a set position": any(
            any(game.header.PosInit) and _of_left(game.header.PosInit) != _START for game in games
        ),
        "a beaver": any(game.is_beavered for game in games),
    }
    for what in (name for name, there in unseen.items() if there):
        raise unchecked(".xg", what)
    rules = {"Crawford": header.Crawford, "Jacoby": header.Jacoby, "Beaver": header.Beaver}
    rules = {rule: bool(holds) for rule, holds in rules.items() if length or rule != "Crawford"}
    left, right = (header["Player" + number] or header["SPlayer" + number].encode() for number in ("1", "2"))
    elos = (header["Elo" + number] for number in ("1", "2"))
    first, second = (elo if math.isfinite(elo) and elo > 0.0 and elo != _DEFAULT_ELO else None for elo in elos)
    date = str(header.Date)[:10]
    findings = [*_lost_before_resignation(games), *file.findings, *file.figures.findings(), *_compare_names(header)]
    return Saved(
        length, (left.decode(), right.decode()), date if date > "1970" else "", rules, [game.saved for game in games],
        file.figures.result(), findings, (file.footer.Score1m, file.footer.Score2m) if file.footer else None,
        (first, second),
    )  # fmt: skip


def _side(player: int) -> int:
    return {1: 0, -1: 1}[player]


def _of_left(position: Sequence[int]) -> board.Chequers:
    return [0, *(max(count, 0) for count in position[1:25]), abs(position[25])]


def _sides(position: Sequence[int]) -> Sides:
    """Return the chequers of both sides; the first is the one that the position is seen from."""
    return _of_left(position), _of_left([-count for count in reversed(position)])


def _ending(termination: int) -> Ending:
    """Return how a game was decided: 0 a drop, 1 to 3 the last chequer borne off, 100 and more a resignation."""
    if termination >= 100:
        return Ending.RESIGNATION
    return Ending.BEAROFF if termination else Ending.DROP


def _lost_before_resignation(games: Sequence[_Game]) -> Iterator[Finding]:
    """Yield a finding for each game that a side resigned when it was at no decision: its last record may be lost.

    XG keeps the turn at which a side resigns: a roll without a play, or an open cube decision.
    """
    for number, game in enumerate(games, 1):
        if game.footer and _ending(game.footer.Termination) is Ending.RESIGNATION and not game.is_at_turn:
            message = "resigned, but not at a turn of its own: the last play may be lost"
            yield Finding("before-resignation", message, number)


def _compare_ends(match: Match, file: _Records) -> Iterator[Finding]:
    """Compare the number, score, end and kind of win that the file gives each game, and the winner, with the games."""
    length = match.match_length or sum(match.final_score)
    for number, (ours, theirs) in enumerate(zip(match.games, file.games, strict=True), 1):
        if theirs.header.GameNumber != number:
            yield Finding("game-number", f"the file numbers it {theirs.header.GameNumber}", number)
        if theirs.footer and ours.result.ending is not _ending(theirs.footer.Termination):
            raise SavedError(f"game {number}: how this game ends contradicts its plays; {ADVICE}")
        if theirs.footer is None or ours.result.winner is None:
            continue
        after = [ours.score[side] + ours.result.points * (ours.result.winner == side) for side in (0, 1)]
        given = [theirs.footer.Score1g, theirs.footer.Score2g]
        if not _same_score(given, after, length):
            message = f"the file gives the score {_score(given)} after it, the games {_score(after)}"
            yield Finding("score", message, number)
        kind = theirs.footer.Termination % 100 if theirs.footer.Termination < _SETTLED else 0
        if kind in _KINDS and kind != ours.result.multiplier:
            message = f"the file gives it as {_KINDS[kind]}, points and cube as {_KINDS[ours.result.multiplier]}"
            yield Finding("points", message, number)
    if file.footer is None:
        return
    if match.complete and match.winner is not None and file.footer.WinnerM != (1, -1)[match.winner]:
        named = _SIDES[_side(file.footer.WinnerM)] if file.footer.WinnerM in {1, -1} else "no"
        message = f"the file names the {named} player as winner, the games the {_SIDES[match.winner]}"
        yield Finding("winner", message)


def _same_score(given: Sequence[int], games: Sequence[int], length: int) -> bool:
    return list(given) in (list(games), [min(points, length) for points in games])


def _score(points: Sequence[int]) -> str:
    return f"{points[0]}-{points[1]}"


def _compare_names(header: Any) -> Iterator[Finding]:
    for side, number in zip(_SIDES, ("1", "2"), strict=True):
        name, old = (header["Player" + number] or b"").decode(), header["SPlayer" + number]
        if name and old and name.isascii() and name[:_ANSI_LETTERS] != old:
            yield Finding("xg-names", f"the {side} player is {name} and {old} in the same file")


def _is_close(turn: Any) -> bool:
    stay, take, drop = turn.Doubled.equB, turn.Doubled.equDouble, turn.Doubled.equDrop
    return bool(abs(stay - min(take, drop)) >= 0.001 and stay - min(take, drop) <= 0.2 and max(stay, take) >= -0.9)
