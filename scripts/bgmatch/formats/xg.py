"""Read an eXtreme Gammon file (.xg).

The match, replayed on our own board, and XG's error figures of both players.

The plays must lead to every position of the file. A file states other facts twice: scores, dice and
the match length; a difference is a finding. XG's PR counts a play unless its record says that it is
no decision. It counts close or wrong doubles, missed or not, and every take and pass. By these
rules PR and number of decisions equal those that XG shows (tests/oracles/test_xg.py).
"""

import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bgmatch import board
from bgmatch.formats.program_file import (
    ADVICE,
    Saved,
    SavedError,
    SavedGame,
    matched,
    roll,
    unchecked,
)
from bgmatch.formats.xg_file import records
from bgmatch.model import Ending, Finding, Match
from bgmatch.replay import MAX_CUBE
from bgmatch.rows import Seen, SideAction
from bgmatch.scales import performance_rating

_UNLIMITED = 99999
_LONGEST = 999
_DEFAULT_ELO = 1600.0
_NOT_ANALYSED = -999.0  # XG writes -1000
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

Verdict = tuple[int, int, str, float, str]
"""XG's verdict on a decision: its game, ply and kind (decisions/decision_rows.py), its loss in
EMG, XG's depth."""


@dataclass(frozen=True, slots=True)
class XgFigures:
    """XG's figures of one side: total error in EMG, number of decisions in the PR, and verdicts."""

    error: float
    decisions: int
    verdicts: tuple[Verdict, ...]

    @property
    def pr(self) -> float:
        """Return the performance rating."""
        return float(performance_rating(self.error, self.decisions)) if self.decisions else math.nan


Figures = tuple[XgFigures, XgFigures]


@dataclass(frozen=True, slots=True)
class _Error:
    """XG's error at a decision; `counts` is whether XG's PR includes it; `kind` is empty if XG
    gives no verdict.
    """

    side: int
    loss: float
    counts: bool
    kind: str
    ply: int
    level: int


# Only what is needed of a game's records: a record takes 35 kB, and a file may hold thirteen
# thousand.
@dataclass(slots=True)
class _Game:
    """A game; `is_at_turn`: its last record is a turn at which a side may resign; `is_beavered`: it
    has a beaver.
    """

    header: Any
    saved: SavedGame
    footer: Any = None
    is_at_turn: bool = False
    is_beavered: bool = False
    errors: list[_Error] = field(default_factory=list)
    rolls: int = 0
    is_score_odd: bool = False

    def add_cube(self, record: Any) -> None:
        """Add a cube decision.

        `Double`: 1 a double, 0 none; `Take`: 0 a pass, 1 a take, 2 a beaver.
        """
        side = _side(record.ActiveP)
        cells = self.saved.cells
        level = record.Doubled.Level
        self.is_at_turn = record.Double == -1
        self.is_beavered |= record.Take == _BEAVER
        if record.Double in {0, 1}:
            counts = _is_close(record) or abs(record.ErrCube) >= _LEAST_ERROR
            # A decision not to double has the ply of the play after it.
            self.errors.append(
                _Error(side, record.ErrCube, counts, "double", len(cells) + 1, level)
            )
        if record.Double == 1:
            cells.append(SideAction(side, "double"))
            if record.Take in {0, 1}:
                action, kind = ("take", "take") if record.Take else ("drop", "pass")
                cells.append(SideAction(1 - side, action))
                self.errors.append(_Error(1 - side, record.ErrTake, True, kind, len(cells), level))

    def add_play(self, record: Any) -> None:
        """Add a roll.

        The file has the position before it as left sees it, after it as the mover does.

        Raises SavedError.
        """
        side = _side(record.ActiveP)
        moves = record.Moves if record.Played else ()
        self.is_at_turn = not record.Played
        hops = zip(moves[::2], moves[1::2], strict=True)
        made = [(source + 1, max(target, -1) + 1) for source, target in hops if source >= 0]
        after = board.seen_from(record.PositionEnd)
        # The file may have any number as the exponent of the cube.
        cube = 2 ** min(abs(record.CubeA), MAX_CUBE.bit_length())
        left_first = (after[::-1] if side else after) if record.Played else None
        seen = Seen(board.seen_from(record.PositionI), cube, left_first)
        self.saved.cells.append(roll(side, record.Dice, made, seen))
        self.rolls += 1
        if record.Played:
            analysis = record.DataMoves
            kind = "" if analysis.Unused else "play"
            ply = len(self.saved.cells)
            level = analysis.EvalLevel[0].Level
            self.errors.append(_Error(side, record.ErrMove, not analysis.Unused, kind, ply, level))

    def end(self, record: Any) -> None:
        self.footer, self.saved.winner, self.saved.points = (
            record,
            _side(record.Winner),
            record.PointsWon,
        )


@dataclass(slots=True)
class _Records:
    """The records of a file, reduced to what is needed.

    `findings` are contradictions between them.
    """

    header: Any
    games: list[_Game] = field(default_factory=list)
    footer: Any = None
    findings: list[Finding] = field(default_factory=list)


def read_xg(data: bytes) -> tuple[Match, Figures | None]:
    """Return the match of a file and XG's figures for left (player 1) and right.

    The figures are None where XG has not analysed all of the match. Raises SavedError.
    """
    try:
        file = _read(records(data))
        saved = _saved(file)
    # Damaged fields raise any of these.
    except (
        struct.error,
        zlib.error,
        ValueError,
        TypeError,
        LookupError,
        OverflowError,
        EOFError,
    ) as problem:
        raise SavedError(
            f"this eXtreme Gammon file is damaged or of an unknown kind ({problem}); {ADVICE}"
        ) from problem
    match = matched(saved, ".xg")
    _require_ends(match, file)
    return match, _figures(file.games)


def _read(entries: Iterator[Any]) -> _Records:
    file = _Records(next(entries))
    cube = None
    for record in entries:
        name = record.get("Name", "Move")  # the library's own spelling for plays is "Name:"
        games = file.games
        if name == "GameHeader":
            score = record.Score1, record.Score2
            games.append(
                _Game(
                    record, SavedGame(score, None, 0, crawford=record.CrawfordApply, is_whole=True)
                )
            )
            cube = None
        elif name == "GameFooter":
            games[-1].end(record)
        elif name == "Cube":
            cube = record
            games[-1].add_cube(record)
        elif name == "Move":
            games[-1].add_play(record)
            file.findings += _compare_roll(file, record, cube)
        elif name == "MatchFooter":
            file.footer = record
        else:
            raise SavedError(
                f"this eXtreme Gammon file has a record of a kind not known here ({name}); {ADVICE}"
            )
    if not file.games:
        raise SavedError("this eXtreme Gammon file holds no game")
    return file


def _compare_roll(file: _Records, play: Any, cube: Any) -> Iterator[Finding]:
    """Compare a roll with the cube decision before it and with XG's analysis.

    The analysis has the score as points to go, the mover's first.
    """
    number = len(file.games)
    header = file.games[-1].header
    analysis = play.DataMoves
    given = [sorted(map(int, cube.DiceRolled))] if cube is not None and cube.DiceRolled else []
    given += [sorted(analysis.Dice)] if analysis.NMoves else []
    other = next((dice for dice in given if dice != sorted(play.Dice)), None)
    if other is not None:
        ours, theirs = ("".join(map(str, dice)) for dice in (play.Dice, other))
        message = f"roll {file.games[-1].rolls}: the dice are {ours} and {theirs} in the same file"
        yield Finding("xg-dice", message, number)
    length = file.header.MatchLength
    to_go = [length - header.Score1, length - header.Score2]
    to_go = to_go[::-1] if _side(play.ActiveP) else to_go
    game = file.games[-1]
    if (
        analysis.NMoves
        and length != _UNLIMITED
        and list(analysis.Score) != to_go
        and not game.is_score_odd
    ):
        game.is_score_odd = True
        words = [" and ".join(map(str, away)) for away in (to_go, analysis.Score)]
        message = (
            f"the score and the match length leave {words[0]} points to go, XG analysed it with"
            f" {words[1]}"
        )
        yield Finding("xg-score", message, number)


def _saved(file: _Records) -> Saved:
    """Return the match with player 1 on the left.

    Raises SavedError for features that no test covers.
    """
    header = file.header
    games = file.games
    length = 0 if header.MatchLength == _UNLIMITED else header.MatchLength
    if header.MatchLength != _UNLIMITED and not 0 < length <= _LONGEST:
        raise SavedError(f"this eXtreme Gammon file gives a match length of {length}; {ADVICE}")
    if header.Variation:
        raise unchecked(".xg", "another game than backgammon")
    for game in games:
        if game.header.NumberOfAutoDoubles:
            raise unchecked(".xg", "automatic doubles")
        if any(game.header.PosInit) and board.seen_from(game.header.PosInit) != _START:
            raise unchecked(".xg", "a game from a set position")
        if game.is_beavered:
            raise unchecked(".xg", "a beaver")
    rules = {
        rule: "On" if header[rule] else "Off"
        for rule in ("Crawford", "Jacoby")
        if length or rule != "Crawford"
    }
    rules |= {name: (header[name] or b"").decode() for name in ("Event", "Round")}
    left, right = (
        header["Player" + number] or header["SPlayer" + number].encode() for number in ("1", "2")
    )
    elos = (header["Elo" + number] for number in ("1", "2"))
    first, second = (
        elo if math.isfinite(elo) and elo > 0.0 and elo != _DEFAULT_ELO else None for elo in elos
    )
    date = str(header.Date)[:10]
    findings = [*_lost_before_resignation(games), *file.findings]
    return Saved(
        length,
        (left.decode(), right.decode()),
        date if date > "1970" else "",
        rules,
        [game.saved for game in games],
        findings,
        (file.footer.Score1m, file.footer.Score2m) if file.footer else None,
        (first, second),
    )


def _side(player: int) -> int:
    return {1: 0, -1: 1}[player]


def _ending(termination: int) -> Ending:
    """Return how a game ended.

    0 is a drop, 1 to 3 the last chequer borne off, 100 and more a resignation.
    """
    if termination >= 100:
        return Ending.RESIGNATION
    return Ending.BEAROFF if termination else Ending.DROP


def _lost_before_resignation(games: Sequence[_Game]) -> Iterator[Finding]:
    """Yield a finding for each game that a side resigned without being at turn.

    Its last record may be lost.

    XG records the turn at which a side resigns: a roll without a play, or an open cube decision.
    """
    for number, game in enumerate(games, 1):
        if (
            game.footer
            and _ending(game.footer.Termination) is Ending.RESIGNATION
            and not game.is_at_turn
        ):
            message = "resigned, but not at a turn of its own: the last play may be lost"
            yield Finding("before-resignation", message, number)


def _require_ends(match: Match, file: _Records) -> None:
    """Raise SavedError if a game ends differently in the file."""
    for number, (ours, theirs) in enumerate(zip(match.games, file.games, strict=True), 1):
        if theirs.footer and ours.result.ending is not _ending(theirs.footer.Termination):
            raise SavedError(f"game {number}: how this game ends contradicts its plays; {ADVICE}")


def _figures(games: Sequence[_Game]) -> Figures | None:
    """Return XG's figures of both sides; None if XG has not analysed all decisions."""
    if not all(_NOT_ANALYSED < error.loss < math.inf for game in games for error in game.errors):
        return None
    return _figures_of(0, games), _figures_of(1, games)


def _figures_of(side: int, games: Sequence[_Game]) -> XgFigures:
    own = [
        (number, error)
        for number, game in enumerate(games, 1)
        for error in game.errors
        if error.side == side
    ]
    verdicts = [
        (number, error.ply, error.kind, abs(error.loss), _depth(error.level))
        for number, error in own
        if error.kind
    ]
    total = sum(abs(error.loss) for _, error in own)
    return XgFigures(total, sum(error.counts for _, error in own), tuple(verdicts))


def _depth(level: int) -> str:
    plies = f"XG {level + 1}-ply" if 0 <= level < _MOST_PLIES else "XG"
    return _DEPTHS.get(level, plies)


def _is_close(turn: Any) -> bool:
    stay = turn.Doubled.equB
    take = turn.Doubled.equDouble
    drop = turn.Doubled.equDrop
    loss_by_double = stay - min(take, drop)
    return bool(abs(loss_by_double) >= 0.001 and loss_by_double <= 0.2 and max(stay, take) >= -0.9)
