"""Read an eXtreme Gammon file (.xg): the match, replayed on our own board, and what XG itself says of both players.

A match is believed if every position of the file is the one that its plays lead to.
"""

import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bgrating.collection.xg_file import ADVICE, XgError, records
from bgrating.matchtext import CubeAction, CubeKind, Finding, Game, Match, Player, Roll, board, read_matches
from bgrating.matchtext.headers import composed
from bgrating.matchtext.model import Ending

_UNLIMITED = 99999
_DEFAULT_ELO = 1600.0
_NOT_ANALYSED = -999.0  # XG writes -1000
_START = [*board.start()[0][:25], 0]
_WIDTH = 40


@dataclass(frozen=True, slots=True)
class XgFigures:
    """What XG says of one side: errors and luck in EMG, and the decisions that its PR is an average over.

    XG counts a play unless its record is marked as no decision, a double or missed double that is close or wrong, and
    every take and pass. Found so that PR and decisions are those that XG shows (tests/oracles/test_xg.py).
    """

    chequer_error: float = 0.0
    cube_error: float = 0.0
    decisions: int = 0
    luck: float = 0.0

    @property
    def pr(self) -> float:
        """Return XG's performance rating: 500 times the error per decision."""
        return 500.0 * (self.chequer_error + self.cube_error) / self.decisions if self.decisions else math.nan


@dataclass(slots=True)
class _Game:
    header: Any
    turns: list[Any] = field(default_factory=list)  # records of cube decisions and plays, in order
    footer: Any = None


def read_xg(data: bytes) -> tuple[Match, tuple[XgFigures, XgFigures] | None]:
    """Return the match of a file and XG's figures for left (player 1) and right; None where XG has not analysed it all.

    Raises XgError.
    """
    try:
        header, games = _games(records(data))
        text = _text(header, games)
        figures = _figures(games)
    # Bytes that are no file of this kind fail in as many ways as there are fields.
    except (struct.error, zlib.error, ValueError, TypeError, LookupError, OverflowError, EOFError) as problem:
        raise XgError(f"this eXtreme Gammon file is damaged or of an unknown kind ({problem}); {ADVICE}") from problem
    (match,) = read_matches(text.encode()).matches
    for number, (ours, theirs) in enumerate(zip(match.games, games, strict=True), 1):
        _compare(number, ours, theirs)
    findings = (*match.findings, *_lost_before_resignation(games))
    return replace(_with_facts(match, header), findings=findings), figures


def _games(entries: Iterator[Any]) -> tuple[Any, list[_Game]]:
    header, games = next(entries), list[_Game]()
    for record in entries:
        name = record.get("Name", "Move")  # the library's own spelling for plays is "Name:"
        if name == "GameHeader":
            games.append(_Game(record))
        elif name == "GameFooter":
            games[-1].footer = record
        elif name in {"Cube", "Move"}:
            games[-1].turns.append(record)
        elif name != "MatchFooter":
            raise XgError(f"this eXtreme Gammon file has a record of a kind not known here ({name}); {ADVICE}")
    if not games:
        raise XgError("this eXtreme Gammon file holds no game")
    return header, games


def _text(header: Any, games: Sequence[_Game]) -> str:
    """Return the match as text with player 1 in the left column. Raises XgError for what no file at hand has."""
    length = 0 if header.MatchLength == _UNLIMITED else header.MatchLength
    unchecked = {
        "another game than backgammon": header.Variation != 0,
        "automatic doubles": any(game.header.NumberOfAutoDoubles for game in games),
        "a game from a set position": any(
            any(game.header.PosInit) and _of_left(game.header.PosInit) != _START for game in games
        ),
        "a beaver": any(turn.get("Take") == 2 for game in games for turn in game.turns),
    }
    for what in (name for name, there in unchecked.items() if there):
        raise XgError(f"an eXtreme Gammon file with {what}: none was at hand to check its reading with; {ADVICE}")
    rules = {"Crawford": header.Crawford, "Jacoby": header.Jacoby, "Beaver": header.Beaver}
    lines = [
        f'; [{rule} "{"On" if holds else "Off"}"]' for rule, holds in rules.items() if length or rule != "Crawford"
    ]
    lines += [f" {length} point match", ""]
    for number, game in enumerate(games, 1):
        left = f" left : {game.header.Score1}"
        lines += [f" Game {number}", f"{left:<{_WIDTH}}right : {game.header.Score2}"]
        for row, (side, text) in enumerate(_cells(game.turns), 1):
            lines.append(f"{row:3d}) {'' if side == 0 else ' ' * (_WIDTH - 5)}{text}")
        if game.footer:
            points = f"Wins {game.footer.PointsWon} points"
            lines.append(f"{' ' * (6 if _side(game.footer.Winner) == 0 else _WIDTH)}{points}")
        lines.append("")
    return "\n".join(lines) + "\n"


def _cells(turns: Sequence[Any]) -> Iterator[tuple[int, str]]:
    for turn in turns:
        side = _side(turn.ActiveP)
        if "Dice" in turn:
            hops = zip(turn.Moves[::2], turn.Moves[1::2], strict=True) if turn.Played else ()
            plays = [f"{source + 1}/{max(target, -1) + 1}" for source, target in hops if source >= 0]
            yield side, " ".join([f"{turn.Dice[0]}{turn.Dice[1]}:", *plays])
        elif turn.Double == 1:
            yield side, "Doubles"
            if turn.Take in {0, 1}:
                yield 1 - side, ("Drops", "Takes")[turn.Take]


def _side(player: int) -> int:
    """Return 0 for player 1, 1 for player 2, which XG writes as 1 and -1."""
    return {1: 0, -1: 1}[player]


def _of_left(position: Sequence[int]) -> board.Chequers:
    """Return the chequers, borne off left out, of the side whose are positive, as board.py numbers them."""
    return [0, *(max(count, 0) for count in position[1:25]), abs(position[25])]


def _sides(position: Sequence[int]) -> tuple[board.Chequers, board.Chequers]:
    """Return the chequers of both sides; the first is the one that the position is seen from."""
    return _of_left(position), _of_left([-count for count in reversed(position)])


def _compare(number: int, ours: Game, theirs: _Game) -> None:
    """Replay a game and compare every position and cube of the file. Raises XgError at the first difference."""
    sides, cube = board.start(), 1
    rolls = [turn for turn in theirs.turns if "Dice" in turn]
    at = 0
    for action in ours.actions:
        if isinstance(action, CubeAction):
            cube = action.value if action.kind is CubeKind.TAKE else cube
        elif isinstance(action, Roll):
            turn = rolls[at]
            at += 1
            same = _without_off(sides) == _sides(turn.PositionI) and cube == 2 ** abs(turn.CubeA)
            if action.position:
                sides = (list(action.position[0]), list(action.position[1]))
            else:
                board.make(sides[action.side], sides[1 - action.side], action.hops)
            mover = (sides[action.side], sides[1 - action.side])
            same = same and (not turn.Played or _without_off(mover) == _sides(turn.PositionEnd))
            if not same or action.dice != turn.Dice:
                raise XgError(f"game {number}, roll {at}: the plays of this file contradict its positions; {ADVICE}")
    if at != len(rolls) or ours.crawford != theirs.header.CrawfordApply:
        raise XgError(f"game {number}: the records of this eXtreme Gammon file contradict themselves; {ADVICE}")
    if theirs.footer and ours.result.ending is not _ending(theirs.footer.Termination):
        raise XgError(f"game {number}: how this game ends contradicts its plays; {ADVICE}")


def _ending(termination: int) -> Ending:
    """Return how a game was decided: 0 a drop, 1 to 3 the last chequer borne off, 100 and more a resignation."""
    if termination >= 100:
        return Ending.RESIGNATION
    return Ending.BEAROFF if termination else Ending.DROP


def _lost_before_resignation(games: Sequence[_Game]) -> Iterator[Finding]:
    """Yield a finding for each game that a side resigned when it was at no decision: its last record may be lost.

    XG keeps the turn at which a side resigns: a roll that was not played, or a cube decision that was not taken.
    """
    for number, game in enumerate(games, 1):
        if game.footer and _ending(game.footer.Termination) is Ending.RESIGNATION:
            last = game.turns[-1] if game.turns else {}
            if last.get("Played", last.get("Double") != -1):
                message = "resigned, but not at a turn of its own: the last play may be lost"
                yield Finding("before-resignation", message, number)


def _without_off(sides: tuple[board.Chequers, board.Chequers]) -> tuple[board.Chequers, board.Chequers]:
    return [0, *sides[0][1:]], [0, *sides[1][1:]]


def _with_facts(match: Match, header: Any) -> Match:
    left, right = (_player(header, number) for number in ("1", "2"))
    date = str(header.Date)[:10]
    return replace(match, dialect="xg", players=(left, right), date=date if date > "1970" else "")


def _player(header: Any, number: str) -> Player:
    written = header["Player" + number] or header["SPlayer" + number].encode()
    name = composed(written.decode())
    elo = header["Elo" + number]
    rated = math.isfinite(elo) and elo > 0.0 and elo != _DEFAULT_ELO
    return Player(name, name, elo if rated else None)


def _figures(games: Sequence[_Game]) -> tuple[XgFigures, XgFigures] | None:
    sums = [XgFigures(), XgFigures()]
    for turn in (turn for game in games for turn in game.turns):
        side = _side(turn.ActiveP)
        if "Dice" in turn:
            played = (turn.ErrMove,) if turn.Played else ()
            figures = (*played, turn.ErrLuck)
            counts = bool(turn.Played) and not turn.DataMoves.Unused
            more = ((side, "chequer_error", sum(played), counts), (side, "luck", turn.ErrLuck, False))
        elif turn.Double in {0, 1}:
            figures = (turn.ErrCube, turn.ErrTake)
            asked = turn.Double == 1
            more = (
                (side, "cube_error", turn.ErrCube, _is_close(turn) or abs(turn.ErrCube) >= 0.001),
                (1 - side, "cube_error", turn.ErrTake if asked else 0.0, asked),
            )
        else:
            continue
        if not all(math.isfinite(figure) and figure > _NOT_ANALYSED for figure in figures):
            return None
        for seat, name, amount, counts in more:
            total = getattr(sums[seat], name) + (amount if name == "luck" else abs(amount))
            sums[seat] = replace(sums[seat], **{name: total}, decisions=sums[seat].decisions + counts)
    return sums[0], sums[1]


def _is_close(turn: Any) -> bool:
    """Tell whether XG counts a correct cube decision: neither dead nor obvious."""
    stay, take, drop = turn.Doubled.equB, turn.Doubled.equDouble, turn.Doubled.equDrop
    return bool(abs(stay - min(take, drop)) >= 0.001 and stay - min(take, drop) <= 0.2 and max(stay, take) >= -0.9)
